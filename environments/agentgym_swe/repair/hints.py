"""Advice on a repair from its task's private part: a plan, the place, the failing check, the last attempt's faults.

A curriculum shows `hint` where a policy fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.task import Task

_WHAT = {
    "implement": "write the function that raises NotImplementedError",
    "double": "change both places that are wrong, which are in two functions",
}
"""What is to be done, by kind of task; of all others one place is wrong."""


def plan(task: Task) -> str:
    """How to go about it."""
    what = _WHAT.get(str(task.config.get("kind")), "change the one place that is wrong")
    return (
        "Plan: reproduce what the report shows; find the function that is called with search; read it and what it "
        f"calls; {what}; run the relevant tests; submit."
    )


def place(task: Task) -> str:
    """Where the fault is, or both faults."""
    files = sorted({str(edit[0]) for edit in task.config["edits"]})
    functions = [f"`{function.rpartition('.')[2]}`" for function in dict.fromkeys(task.private.get("functions", ()))]
    inside = f" in {' and '.join(functions)}" if functions else ""
    subject = "the faults are" if len(functions) > 1 else "the fault is"
    return f"Place: {subject}{inside} in {', '.join(files)}."


def failing_check(task: Task) -> str:
    """What fails because of it."""
    failing = list(task.private["failing"])
    more = f" and {len(failing) - 1} more" if len(failing) > 1 else ""
    return f"Check: the test `{failing[0]}`{more} fails because of it."


def last_attempt(blame: Mapping[str, Any]) -> str:
    """What the last attempt got wrong, from the detail of its event `blame`; "" where that says nothing."""
    why, evidence = str(blame.get("why", "")), str(blame.get("evidence", ""))
    return f"Last attempt: {'; '.join(filter(None, (why, evidence)))}." if why or evidence else ""


def hint(task: Task, blame: Mapping[str, Any]) -> str:
    """Plan, place and failing check together, and what the last failed attempt got wrong where there was one.

    Args:
        task: The task.
        blame: The detail of the event `blame` of its last failed episode; {} where nothing is known of one.
    """
    return "\n".join(filter(None, (plan(task), place(task), failing_check(task), last_attempt(blame))))
