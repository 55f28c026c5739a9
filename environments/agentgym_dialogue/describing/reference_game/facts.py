"""What can be said of a grid: how many cells of a cell, row, column or all hold an X; said, and read from free text.

Which facts are said is the affair of the players.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from agentgym_dialogue.describing.grid_talk import in_digits

X = "X"

_CELL = re.compile(r"row (\d) (?:and )?column (\d) (?:is |has |holds )*(?:an? )?(x|filled|empty)\b")
_LINE = re.compile(r"(row|column) (\d) (?:is|has|holds) (?:all |only )?(full|filled|empty|no|\d+)(?: xs?)?\b")
_ALL = re.compile(r"(\d+) xs? in all\b")
_MARK = re.compile(r"(?<!\S)[x-](?!\S)")


class Fact(NamedTuple):
    """So many cells hold an X: of one row, one column, one cell (both given), or of all (neither); from 0."""

    row: int | None
    column: int | None
    number: int

    def words(self, size: int) -> str:
        """The fact in words, such as `row 2 is full`."""
        if self.row is None and self.column is None:
            return f"{self.number} {X} in all"
        if self.row is not None and self.column is not None:
            return f"row {self.row + 1} column {self.column + 1} is {X if self.number else 'empty'}"
        line = f"column {self.column + 1}" if self.row is None else f"row {self.row + 1}"  # type: ignore[operator]
        if self.number in (0, size):
            return f"{line} is {'full' if self.number else 'empty'}"
        return f"{line} has {self.number} {X}"

    def holds(self, grid: str, size: int) -> bool:
        """Whether it is true of a grid."""
        return count_in(grid, size, self.row, self.column) == self.number


def count_in(grid: str, size: int, row: int | None, column: int | None) -> int:
    """How many cells hold an X, of a row, a column, a cell or all."""
    cells = grid if row is None else grid[row * size : (row + 1) * size]
    return cells.count(X) if column is None else cells[column::size].count(X)


@cache
def regions(size: int) -> tuple[tuple[int | None, int | None], ...]:
    """All that a fact may be about: cells, rows, columns and the whole, as row and column."""
    lines: list[int | None] = [*range(size), None]
    return tuple((row, column) for row in lines for column in lines)


def facts_of(grid: str, size: int) -> Iterator[Fact]:
    """All facts of a grid."""
    return (Fact(row, column, count_in(grid, size, row, column)) for row, column in regions(size))


def read_facts(text: str, size: int) -> list[Fact]:
    """The facts that a text states, in usual wordings; what it says besides is passed over."""
    marks = _MARK.findall(text.lower())
    if len(marks) == size * size:
        return [Fact(*divmod(index, size), int(mark == "x")) for index, mark in enumerate(marks)]
    plain = in_digits(text, size)
    cells = [Fact(int(row) - 1, int(column) - 1, int(what != "empty")) for row, column, what in _CELL.findall(plain)]
    lines = [_line_fact(kind, where, what, size) for kind, where, what in _LINE.findall(_CELL.sub(" ", plain))]
    wholes = [Fact(None, None, int(count)) for count in _ALL.findall(plain)]
    found = [*cells, *lines, *wholes]
    return [fact for fact in found if (fact.row or 0) in range(size) and (fact.column or 0) in range(size)]


def _line_fact(kind: str, number: str, what: str, size: int) -> Fact:
    named = {"full": size, "filled": size, "empty": 0, "no": 0}
    count = named[what] if what in named else int(what)
    return Fact(int(number) - 1, None, count) if kind == "row" else Fact(None, int(number) - 1, count)


def fits(facts: Sequence[Fact], grid: str, size: int) -> int:
    """How many of the facts are true of a grid."""
    return sum(fact.holds(grid, size) for fact in facts)
