"""The change of a repair as one diff, as SWE-bench's predictions hold it."""

from __future__ import annotations

from agentgym_swe.diffs import diff_between
from agentgym_swe.repair.verdict.case import Case
from agentgym_swe.repair.verdict.collecting import Change
from agentgym_swe.repair.verdict.tree import text_of


def diff_of_change(case: Case, change: Change) -> str:
    """What was changed of what the agent was given; "" where nothing was.

    Args:
        case: The task.
        change: Its change.
    """
    made = [
        diff_between(path, case.given.get(path, text_of(case.layer, path)), text)
        for path, text in sorted(change.files.items())
    ]
    return "".join(made)
