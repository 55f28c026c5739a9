"""A binary tree of sums over weights: drawing and changing entries in O(log n), for many entries at once.

`prioritised` gives the weights their meaning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import ContractError


class SumTree:
    """Weights whose running sums can be searched.

    Every node is the sum of its two children, for any order of changes. Therefore a tree that is rebuilt from the same
    weights is equal to the last bit.

    Args:
        weights: float64[n], finite, at least 0.

    Raises:
        ContractError: A weight is negative or no finite number.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        _require_weights(weights)
        self._size = len(weights)
        self._first_leaf = 1 << max(0, (self._size - 1).bit_length())
        self._nodes = np.zeros(2 * self._first_leaf)
        self._nodes[self._first_leaf : self._first_leaf + self._size] = weights
        low = self._first_leaf
        while low > 1:
            children = self._nodes[low : 2 * low]
            self._nodes[low // 2 : low] = children[0::2] + children[1::2]
            low //= 2

    @property
    def total(self) -> float:
        """Sum of all weights."""
        return float(self._nodes[1])

    def weights(self, entries: NDArray[np.int64]) -> NDArray[np.float64]:
        """The weights of entries."""
        found: NDArray[np.float64] = self._nodes[self._first_leaf + entries]
        return found

    def find(self, masses: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each mass, the first entry whose cumulative weight exceeds it; never an entry of weight 0.

        Args:
            masses: float64[k] in [0, total).

        Raises:
            ContractError: All weights are 0.
        """
        if self.total <= 0:
            raise ContractError("nothing can be drawn: all weights are 0; raise the smallest priority")
        nodes = np.ones(len(masses), np.int64)
        left_over = masses.astype(np.float64)
        for _ in range(self._first_leaf.bit_length() - 1):
            left = 2 * nodes
            left_sums = self._nodes[left]
            # Rounding may leave a mass at or beyond the last weight: an empty side is never entered.
            goes_right = ((left_over >= left_sums) & (self._nodes[left + 1] > 0)) | (left_sums <= 0)
            left_over = np.where(goes_right, left_over - left_sums, left_over)
            nodes = left + goes_right
        return nodes - self._first_leaf

    def update(self, entries: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Change weights; if an entry is given twice, its last weight holds.

        Raises:
            ContractError: A weight is negative or no finite number.
        """
        _require_weights(weights)
        nodes = self._first_leaf + entries
        self._nodes[nodes] = weights
        nodes = np.unique(nodes)
        while len(nodes) and nodes[0] > 1:
            nodes = np.unique(nodes >> 1)
            self._nodes[nodes] = self._nodes[2 * nodes] + self._nodes[2 * nodes + 1]


def _require_weights(weights: NDArray[np.float64]) -> None:
    is_bad = ~(np.isfinite(weights) & (weights >= 0))
    if is_bad.any():
        raise ContractError(
            f"{int(is_bad.sum())} of {len(weights)} weights are negative or no finite number, the first is "
            f"{weights[np.flatnonzero(is_bad)[0]]}; expected finite numbers of at least 0"
        )
