"""Cells of a spreadsheet: its canvas says nothing about them, so their boxes are read from the lines of its grid.

Cells of lists and trees are elements of their own, and are not read here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agentgym_gui.actions.events import Box
from agentgym_gui.grounding.scenes import Item

ROLE = "cell"
_MAX_START = 250
"""Pixels of a grid's border that the selected first cell may hide."""
_MAX_GAP = 80
"""Pixels without a line after which a grid has ended."""
_SHARE_OF_LINE = 0.6
_MIN_SIDE = 6
Colours = NDArray[np.uint8]


def cells_of(pixels: Colours, items: Sequence[Item]) -> tuple[Item, ...]:
    """The cells of a sheet that begins with A1.

    Args:
        pixels: The screen, uint8[H, W, 3].
        items: What is on it; the corner between the headings is a drawing area.
    """
    corners = [each.box for each in items if each.role == "drawing area" and not each.name]
    return tuple(cell for corner in corners for cell in _sheet(pixels, corner))


def column_name(number: int) -> str:
    """The letters of a column, "A" being that of 0."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _sheet(pixels: Colours, corner: Box) -> list[Item]:
    left, top = corner.x + corner.width, corner.y + corner.height
    height, width = pixels.shape[:2]
    if left >= width or top >= height:
        return []
    edge = pixels[top:, left].astype(np.int64) @ (65536, 256, 1)
    values, counts = np.unique(edge, return_counts=True)
    line = int(values[counts.argmax()])
    codes = pixels[top:, left:].astype(np.int64) @ (65536, 256, 1)
    is_line = codes == line
    bottom, right = _reach(is_line[:, 0]), _reach(is_line[0])
    if bottom < _MIN_SIDE or right < _MIN_SIDE:
        return []
    grid = is_line[: bottom + 1, : right + 1]
    columns = np.flatnonzero(grid.mean(axis=0) > _SHARE_OF_LINE)
    rows = np.flatnonzero(grid.mean(axis=1) > _SHARE_OF_LINE)
    return [
        Item(
            ROLE,
            f"{column_name(column)}{row + 1}",
            Box(left + int(x) + 1, top + int(y) + 1, int(x_end - x) - 1, int(y_end - y) - 1),
        )
        for row, (y, y_end) in enumerate(pairwise(rows))
        for column, (x, x_end) in enumerate(pairwise(columns))
        if x_end - x > _MIN_SIDE and y_end - y > _MIN_SIDE
    ]


def _reach(is_line: NDArray[np.bool_]) -> int:
    """How far a border goes on, gaps of a selection included."""
    at = np.flatnonzero(is_line)
    if len(at) == 0 or at[0] > _MAX_START:
        return 0
    ends = np.flatnonzero(np.diff(at) > _MAX_GAP)
    return int(at[ends[0]] if len(ends) else at[-1])
