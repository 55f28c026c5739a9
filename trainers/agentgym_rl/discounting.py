"""The one backward recursion that returns-to-go and generalised advantages share.

Not here: what is summed (gae.py, reinforce_pp.py).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64


def discounted_suffix_sums(terms: Float64[np.ndarray, " T"], factor: float) -> Float64[np.ndarray, " T"]:
    """S_k = terms_k + factor * S_{k+1}, with S after the end being 0; an empty input gives an empty output."""
    if factor == 1.0:
        return np.cumsum(terms[::-1])[::-1].copy()
    sums = np.empty_like(terms)
    total = 0.0
    for k in range(len(terms) - 1, -1, -1):
        total = float(terms[k]) + factor * total
        sums[k] = total
    return sums
