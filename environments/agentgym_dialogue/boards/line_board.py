"""Boards on which marks in a row win, as bits: moves, rows that are complete or lack one mark, and pictures in text.

Whose turn it is and what is said are the business of `line_game`, which move is good that of `line_players`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple


class Marks(NamedTuple):
    """A position: the marks of two players, a bit for each cell.

    Attributes:
        own: Of the one whose move it is.
        other: Of the other.
    """

    own: int
    other: int


@dataclass(frozen=True)
class Board:
    """A board of so many columns and rows.

    Cell (column, row) is bit `column * (rows + 1) + row`, row 0 at the bottom; the bit above each column stays empty,
    so that rows do not run over the edge. A move is the index of a column where marks fall, else that of a cell in
    reading order.

    Attributes:
        columns: Number of columns.
        rows: Number of rows.
        length: Marks in a row that win.
        falls: Whether marks fall to the lowest free cell of a column.
    """

    columns: int
    rows: int
    length: int
    falls: bool

    @property
    def num_moves(self) -> int:
        """How many moves there are on the empty board."""
        return self.columns if self.falls else self.columns * self.rows

    @cached_property
    def full(self) -> int:
        """All cells."""
        return sum(self.cell(column, row) for column in range(self.columns) for row in range(self.rows))

    @cached_property
    def _bottoms(self) -> tuple[int, ...]:
        return tuple(self.cell(column, 0) for column in range(self.columns))

    @cached_property
    def _steps(self) -> tuple[int, ...]:
        return 1, self.rows, self.rows + 1, self.rows + 2

    def cell(self, column: int, row: int) -> int:
        """The bit of a cell."""
        return 1 << (column * (self.rows + 1) + row)

    def bit(self, taken: int, move: int) -> int:
        """The bit that a move marks; 0 where it cannot be made."""
        if self.falls:
            bottom = self._bottoms[move]
            column = ((1 << self.rows) - 1) * bottom
            return (taken & column) + bottom & column
        bit = self.cell(move % self.columns, self.rows - 1 - move // self.columns)
        return bit & ~taken

    def moves(self, taken: int) -> list[tuple[int, int]]:
        """All moves that can be made, each with its bit."""
        return [(move, bit) for move in range(self.num_moves) if (bit := self.bit(taken, move))]

    def has_row(self, marks: int) -> bool:
        """Whether enough marks stand in a row."""
        for step in self._steps:
            run = marks
            for _ in range(self.length - 1):
                run &= run >> step
            if run:
                return True
        return False

    def completing(self, marks: int) -> int:
        """The cells that lack for a row of these marks, marked or not."""
        found, last = 0, self.length - 1
        for step in self._steps:
            above, below = [-1], [-1]  # where so many marks follow in each direction
            for distance in range(step, step * self.length, step):
                above.append(above[-1] & marks >> distance)
                below.append(below[-1] & marks << distance)
            for number in range(self.length):
                found |= above[number] & below[last - number]
        return found & self.full

    def picture(self, first: int, second: int) -> str:
        """The board in text: X and O, a free cell its number where marks do not fall, else a point."""
        return "\n".join(
            " ".join(self._sign(first, second, column, row) for column in range(self.columns))
            for row in reversed(range(self.rows))
        )

    def read(self, lines: Sequence[str]) -> tuple[int, int]:
        """The inverse of `picture`, given its lines."""
        first = second = 0
        for row, line in zip(reversed(range(self.rows)), lines, strict=True):
            for column, sign in enumerate(line.split()):
                first |= self.cell(column, row) * (sign == "X")
                second |= self.cell(column, row) * (sign == "O")
        return first, second

    def _sign(self, first: int, second: int, column: int, row: int) -> str:
        bit = self.cell(column, row)
        if first & bit:
            return "X"
        if second & bit:
            return "O"
        return "." if self.falls else str((self.rows - 1 - row) * self.columns + column + 1)


@cache
def board_of(columns: int, rows: int, length: int, falls: bool) -> Board:
    """The board of this size, always the same one."""
    return Board(columns, rows, length, falls)
