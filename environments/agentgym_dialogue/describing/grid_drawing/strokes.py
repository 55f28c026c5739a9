"""Strokes: a letter in a cell, a row, a column or all of a grid; drawn, said, and read from free text.

Which strokes make a task is drawn in `generate` and `game`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentgym_dialogue.describing.grid_talk import in_digits
from agentgym_dialogue.describing.letter_grid import EMPTY

LETTERS = "ABC"
"""Letters of which drawings made from a seed consist."""

_CLAUSE = re.compile(r"[.;!\n]|\bthen\b")
_LETTER = re.compile(r"(?<![A-Za-z0-9])[A-Z](?![A-Za-z0-9'])")
_PLACE = re.compile(r"\brow (\d)(?: column (\d))?\b|\bcolumn (\d)(?: row (\d))?\b|\b(?:all|every|whole)\b")
_CLEARING = re.compile(r"\b(?:clear|erase|empty)\b")


class Stroke(NamedTuple):
    """A letter, or nothing, for all cells of a row, a column, one cell (both given) or the grid (neither); from 0."""

    row: int | None
    column: int | None
    letter: str

    def on(self, grid: str, size: int) -> str:
        """The grid with it drawn."""
        return "".join(
            self.letter if self.row in (None, index // size) and self.column in (None, index % size) else cell
            for index, cell in enumerate(grid)
        )

    def words(self) -> str:
        """It as an instruction, such as `Fill row 2 with A`."""
        if self.row is not None and self.column is not None:
            return f"Put {self.letter} in row {self.row + 1} column {self.column + 1}"
        if self.row is None and self.column is None:
            return f"Fill all with {self.letter}"
        line = f"row {self.row + 1}" if self.row is not None else f"column {(self.column or 0) + 1}"
        return f"Fill {line} with {self.letter}"


def drawn(strokes: Iterable[Stroke], size: int) -> str:
    """The grid that strokes make, one over the other."""
    grid = EMPTY * (size * size)
    for stroke in strokes:
        grid = stroke.on(grid, size)
    return grid


def seen_strokes(strokes: Sequence[Stroke], size: int) -> set[int]:
    """The places, among the strokes, of those without which another grid would be drawn."""
    found = set()
    for index in range(size * size):
        row, column = divmod(index, size)
        over = [place for place, (y, x, _) in enumerate(strokes) if y in (None, row) and x in (None, column)]
        below = strokes[over[-2]].letter if len(over) > 1 else EMPTY
        if over and strokes[over[-1]].letter != below:
            found.add(over[-1])
    return found


def read_strokes(text: str, size: int) -> list[Stroke]:
    """The strokes that a text asks for, clause by clause: each place in one gets its letter, a capital one."""
    found: list[Stroke] = []
    for clause in _CLAUSE.split(text):
        plain = in_digits(clause, size)
        letters = set(_LETTER.findall(clause))
        letter = EMPTY if _CLEARING.search(plain) else letters.pop() if len(letters) == 1 else ""
        if letter:
            found += [Stroke(*place, letter) for match in _PLACE.finditer(plain) for place in [_place(match)]]
    return [stroke for stroke in found if (stroke.row or 0) in range(size) and (stroke.column or 0) in range(size)]


def _place(match: re.Match[str]) -> tuple[int | None, int | None]:
    row, column = match[1] or match[4], match[2] or match[3]
    return (int(row) - 1 if row else None), (int(column) - 1 if column else None)
