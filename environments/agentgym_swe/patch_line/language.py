"""The small part of Python that programs of PatchLine-v0 are written in: their tokens, and how one is replaced.

Running them is in `running`, drawing them in `grammar`.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agentgym.python_source import parse

ARITHMETIC = ("+", "-", "*", "//", "%")
COMPARISONS = (">", "<", ">=", "<=", "==", "!=")
BOOLEAN = ("and", "or")
NAMES = ("a", "n", "x", "y", "p", "q", "r")
MAX_CONSTANT = 20
CONSTANTS = tuple(map(str, range(MAX_CONSTANT + 1)))
VOCABULARY = (*ARITHMETIC, *COMPARISONS, *BOOLEAN, *NAMES, *CONSTANTS)
"""The closed vocabulary: every token that a fix may put in."""
MAX_LINES = 20
MAX_LINE = 80
INDENT = "    "

SIGNS: Mapping[str, str] = {
    "more than": ">", "less than": "<", "at least": ">=", "at most": "<=", "equal to": "==", "other than": "!=",
    "plus": "+", "minus": "-", "times": "*", "over": "//", "modulo": "%", "gains": "+", "loses": "-",
}  # fmt: skip
"""Words of statements, and the token that each of them means; other tokens stand for themselves."""
_SAYING = re.compile(rf"\b(?:{'|'.join(SIGNS)}|and|or|[nxypqr]|[0-9]+)\b")
_PART = re.compile(r"[^.:;,]*(?:[.:;,] ?|$)")
_TURNED = re.compile("(.+)( if y is .*)")
_TOKEN = re.compile(r"[0-9]+|[a-z]+|//|[<>=!]=|[-+*%<>=():,]")
_EXPRESSIONS = (
    ast.BinOp, ast.BoolOp, ast.Compare, ast.Name, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod,
    ast.And, ast.Or, ast.Gt, ast.Lt, ast.GtE, ast.LtE, ast.Eq, ast.NotEq, ast.Load, ast.Store,
)  # fmt: skip
_STATEMENTS = (ast.FunctionDef, ast.arguments, ast.arg, ast.Assign, ast.For, ast.If, ast.Return)
_ALLOWED = frozenset({*_EXPRESSIONS, *_STATEMENTS})


class Fix(NamedTuple):
    """One token of one line, and what it is to be.

    Attributes:
        line: Number of the line, from 1.
        old: The token that stands there.
        new: The token that is to stand there.
    """

    line: int
    old: str
    new: str


class ProgramError(ValueError):
    """A text is no program of this language, or a fix does not fit one; says why."""


def tokens_of(line: str) -> list[str]:
    """The tokens of a line."""
    return _TOKEN.findall(line)


def apply_fix(lines: Sequence[str], fix: Fix) -> list[str]:
    """The lines with one token replaced.

    Raises:
        ProgramError: The line does not exist, the old token does not stand in it exactly once, the new one is not of
            the vocabulary, or nothing would change.
    """
    if not 1 <= fix.line <= len(lines):
        raise ProgramError(f"There is no line {fix.line}; the program has {len(lines)} lines.")
    if fix.new not in VOCABULARY:
        raise ProgramError(f"{fix.new[:20]!r} is no token that may be put in.")
    line = lines[fix.line - 1]
    places = [found.span() for found in _TOKEN.finditer(line) if found[0] == fix.old]
    if len(places) != 1:
        raise ProgramError(f"{fix.old[:20]!r} stands {len(places)} times in line {fix.line}; it must stand there once.")
    if fix.old == fix.new:
        raise ProgramError("The old and the new token are the same.")
    start, end = places[0]
    return [*lines[: fix.line - 1], line[:start] + fix.new + line[end:], *lines[fix.line :]]


def read_program(lines: Sequence[str]) -> ast.FunctionDef:
    """The program as a tree that holds nothing but the allowed nodes; it is read, not executed.

    Raises:
        ProgramError: It is no program of this language.
    """
    if not 0 < len(lines) <= MAX_LINES or any(len(line) > MAX_LINE or not _is_plain(line) for line in lines):
        raise ProgramError(f"The program must have 1 to {MAX_LINES} lines of known tokens.")
    try:
        body = parse("\n".join(lines)).body
    except SyntaxError as error:
        raise ProgramError(f"Line {error.lineno} cannot be read.") from None
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name != "f":
        raise ProgramError("The program must be one function f.")
    for node in ast.walk(body[0]):
        if type(node) not in _ALLOWED:
            raise ProgramError(f"Line {getattr(node, 'lineno', 1)} is not allowed.")
        if isinstance(node, ast.Assign | ast.For) and not isinstance(_target(node), ast.Name):
            raise ProgramError(f"Line {node.lineno} cannot be read.")
        if isinstance(node, ast.FunctionDef) and (node is not body[0] or not _takes_names(node)):
            raise ProgramError(f"Line {node.lineno} is not allowed.")
    return body[0]


def numbered(lines: Sequence[str]) -> str:
    """The program as an agent sees it: a number before each line."""
    return "\n".join(f"{number}: {line}" for number, line in enumerate(lines, start=1))


def marked(lines: Sequence[str]) -> list[str]:
    """The lines with the place before each token that a fix may mend, such as `#1 p = #2 5`.

    Places are counted from 1 over the whole program. The first line and the heads of loops have none.
    """
    places = itertools.count(1)

    def mark(found: re.Match[str]) -> str:
        return f"#{next(places)} {found[0]}" if found[0] in VOCABULARY else found[0]

    return [line if is_head(line) else _TOKEN.sub(mark, line) for line in lines]


def linked(statement: str, lines: Sequence[str]) -> str:
    """A statement with the place before each word that says which token stands there: `@3 p @5 gains @6 x`.

    Where the name of a sum stands twice in `p = p + x`, the statement says it once, and has the first place.

    Raises:
        ProgramError: The statement does not go through the program part by part, as those of `grammar` do.
    """
    counted = itertools.count(1)
    tokens = [[token for token in tokens_of(line) if token in VOCABULARY] for line in lines if not is_head(line)]
    places = iter([[next(counted) for _ in line] for line in tokens if line])

    def link(part: str) -> str:
        if (turned := _TURNED.fullmatch(part)) is not None:  # the program asks first
            test = link(turned[2])
            return link(turned[1]) + test
        words = _SAYING.findall(part)
        if not words or part.startswith("For each"):
            return part
        its = next(places, [])
        if "gains" in words or "loses" in words:
            its = its[:1] + its[2:]
        if len(its) != len(words):
            raise ProgramError(f"The part {part[:60]!r} of the statement does not fit its line of the program.")
        following = iter(its)
        return _SAYING.sub(lambda word: f"@{next(following)} {word[0]}", part)

    told = "".join(link(part) for part in _PART.findall(statement))
    if next(places, None) is not None:
        raise ProgramError("The statement says less than the program has.")
    return told


def is_head(line: str) -> bool:
    """Whether a line begins the function or a loop."""
    return tokens_of(line)[0] in ("def", "for")


def _is_plain(line: str) -> bool:
    """Whether a line has nothing but tokens and spaces."""
    return not _TOKEN.sub("", line).strip(" ")


def _target(node: ast.Assign | ast.For) -> ast.expr | None:
    if isinstance(node, ast.For):
        return node.target
    return node.targets[0] if len(node.targets) == 1 else None


def _takes_names(function: ast.FunctionDef) -> bool:
    """Whether a function has plain parameters alone."""
    given = function.args
    return not (given.defaults or given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs)
