"""Plans laid out as files without a desktop: a start, or the end of an episode, as a state that can be judged.

It is how templates are tested, and how a verifier's oracle writes the end that was asked for.
"""

from __future__ import annotations

from pathlib import Path

from agentgym_gui.templates.plan import Ending, Plan
from agentgym_gui.verify.state import State


def lay_start(plan: Plan, home: Path) -> State:
    """Write a plan's files into an empty folder; the state before the first action."""
    for path, content in plan.files.items():
        _write(home, path, content)
    return State(home, dict(plan.settings), plan.clipboard)


def lay_ending(plan: Plan, ending: Ending, home: Path) -> State:
    """Write a plan's files and the differences of an ending into an empty folder; the state after the last action."""
    for path, content in {**plan.files, **ending.files}.items():
        if content is not None:
            _write(home, path, content)
    clipboard = plan.clipboard if ending.clipboard is None else ending.clipboard
    settings = {**plan.settings, **ending.settings}
    return State(home, settings, clipboard, answer=ending.answer, failed=ending.failed)


def _write(home: Path, path: str, content: bytes) -> None:
    target = home / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
