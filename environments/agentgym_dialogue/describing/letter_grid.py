"""Square grids of letters: a string of cells, row by row, `-` for an empty one.

What the letters are for is the business of the games.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

EMPTY = "-"
CELL_PIXELS = 8


def lines_of(grid: str, size: int) -> str:
    """The grid as text: a line a row, a space between cells."""
    return "\n".join(" ".join(grid[start : start + size]) for start in range(0, size * size, size))


def picture_of(grids: list[str], size: int) -> NDArray[np.uint8]:
    """Grids side by side, in black on white with grey lines: uint8[H, W, 3]."""
    side, gap = size * CELL_PIXELS + 1, CELL_PIXELS
    pixels = np.full((side + 2 * gap, len(grids) * (side + gap) + gap, 3), 255, np.uint8)
    for number, grid in enumerate(grids):
        left = gap + number * (side + gap)
        filled = np.array([cell != EMPTY for cell in grid]).reshape(size, size)
        area = np.where(np.kron(filled, np.ones((CELL_PIXELS, CELL_PIXELS), bool)), 0, 255).astype(np.uint8)
        part = pixels[gap : gap + side, left : left + side]
        part[:-1, :-1] = area[:, :, None]
        part[::CELL_PIXELS], part[:, ::CELL_PIXELS] = 160, 160
    return pixels
