"""How alike two texts or two grey pictures are, by the definitions that OSWorld's metrics use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Grey = npt.NDArray[np.float64]
WINDOW = 7
"""Side of the square within which pictures are compared."""


def ratio(first: Sequence[Any], second: Sequence[Any]) -> float:
    """Twice the length of the longest common subsequence by the sum of both lengths; 1 for two empty texts.

    Source: the normalised Indel similarity, computed with one bit a character (Hyyro, 2004, "Bit-parallel LCS-length
    computation revisited").
    """
    if not first and not second:
        return 1.0
    places: dict[Any, int] = {}
    for index, item in enumerate(first):
        places[item] = places.get(item, 0) | 1 << index
    full = (1 << len(first)) - 1
    row = full
    for item in second:
        matched = row & places.get(item, 0)
        row = ((row + matched) | (row - matched)) & full
    return 2 * (len(first) - row.bit_count()) / (len(first) + len(second))


def structural_similarity(first: Grey, second: Grey) -> float:
    """The mean structural similarity of two grey pictures of one size, values from 0 to 255.

    Source: Wang et al. 2004, "Image quality assessment", with a uniform window of 7 pixels, sample covariance, K1 = .01
    and K2 = .03, over the windows that lie within the picture whole.

    Args:
        first: Height by width, at least 7 by 7.
        second: The same.
    """
    count = WINDOW * WINDOW
    one, other = _means(first), _means(second)
    unbiased = count / (count - 1)
    variance = unbiased * (_means(first * first) - one * one)
    other_variance = unbiased * (_means(second * second) - other * other)
    covariance = unbiased * (_means(first * second) - one * other)
    light, contrast = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    above = (2 * one * other + light) * (2 * covariance + contrast)
    below = (one * one + other * other + light) * (variance + other_variance + contrast)
    return float((above / below).mean())


def _means(values: Grey) -> Grey:
    """The mean of each whole window."""
    sums = np.zeros((values.shape[0] + 1, values.shape[1] + 1))
    sums[1:, 1:] = values.cumsum(axis=0).cumsum(axis=1)
    windows = sums[WINDOW:, WINDOW:] - sums[:-WINDOW, WINDOW:] - sums[WINDOW:, :-WINDOW] + sums[:-WINDOW, :-WINDOW]
    return windows / (WINDOW * WINDOW)
