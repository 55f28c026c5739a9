"""Mazes: three fixed ones, generated ones, and how far their cells are apart.

What an agent is told of a maze is in `env`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache

from agentgym_dialogue.navigation.shortest_path import distances_from

Cell = tuple[int, int]
"""Row and column, both from 1."""
Rows = tuple[str, ...]
"""A maze: a text a row, `.` for a cell that can be entered; everything outside is wall."""

MOVES: Mapping[str, Cell] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
LOOPS = 0.15
"""Share of a generated maze's inner walls that are opened again, so that there is more than one way."""

FIXED: Mapping[str, Rows] = {
    "tees": (
        ".........",
        "####.####",
        "####.####",
        ".........",
        ".###.###.",
        ".###.###.",
        "...#.#...",
    ),
    "horseshoe": (
        ".......",
        ".#####.",
        ".#####.",
        ".#####.",
        "...#...",
    ),
    "comb": (
        ".........",
        ".#.#.#.#.",
        ".#.#.#.#.",
        ".#.#.#.#.",
        "...#...#.",
    ),
}
"""Mazes that an agent can come to know by heart, by name."""


def open_cells(rows: Rows) -> list[Cell]:
    """All cells that can be entered."""
    return [(i, j) for i, row in enumerate(rows, 1) for j, mark in enumerate(row, 1) if mark == "."]


def is_open(rows: Rows, cell: Cell) -> bool:
    """Whether a cell can be entered."""
    row, column = cell
    return 0 < row <= len(rows) and 0 < column <= len(rows[0]) and rows[row - 1][column - 1] == "."


def moved(rows: Rows, cell: Cell, direction: str) -> Cell:
    """Where one stands after a move: against a wall, where one stood."""
    step = MOVES[direction]
    other = (cell[0] + step[0], cell[1] + step[1])
    return other if is_open(rows, other) else cell


def walls(rows: Rows, cell: Cell) -> list[str]:
    """The directions in which there is a wall beside a cell."""
    return [direction for direction in MOVES if moved(rows, cell, direction) == cell]


@lru_cache(maxsize=4096)
def distances(rows: Rows, goal: Cell) -> Mapping[Cell, int]:
    """Fewest moves to the goal from each cell that leads there."""
    return distances_from(goal, lambda cell: [moved(rows, cell, direction) for direction in MOVES])


def generated(size: int, rng: random.Random) -> Rows:
    """A maze of `size` rows and columns: a random tree of passages with some walls opened again.

    Args:
        size: Odd, at least 3.
        rng: Where the draws come from.
    """
    grid = [["#"] * size for _ in range(size)]
    cell = (0, 0)
    grid[0][0] = "."
    path = [cell]
    while path:
        row, column = path[-1]
        ways = [(i, j) for i, j in MOVES.values() if _is_solid(grid, row + 2 * i, column + 2 * j)]
        if not ways:
            path.pop()
            continue
        i, j = rng.choice(ways)
        grid[row + i][column + j] = grid[row + 2 * i][column + 2 * j] = "."
        path.append((row + 2 * i, column + 2 * j))
    inner = [(i, j) for i in range(size) for j in range(size) if (i + j) % 2 and grid[i][j] == "#"]
    for i, j in rng.sample(inner, round(LOOPS * len(inner))):
        grid[i][j] = "."
    return tuple("".join(row) for row in grid)


def _is_solid(grid: Sequence[Sequence[str]], row: int, column: int) -> bool:
    return 0 <= row < len(grid) and 0 <= column < len(grid) and grid[row][column] == "#"
