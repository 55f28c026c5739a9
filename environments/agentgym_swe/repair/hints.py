"""Advice on a repair from its task's private part: a plan, the place, the failing check, the last attempt's faults.

A curriculum shows `hint` where a policy fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.task import Task


def plan(task: Task) -> str:
    """How to go about it."""
    return (
        "Plan: reproduce what the report shows; find the function that is called with search; read it and what it "
        "calls; change the one place that is wrong; run the relevant tests; submit."
    )


def place(task: Task) -> str:
    """Where the fault is."""
    files = sorted({str(edit[0]) for edit in task.config["edits"]})
    function = str(next(iter(task.private.get("functions", ())), ""))
    inside = f" in `{function.rpartition('.')[2]}`" if function else ""
    return f"Place: the fault is{inside} in {', '.join(files)}."


def failing_check(task: Task) -> str:
    """What fails because of it."""
    failing = list(task.private["failing"])
    more = f" and {len(failing) - 1} more" if len(failing) > 1 else ""
    return f"Check: the test `{failing[0]}`{more} fails because of it."


def last_attempt(verdict: Mapping[str, Any]) -> str:
    """What the last attempt got wrong, from the detail of its success event."""
    reasons = [str(reason) for reason in verdict.get("reasons", ())][:3]
    return f"Last attempt: {verdict.get('kind', 'failed')}; {'; '.join(reasons)}." if reasons else ""


def hint(task: Task) -> str:
    """Plan, place and failing check together."""
    return "\n".join((plan(task), place(task), failing_check(task)))
