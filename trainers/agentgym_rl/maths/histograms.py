"""Histograms as metrics: shares of a few fixed bands, which stay comparable over iterations; the report draws them.

The caller computes means and extremes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

AGES = (1, 2, 4, 8, 16, 32)
"""Edges of the bands of ages in iterations; a band holds its lower edge."""
WEIGHTS = (0.25, 0.5, 0.9, 1.1, 2.0, 4.0)
"""Edges of the bands of importance weights."""


def band_names(edges: Sequence[float | int]) -> list[str]:
    """Names of the bands, from the lowest; there is one more than edges."""
    inner = [_between(low, high) for low, high in itertools.pairwise(edges)]
    first = "0" if isinstance(edges[0], int) and edges[0] == 1 else f"<{edges[0]:g}"
    return [first, *inner, f"{edges[-1]:g}+"]


def histogram_metrics(of: str, values: ArrayLike, edges: Sequence[float | int]) -> dict[str, float]:
    """The share of values in each band, under `OF/histogram/PLACE_BAND`; empty without values.

    Args:
        of: Name of the counted quantity, such as `replay/age`.
        values: Numbers; those that are not finite are left out.
        edges: Ascending.
    """
    flat = np.asarray(values, np.float64).ravel()
    flat = flat[np.isfinite(flat)]
    if not len(flat):
        return {}
    counts = np.bincount(np.searchsorted(np.asarray(edges), flat, side="right"), minlength=len(edges) + 1)
    return named_shares(of, counts / len(flat), edges)


def named_shares(of: str, shares: ArrayLike, edges: Sequence[float | int]) -> dict[str, float]:
    """Shares of bands that were counted elsewhere, under the names of `histogram_metrics`."""
    names = band_names(edges)
    values = np.asarray(shares, np.float64)
    return {f"{of}/histogram/{place}_{name}": float(values[place]) for place, name in enumerate(names)}


def _between(low: float | int, high: float | int) -> str:
    if isinstance(low, int) and isinstance(high, int):
        return f"{low}" if high == low + 1 else f"{low}-{high - 1}"
    return f"{low:g}-{high:g}"
