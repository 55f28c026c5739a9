"""Unified diffs applied on the harness's side, exactly and without guessing; what does not fit is said.

The result goes to the judge by the same rules as an agent's folder; see `collecting`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentgym_swe.diffs import lines_of
from agentgym_swe.repair.verdict.collecting import Change, from_texts
from agentgym_swe.repair.verdict.tree import text_of
from agentgym_swe.repositories.layer import Layer

MAX_DIFF = 1_000_000
"""Characters of a diff that is read at all."""
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BINARY = ("Binary files ", "GIT binary patch")
_NOTHING = "/dev/null"
_SHOWN, _SHOWN_BEFORE, _MAX_ALIKE = 60, 20, 50
"""Characters of a line that a message shows, of them before what differs; places of equal lines that are looked at."""
_WITH_LF = "write the diff with LF line ends"


class PatchError(Exception):
    """A diff that cannot be applied; says why."""


@dataclass(frozen=True)
class _Hunk:
    """One piece of a diff.

    Attributes:
        start: First line that it is about, from 1.
        old: Lines that must be there.
        new: Lines that take their place.
    """

    start: int
    old: list[str]
    new: list[str]


def from_diff(layer: Layer, given: Mapping[str, str], diff: str | bytes) -> Change:
    """The change that a unified diff makes of what an agent was given.

    Args:
        layer: The package.
        given: As for `collecting.collect`.
        diff: The diff, with or without the first folders "a/" and "b/".

    Returns:
        The change; refused where the diff is too large, no text, binary, or does not fit.
    """
    if len(diff) > MAX_DIFF:
        return Change(refusal=f"the diff has {len(diff)} bytes; at most {MAX_DIFF} are read")
    try:
        text = diff.decode("utf-8") if isinstance(diff, bytes) else diff
        return from_texts(layer, given, _applied(layer, given, text))
    except UnicodeDecodeError:
        return Change(refusal="the diff is not UTF-8")
    except PatchError as error:
        return Change(refusal=f"the diff does not apply: {error}"[:400])


def _applied(layer: Layer, given: Mapping[str, str], diff: str) -> dict[str, str | None]:
    files: dict[str, str | None] = {}
    for source, target, hunks in _files_of(diff):
        path = target if target != _NOTHING else source
        if path.startswith("/") or ".." in path.split("/"):
            raise PatchError(f"it names the path {path[:80]!r}")
        before = files.get(source, given.get(source, text_of(layer, source)))
        if source == _NOTHING:
            if text_of(layer, target) is not None or target in files:
                raise PatchError(f"{target} exists")
            before = ""
        if before is None:
            raise PatchError(f"there is no file {source}")
        after = _with_hunks(before, hunks, path)
        if source not in (_NOTHING, target):
            files[source] = None
        if target != _NOTHING:
            files[target] = after
    if diff.strip() and not files:
        raise PatchError('it names no file; expected lines that begin with "--- " and "+++ "')
    return files


def _files_of(diff: str) -> Iterator[tuple[str, str, list[_Hunk]]]:
    """Each file of a diff: its names before and after, and its hunks."""
    lines = diff.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith(_BINARY):
            raise PatchError("it holds binary content")
        if not line.startswith("--- ") or number + 1 == len(lines) or not lines[number + 1].startswith("+++ "):
            number += 1
            continue
        source, target = _name(line[4:]), _name(lines[number + 1][4:])
        number += 2
        hunks = []
        while number < len(lines) and (found := _HUNK.match(lines[number])):
            hunk, number = _hunk(lines, number + 1, found, target if target != _NOTHING else source)
            hunks.append(hunk)
        if not hunks:
            raise PatchError(f"{target} has no hunk")
        yield source, target, hunks


def _hunk(lines: list[str], number: int, found: re.Match[str], path: str) -> tuple[_Hunk, int]:
    header = number
    num_old, num_new = (int(found[group]) if found[group] is not None else 1 for group in (2, 4))
    old: list[str] = []
    new: list[str] = []
    while number < len(lines) and (len(old) < num_old or len(new) < num_new or lines[number].startswith("\\")):
        mark, text = lines[number][:1], lines[number][1:] + "\n"
        if mark == "\\":  # no newline at the end of the line before
            for side in (old, new):
                is_last = (lines[number - 1][:1] in " -") if side is old else (lines[number - 1][:1] in " +")
                if side and is_last:
                    side[-1] = side[-1].removesuffix("\n")
        elif mark in (" ", "") and (mark or lines[number] == ""):
            old.append(text)
            new.append(text)
        elif mark == "-":
            old.append(text)
        elif mark == "+":
            new.append(text)
        elif mark == "\r":
            raise PatchError(f"line {number + 1} of it ends with CRLF; {_WITH_LF}")
        else:
            break
        number += 1
    if len(old) != num_old or len(new) != num_new:
        num_padded = int(number == len(lines) and lines[-1] == "")  # what follows the last newline is no line
        fault = "cut short" if len(old) <= num_old and len(new) <= num_new else "too long"
        raise PatchError(
            f"the hunk of {path} at line {header} of the diff is {fault}: its header says "
            f"{num_old} lines before and {num_new} after, got {len(old) - num_padded} and {len(new) - num_padded}"
        )
    return _Hunk(int(found[1]), old, new), number


def _with_hunks(text: str, hunks: list[_Hunk], path: str) -> str:
    """The text after the hunks; each must fit, at its line or at one other place alone."""
    lines = lines_of(text)
    shift = 0
    for hunk in hunks:
        at = max(0, hunk.start - 1 if hunk.old else hunk.start) + shift
        if lines[at : at + len(hunk.old)] != hunk.old:
            size = len(hunk.old)
            places = [place for place in range(len(lines) - size + 1) if lines[place : place + size] == hunk.old]
            if len(places) != 1:
                raise PatchError(f"the hunk at line {hunk.start} of {path} fits {_why_not(lines, hunk, at, places)}")
            at = places[0]
        lines[at : at + len(hunk.old)] = hunk.new
        shift += len(hunk.new) - len(hunk.old)
    return "".join(lines)


def _why_not(lines: Sequence[str], hunk: _Hunk, at: int, places: Sequence[int]) -> str:
    """Where a hunk fits instead of at its line, or which of its lines is the first that the file has otherwise."""
    if places:
        return f"at {len(places)} other places, and not there; give its line, or more lines around the change"
    diff_is_crlf, file_is_crlf = (any(line.endswith("\r\n") for line in each) for each in (hunk.old, lines))
    if diff_is_crlf and not file_is_crlf:
        return f"nowhere: the diff has CRLF line ends, and the file has LF; {_WITH_LF}"
    if file_is_crlf and not diff_is_crlf:
        return "nowhere: the file has CRLF line ends, and the diff has LF; keep the line ends of the file in the diff"
    place = _likeliest(lines, hunk.old, at)
    for number, found in enumerate(hunk.old, start=place):
        there = lines[number] if number < len(lines) else "\n"
        if number >= len(lines):
            return f"nowhere: the file has {len(lines)} lines, and the diff has {_shown(found, there)} behind the last"
        if there != found:
            expected, got = _shown(there, found), _shown(found, there)
            return f"nowhere: line {number + 1} of the file is {expected}, and the diff has {got}"
    return "nowhere"


def _likeliest(lines: Sequence[str], wanted: Sequence[str], at: int) -> int:
    """The place at which most lines of a hunk are those of a file; of several the one closest to the hunk's line."""
    places = defaultdict(list)
    for number, line in enumerate(lines):
        places[line].append(number)
    votes = Counter(place - offset for offset, line in enumerate(wanted) for place in places.get(line, [])[:_MAX_ALIKE])
    return max((place for place in votes if place >= 0), key=lambda place: (votes[place], -abs(place - at)), default=at)


def _shown(line: str, other: str) -> str:
    """A line for a message, from a little before the first character that another one has otherwise."""
    if line.endswith("\n") and other.endswith("\n"):
        line, other = line[:-1], other[:-1]
    shorter = min(len(line), len(other))
    num_alike = next((at for at in range(shorter) if line[at] != other[at]), shorter)
    start = max(0, num_alike - _SHOWN_BEFORE) if len(line) > _SHOWN else 0
    cut = line[start : start + _SHOWN]
    return f"{'…' if start else ''}{cut!r}{'…' if start + _SHOWN < len(line) else ''}"


def _name(text: str) -> str:
    name = text.partition("\t")[0].strip()
    return name if name == _NOTHING or name[:2] not in ("a/", "b/") else name[2:]
