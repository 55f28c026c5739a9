"""Kinds of mistakes: which tokens of a right program could be another one, as a person may slip.

`TRAINED` kinds are in every split, `UNSEEN` ones in a test stratum alone. Whether a mistake shows is found in
`problem`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from agentgym_swe.patch_line.grammar import SUMS
from agentgym_swe.patch_line.language import COMPARISONS, MAX_CONSTANT, Fix, tokens_of

Slips = Callable[[Sequence[str], int], Iterator[tuple[str, str]]]
"""From the lines and a line's index: a right token of that line, and a wrong one in its place."""


def comparison(lines: Sequence[str], index: int) -> Iterator[tuple[str, str]]:
    """Another comparison."""
    for token in tokens_of(lines[index]):
        if token in COMPARISONS:
            yield from ((token, other) for other in COMPARISONS if other != token)


def arithmetic(lines: Sequence[str], index: int) -> Iterator[tuple[str, str]]:
    """Plus, minus and times for one another, outside the last line."""
    for token in tokens_of(lines[index]):
        if token in ("+", "-", "*") and index < len(lines) - 1:
            yield from ((token, other) for other in ("+", "-", "*") if other != token)


def constant(lines: Sequence[str], index: int) -> Iterator[tuple[str, str]]:
    """A number that is off by one, two or ten."""
    if _is_start(lines[index]):
        return
    for token in tokens_of(lines[index]):
        if token.isdigit():
            near = (int(token) + step for step in (-10, -2, -1, 1, 2, 10))
            yield from ((token, str(other)) for other in near if 0 <= other <= MAX_CONSTANT)


def start(lines: Sequence[str], index: int) -> Iterator[tuple[str, str]]:
    """A sum that starts at another number."""
    if _is_start(lines[index]):
        token = tokens_of(lines[index])[-1]
        yield from ((token, str(other)) for other in range(MAX_CONSTANT + 1) if str(other) != token)


def variable(lines: Sequence[str], index: int) -> Iterator[tuple[str, str]]:
    """An item, a value or the parameter for one another, within a loop."""
    if lines[index].startswith(" " * 8):
        for token in tokens_of(lines[index]):
            if token in ("x", "y", "n"):
                yield from ((token, other) for other in ("x", "y", "n") if other != token)


def boolean(lines: Sequence[str], index: int) -> Iterator[tuple[str, str]]:
    """`and` for `or`, or the other way round."""
    yield from _swaps(lines[index], ("and", "or"))


def division(lines: Sequence[str], index: int) -> Iterator[tuple[str, str]]:
    """The rest for the quotient, or the other way round."""
    yield from _swaps(lines[index], ("%", "//"))


def ending(lines: Sequence[str], index: int) -> Iterator[tuple[str, str]]:
    """Another operator or another sum in the last line."""
    if index == len(lines) - 1:
        for token in tokens_of(lines[index]):
            if token in SUMS:
                yield from ((token, other) for other in (*SUMS, "n") if other != token)
        yield from _swaps(lines[index], ("+", "-"))


TRAINED: Mapping[str, Slips] = {
    "comparison": comparison, "arithmetic": arithmetic, "constant": constant, "start": start, "variable": variable,
}  # fmt: skip
UNSEEN: Mapping[str, Slips] = {"boolean": boolean, "division": division, "ending": ending}
KINDS: Mapping[str, Slips] = {**TRAINED, **UNSEEN}


def slips_of(lines: Sequence[str], kind: str) -> list[Fix]:
    """All mistakes of a kind, as what puts them in; the token must stand in its line once, before and after."""
    found = dict.fromkeys(
        Fix(index + 1, right, wrong)
        for index in range(len(lines))
        for right, wrong in KINDS[kind](lines, index)
        if tokens_of(lines[index]).count(right) == 1 and wrong not in tokens_of(lines[index])
    )
    return list(found)


def _swaps(line: str, pair: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Each token of a pair that stands in the line, and the other one."""
    one, other = pair
    swapped = {one: other, other: one}
    yield from ((token, swapped[token]) for token in tokens_of(line) if token in swapped)


def _is_start(line: str) -> bool:
    return re.fullmatch(r" {4}[pqr] = [0-9]+", line) is not None
