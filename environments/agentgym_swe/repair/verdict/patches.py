"""Unified diffs applied on the harness's side, exactly and without guessing; what does not fit is said.

The result goes to the judge by the same rules as an agent's folder; see `collecting`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentgym_swe.diffs import lines_of
from agentgym_swe.repair.verdict.collecting import Change, from_texts, why_not
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
_NO_HUNK = 'has no hunk; expected one that begins like "@@ -3,4 +3,5 @@"'
_SIGNATURE = ("-- ", "--")
"""What `git format-patch` writes behind the last hunk."""


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


@dataclass(frozen=True)
class _FileDiff:
    """What a diff says of one file.

    Attributes:
        source: Its path before.
        target: Its path after.
        hunks: What changes in it.
        is_copy: Whether the file of the path before stays.
    """

    source: str
    target: str
    hunks: Sequence[_Hunk] = ()
    is_copy: bool = False


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
        return Change(refusal=f"the diff has {len(diff)} characters; at most {MAX_DIFF} are read")
    try:
        text = diff.decode("utf-8") if isinstance(diff, bytes) else diff
        text.encode("utf-8")  # JSON may hold lone surrogates
        return from_texts(layer, given, _applied(layer, given, text))
    except UnicodeError:
        return Change(refusal="the diff is not UTF-8")
    except PatchError as error:
        return Change(refusal=f"the diff does not apply: {error}"[:400])


def _applied(layer: Layer, given: Mapping[str, str], diff: str) -> dict[str, str | None]:
    files: dict[str, str | None] = {}
    for each in _files_of(diff):
        for path in (each.source, each.target):
            if path != _NOTHING and (path.startswith("/") or ".." in path.split("/")):
                raise PatchError(f"it names the path {path[:80]!r}; expected paths below the folder of the package")
        after = "" if _is_left_out(layer, each) else _after(layer, given, files, each)
        if each.source not in (_NOTHING, each.target) and not each.is_copy:
            files[each.source] = None
        if each.target != _NOTHING:
            files[each.target] = after
    if diff.strip() and not files:
        raise PatchError('it names no file; expected lines that begin with "--- " and "+++ "')
    return files


def _is_left_out(layer: Layer, each: _FileDiff) -> bool:
    """Whether a file does not travel, so that its hunks need not fit: an agent may have got another text of it."""
    is_known = not each.hunks or each.source == _NOTHING or text_of(layer, each.source) is not None
    return is_known and each.target != _NOTHING and bool(why_not(layer, each.target))


def _after(layer: Layer, given: Mapping[str, str], files: Mapping[str, str | None], each: _FileDiff) -> str:
    """The text of a file behind its hunks."""
    before = files.get(each.source, given.get(each.source, text_of(layer, each.source)))
    if each.source == _NOTHING:
        if text_of(layer, each.target) is not None or each.target in files:
            raise PatchError(f"{each.target} exists")
        before = ""
    if before is None:
        raise PatchError(f"there is no file {each.source}")
    return _with_hunks(before, each.hunks, each.target if each.target != _NOTHING else each.source)


def _files_of(diff: str) -> Iterator[_FileDiff]:
    """Each file of a diff: its names before and after, and its hunks."""
    lines = diff.split("\n")
    head: list[str] = []  # what git says of a file before its hunks
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith(_BINARY):
            raise PatchError("it holds binary content")
        if not _is_names(lines, number):
            if line.startswith("diff --git "):
                yield from _without_hunks(head)
                head = []
            if head or line.startswith("diff --git "):
                head.append(line)
            number += 1
            continue
        source, target = _name(line[4:]), _name(lines[number + 1][4:])
        hunks, number = _hunks(lines, number + 2, target if target != _NOTHING else source)
        yield _FileDiff(source, target, hunks, is_copy=any(each.startswith("copy from ") for each in head))
        head = []
    yield from _without_hunks(head)


def _is_names(lines: Sequence[str], number: int) -> bool:
    """Whether this line and the next name a file."""
    return lines[number].startswith("--- ") and number + 1 < len(lines) and lines[number + 1].startswith("+++ ")


def _without_hunks(head: Sequence[str]) -> Iterator[_FileDiff]:
    """What git says of a file that has no hunk: it is renamed, copied, empty, or has another mode."""
    if not head:
        return
    both = head[0].removeprefix("diff --git ").rstrip("\r")
    source = target = _name(both[: len(both) // 2])
    kinds = {}
    for line in head[1:]:
        for key in ("rename from ", "rename to ", "copy from ", "copy to ", "new file ", "deleted file ", "new mode "):
            if line.startswith(key):
                kinds[key] = line.removeprefix(key).strip()
    for verb in ("rename", "copy"):
        if f"{verb} from " in kinds and f"{verb} to " in kinds:
            source, target = kinds[f"{verb} from "], kinds[f"{verb} to "]
    if "new file " in kinds:
        source = _NOTHING
    elif "deleted file " in kinds:
        target = _NOTHING
    elif not kinds:
        raise PatchError(f"{target} {_NO_HUNK}")
    yield _FileDiff(source, target, is_copy="copy from " in kinds)


def _hunks(lines: list[str], number: int, path: str) -> tuple[list[_Hunk], int]:
    """The hunks of one file, and the number of the line behind them."""
    hunks: list[_Hunk] = []
    while number < len(lines) and (found := _HUNK.match(lines[number])):
        header = number
        hunk, number = _hunk(lines, number + 1, found, path)
        hunks.append(hunk)
        if number < len(lines) and lines[number][:1] in ("+", "-", " ") and not _is_behind(lines, number):
            raise PatchError(
                f"the hunk of {path} at line {header + 1} of the diff is too long: its header says {len(hunk.old)} "
                f"lines before and {len(hunk.new)} after, and {_shown(lines[number], '')} follows"
            )
    if not hunks:
        raise PatchError(f"{path} {_NO_HUNK}")
    return hunks, number


def _is_behind(lines: Sequence[str], number: int) -> bool:
    """Whether a line that begins like one of a hunk is behind it: names of the next file, or a signature."""
    return _is_names(lines, number) or lines[number] in _SIGNATURE


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


def _with_hunks(text: str, hunks: Sequence[_Hunk], path: str) -> str:
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
    return name if name == _NOTHING or name[:2] not in ("a/", "b/", "./") else name[2:]
