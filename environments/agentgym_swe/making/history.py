"""Functions of an older release, put back into the newer one where only their behaviour differs.

An edit holds the words that differ and nothing else of a function.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentgym_swe.making.candidates import Candidate, Sources
from agentgym_swe.making.operators.table import HISTORY
from agentgym_swe.making.source import Function, SourceFile, is_docstring
from agentgym_swe.repositories.edit import Edit

MAX_TEXT = 100
"""Characters of the older release that the edits of one function may put in."""
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True)
class _Span:
    """A function's lines, from its first statement behind the docstring to its last."""

    start: int
    end: int
    text: str


def older_functions(sources: Sources, older: Mapping[str, bytes]) -> Iterator[Candidate]:
    """Candidates made of an older release.

    Args:
        sources: The newer release.
        older: Contents of the older one's files by path.
    """
    for name in sources.names:
        content = older.get(name)
        if content is None:
            continue
        try:
            new, old = sources.file(name), SourceFile(name, content.decode("utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        before = {_qualified(old, function): function for function in old.functions}
        for function in new.functions:
            qualified = _qualified(new, function)
            if qualified in before:
                yield from _restored(sources, new, function, old, before[qualified])


def is_interface_fault(kind: str, message: str) -> bool:
    """Whether an error says that an older function no longer fits the newer release around it."""
    if kind in ("NameError", "UnboundLocalError", "AttributeError", "ImportError", "ModuleNotFoundError"):
        return True
    return kind == "TypeError" and ("argument" in message or "unexpected keyword" in message)


def _restored(
    sources: Sources, new: SourceFile, function: Function, old: SourceFile, before: Function
) -> Iterator[Candidate]:
    """The candidate that puts one older body in place, where both take the same arguments."""
    if ast.dump(function.args) != ast.dump(before.args) or function.col_offset != before.col_offset:
        return
    if _meaning(function) == _meaning(before):
        return
    one, other = _body(new, function), _body(old, before)
    if one is None or other is None:
        return
    edits = tuple(_hunks(new.file, one, other))
    if not edits or sum(len(edit.text) for edit in edits) > MAX_TEXT:
        return
    lines = tuple(range(function.body[0].lineno, (function.end_lineno or function.lineno) + 1))
    qualified = f"{sources.module(new.file)}.{_qualified(new, function)}"
    yield Candidate(HISTORY, edits, (qualified,), ((new.file, lines),), True)


def _hunks(file: str, new: _Span, old: _Span) -> Iterator[Edit]:
    """Edits of what differs: lines that go or come, and words of lines that change; no comment comes."""
    ours, theirs = new.text.splitlines(keepends=True), old.text.splitlines(keepends=True)
    for start, end, lines in _differences(ours, theirs):
        at = new.start + sum(map(len, ours[:start]))
        text = "".join(line for line in lines if not line.lstrip().startswith("#"))
        words = _WORD.findall("".join(ours[start:end]))
        for first, last, others in _differences(words, _WORD.findall(text)):
            begin = at + sum(map(len, words[:first]))
            yield Edit(file, begin, begin + sum(map(len, words[first:last])), "".join(others))


def _differences(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Where pieces of ours differ, and theirs in their place."""
    for tag, start, end, first, last in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            yield start, end, theirs[first:last]


def _body(source: SourceFile, function: Function) -> _Span | None:
    body = function.body[1:] if is_docstring(function.body[0]) else function.body
    if not body:
        return None
    start, end = source.span(body[0])[0], source.span(body[-1])[1]
    start = source.text.rfind("\n", 0, start) + 1
    end = source.text.find("\n", end) + 1 or len(source.text)
    return _Span(start, end, source.text[start:end])


def _meaning(function: Function) -> str:
    """A body without its docstring and annotations of variables, for comparison."""
    body = function.body[1:] if is_docstring(function.body[0]) else function.body
    return "\n".join(ast.dump(each) for each in body)


def _qualified(source: SourceFile, function: Function) -> str:
    return source.place(function.body[0]).function
