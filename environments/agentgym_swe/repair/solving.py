"""How the broken sources become right again, as edits: what players that know the answer do."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from agentgym_swe.repair.task_view import RepairTask


class Replacement(NamedTuple):
    """One call of `edit` with the command replace.

    Attributes:
        path: The file.
        old: What is there, exactly once.
        new: What is right.
    """

    path: str
    old: str
    new: str


def replacements(task: RepairTask) -> list[Replacement]:
    """Edits that make the sources what they are in the package, one after another."""
    found = []
    for path, broken in sorted(task.case.given.items()):
        right, text = task.layer.text(path), broken
        while text != right:
            made = _first_difference(text, right)
            if made is None:
                break
            old, new = made
            found.append(Replacement(path, old, new))
            text = text.replace(old, new, 1)
    return found


def _first_difference(text: str, right: str) -> tuple[str, str] | None:
    """The lines of the first difference, with as many around them as make them unique."""
    lines, wanted = text.splitlines(keepends=True), right.splitlines(keepends=True)
    opcodes = difflib.SequenceMatcher(None, lines, wanted, autojunk=False).get_opcodes()
    changed = next((each for each in opcodes if each[0] != "equal"), None)
    if changed is None:
        return None
    _, first, last, start, end = changed
    around = 0
    while around <= len(lines):
        begin, stop = max(0, first - around), min(len(lines), last + around)
        old = "".join(lines[begin:stop])
        if old and text.count(old) == 1:
            new = "".join([*lines[begin:first], *wanted[start:end], *lines[last:stop]])
            return old, new
        around += 1
    return None
