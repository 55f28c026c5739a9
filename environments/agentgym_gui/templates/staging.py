"""Plans laid out as files without a desktop: a start, or the end of an episode, as a state that can be judged.

It is how templates are tested, and how a verifier's oracle writes the end that was asked for.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentgym_gui.templates.plan import Ending, Plan
from agentgym_gui.verify.check import check
from agentgym_gui.verify.state import State


def lay_start(plan: Plan, home: Path) -> State:
    """Write a plan's files into an empty folder; the state before the first action."""
    return lay_ending(plan, Ending(), home)


def lay_ending(plan: Plan, ending: Ending, home: Path) -> State:
    """Write a plan's files and the differences of an ending into an empty folder; the state after the last action."""
    home.mkdir(parents=True, exist_ok=True)
    for path, content in {**plan.files, **ending.files}.items():
        if content is not None:
            _write(home, path, content)
    clipboard = plan.clipboard if ending.clipboard is None else ending.clipboard
    settings = {**plan.settings, **ending.settings}
    return State(home, settings, clipboard, answer=ending.answer, failed=ending.failed)


def misjudged(plan: Plan, folder: Path) -> list[str]:
    """What a plan's verifier gets wrong, one sentence each; the states are laid out below an empty folder.

    The end that was asked for must pay. The start, each near miss, and the end with one change more must not.
    """
    right = plan.ending
    strange = replace(right, files={**right.files, "Documents/strange.txt": b"strange\n"})
    ends = {"the end": right, "the start": Ending(), "a change more": strange}
    ends |= {f"near miss {number}": ending for number, ending in enumerate(plan.near_misses)}
    before = lay_start(plan, folder / "before")
    faults = []
    for name, ending in ends.items():
        after = lay_ending(plan, ending, folder / name.replace(" ", "-"))
        success = check(plan.private(), before, after)[0]
        if success.value != float(ending is right):
            faults.append(f"{name} pays {success.value:g}: {success.detail}")
    return faults


def _write(home: Path, path: str, content: bytes) -> None:
    target = home / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
