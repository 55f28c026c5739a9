"""What a point on a picture earns: whether it hits a box, and how near it is to the box's middle.

All functions take single points and whole arrays of them, so an environment and a trainer share one formula.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def hits(x: ArrayLike, y: ArrayLike, box: Sequence[float]) -> NDArray[np.bool_]:
    """Whether points lie in a box.

    Args:
        x: Their columns, of any shape.
        y: Their rows; broadcast with `x`.
        box: First column, first row, width and height.
    """
    x, y, (left, top, width, height) = np.asarray(x), np.asarray(y), box
    found: NDArray[np.bool_] = (x >= left) & (x < left + width) & (y >= top) & (y < top + height)
    return found


def nearness(x: ArrayLike, y: ArrayLike, box: Sequence[float], size: tuple[int, int]) -> NDArray[np.float64]:
    """1 - (d / dmax)^2 for the distance d from points to the middle of a box, and 0 beyond dmax.

    Source: SE-GUI (arXiv:2505.12370). dmax is the distance from the box's middle to the farthest corner of the screen.

    Args:
        x: Their columns, of any shape.
        y: Their rows; broadcast with `x`.
        box: First column, first row, width and height.
        size: Columns and rows of the screen.
    """
    middle_x, middle_y = middle_of(box)
    farthest = np.hypot(max(middle_x, size[0] - 1 - middle_x), max(middle_y, size[1] - 1 - middle_y))
    squared = (np.asarray(x) - middle_x) ** 2 + (np.asarray(y) - middle_y) ** 2
    found: NDArray[np.float64] = np.maximum(1.0 - squared / max(farthest, 1.0) ** 2, 0.0)
    return found


def middle_of(box: Sequence[float]) -> tuple[float, float]:
    """Column and row of the middle of a box, whose last column is one less than its first plus its width."""
    return box[0] + (box[2] - 1) / 2, box[1] + (box[3] - 1) / 2
