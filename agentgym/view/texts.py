"""Texts as they are set: prose flows, code and diffs stand in a fixed-width font with their white space.

The lines alone decide what is code. `transcripts` and `details` say where the texts stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentgym.view.markup import Html, join, tag

MAX_CHARS = 6000
"""Characters of one text; the rest is counted."""
_NEAR_END = 300
_MAX_COLUMNS = 240
"""Columns up to which a block of code scrolls sideways; a block with longer lines is wrapped."""
_SENTENCE = 5
"""Words from which a line with a full stop reads as prose."""
_DIFF = re.compile(r"^diff --git |^--- .*\n\+\+\+ |^@@ -\d", re.MULTILINE)
_FENCE = re.compile(r"^\s*(?P<mark>```|~~~)")
_INDENTED = re.compile(r"(?:\t| {4})\s*(?![-*•] |\d+[.)] )\S")
_NUMBERED = re.compile(r"\s*\d+(?::|\t| ?[|│])(?:\s|$)")
_STATEMENT = re.compile(
    r"""\s*(?:
        (?:async\ )?(?:def|class|function|fn|func)\ \w.*[:{(]$ | (?:if|elif|for|while|with|except|try|else)\b.*:$
      | import\ [\w.]+(?:\ as\ \w+)?(?:,|$) | from\ \S+\ import\ | return\b.*[\w)\]}"';]$ | raise\ \w+
      | @\w[\w.]*(?:\(|$) | (?:const|let|var)\ \w+\ = | [\w.\[\]"']+(?::\ \w+)?\ [-+*/|]?=\ \S | [\])}]+[,;:]?$
      | >>>\  | \$\ \S | \#include\b
    )""",
    re.VERBOSE,
)


def shorten(value: str, limit: int = MAX_CHARS) -> str:
    """The beginning of a long text, up to the end of a line or a word, and how much more there is."""
    if len(value) <= limit:
        return value
    end = max(value.rfind("\n", limit - _NEAR_END, limit), value.rfind(" ", limit - _NEAR_END, limit))
    kept = value[: end if end > 0 else limit]
    return f"{kept}\n… {len(value) - len(kept):,} more characters"


def is_diff(value: str) -> bool:
    """Whether a text holds a unified diff."""
    return _DIFF.search(value) is not None


def code(value: str, class_: str = "") -> Html:
    """A text in a fixed-width font, with all of its white space; the lines of a diff are coloured."""
    shown = shorten(value)
    longest = max(map(len, shown.splitlines()), default=0)
    has_lines = "\n" in shown.rstrip("\n") and longest <= _MAX_COLUMNS
    classes = " ".join(each for each in ("code", "" if has_lines else "wrapped", class_) if each)
    # a line feed right after the tag is not part of the text, so that one of the text itself is kept
    return tag("pre", "\n", _coloured(shown) if is_diff(shown) else shown, class_=classes)


def passage(value: str, class_: str = "") -> Html:
    """A message: prose with its code set apart, and all of it as code if nothing else is in it."""
    shown = shorten(value)
    parts = list(_parts(shown.split("\n")))
    if len(parts) == 1 and parts[0][0]:
        return code(shown, " ".join(filter(None, ("text", class_))))
    drawn = [code(part) if is_code else part for is_code, part in parts]
    return tag("div", *drawn, class_=" ".join(filter(None, ("text", class_))))


def folded(value: str, is_open: bool = False) -> Html:
    """A text of several lines, under a line that says how long it is."""
    return tag("details", tag("summary", _told_of(value)), code(value, "text"), class_="fold", open=is_open)


def _told_of(value: str) -> str:
    lines = value.rstrip("\n").split("\n")
    size = f"{len(lines):,} lines"
    if not is_diff(value):
        return size
    added = sum(line.startswith("+") and not line.startswith("+++ ") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("--- ") for line in lines)
    return f"{size}, {added:,} added, {removed:,} removed"


def _coloured(diff: str) -> Html:
    drawn: list[object] = []
    for line in diff.splitlines(keepends=True):
        look = (
            "head"
            if line.startswith(("diff --git ", "--- ", "+++ ", "index "))
            else "hunk"
            if line.startswith("@@ ")
            else {"+": "add", "-": "del"}.get(line[0], "")
        )
        drawn.append(tag("span", line, class_=look) if look else line)
    return join(*drawn)


def _parts(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """The text as stretches of code and of prose, in order; those of prose keep their line feeds."""
    is_code = _which_are_code(lines)
    begin = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or is_code[end] != is_code[begin]:
            stretch = "\n".join(lines[begin:end])
            if is_code[begin] or stretch.strip():
                yield is_code[begin], stretch if is_code[begin] else stretch.strip("\n")
            begin = end


def _which_are_code(lines: Sequence[str]) -> list[bool]:
    found = _fenced(lines)
    if any(found):
        return found
    if is_diff("\n".join(lines)) or _is_mostly_indented(lines):
        return [True] * len(lines)
    marks = [bool(_INDENTED.match(line) or _NUMBERED.match(line) or _STATEMENT.match(line)) for line in lines]
    begin = 0
    while begin < len(lines):
        if not marks[begin]:
            begin += 1
            continue
        end = _end_of_run(lines, marks, begin)
        is_set_apart = begin == 0 or not lines[begin - 1].strip()
        if sum(marks[begin:end]) > 1 or (is_set_apart and _INDENTED.match(lines[begin])):
            found[begin:end] = [True] * (end - begin)
        begin = end
    return found


def _fenced(lines: Sequence[str]) -> list[bool]:
    """The lines between fences, with the fences, so that a message is shown as it was written."""
    found, is_inside = [], False
    for line in lines:
        is_fence = _FENCE.match(line) is not None
        found.append(is_inside or is_fence)
        is_inside = is_inside != is_fence
    return found


def _is_mostly_indented(lines: Sequence[str]) -> bool:
    """Whether a text is a tree or a printed object: four lines or more, half of them indented, and no sentence."""
    filled = [line for line in lines if line.strip()]
    flush = [line for line in filled if line[0] not in " \t"]
    has_sentence = any(len(line.split()) >= _SENTENCE and line.rstrip()[-1] in ".:?!" for line in flush)
    return len(filled) >= 4 and 2 * len(flush) <= len(filled) and not has_sentence


def _end_of_run(lines: Sequence[str], marks: Sequence[bool], begin: int) -> int:
    """Where a run of marked lines ends; empty lines between them belong to it."""
    end = begin + 1
    for at in range(begin + 1, len(lines)):
        if marks[at]:
            end = at + 1
        elif lines[at].strip():
            break
    return end
