"""Group baselines: the means and deviations of groups of values, with and without one of their members.

This is the only place that computes them, for step groups here and for whole rollouts in a trainer. Which values share
a group, and what an advantage is made of, is the caller's work.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agentgym.attribution.steps import Bools, Floats, Ints

STD_EPS = 1e-4
"""Added to a standard deviation before dividing by it; the value of TRL's GRPO."""
TOLERANCE = 1e-6
"""Values closer than this, relative to the larger of 1 and the largest |value|, are equal: their credit is 0."""


@dataclass(frozen=True)
class Baselines:
    """What the values of each group come to.

    Attributes:
        values: float64[N], the members of all M groups.
        ids: int64[N], the group of each member, numbered from 0 without gaps.
        weights: float64[N] of at least 0, how much each member counts; None: once each.
    """

    values: Floats
    ids: Ints
    weights: Floats | None = None

    @cached_property
    def sizes(self) -> Ints:
        """int64[M], members of each group."""
        return np.bincount(self.ids)

    @cached_property
    def means(self) -> Floats:
        """float64[M], the weighted mean of each group; the plain one where all of its weights are 0."""
        plain = np.bincount(self.ids, self.values) / self.sizes
        if self.weights is None:
            return plain
        sums = np.bincount(self.ids, self.weights * self.values)
        return np.divide(sums, self._totals, out=plain, where=self._totals > 0)

    @cached_property
    def deviations(self) -> Floats:
        """float64[M], the standard deviation of each group; 0 for a group of one.

        It is unbiased: sqrt(sum w (v - mean)^2 / (V1 - V2 / V1)) with V1 = sum w and V2 = sum w^2, where V1 - V2 / V1
        is n - 1 for equal weights of 1.
        """
        squares = np.square(self.values - self.means[self.ids])
        if self.weights is None:
            return np.sqrt(np.bincount(self.ids, squares) / np.maximum(self.sizes - 1, 1))
        totals, variances = self._totals, np.zeros(len(self.sizes))
        freedom = np.zeros(len(totals))
        np.divide(np.bincount(self.ids, np.square(self.weights)), totals, out=freedom, where=totals > 0)
        freedom = totals - freedom
        sums = np.bincount(self.ids, self.weights * squares)
        np.divide(sums, freedom, out=variances, where=(freedom > 0) & (self.sizes > 1))
        return np.sqrt(variances)

    def means_without(self, members: Ints) -> Floats:
        """The mean of a group without one of its members.

        Args:
            members: int64[K], which member is left out, each of its own group.

        Returns:
            float64[K]; the member's own value where nothing else of its group counts.
        """
        values, ids = self.values[members], self.ids[members]
        weights = np.ones(len(members)) if self.weights is None else self.weights[members]
        others = self._totals[ids] - weights
        share = np.divide(weights, others, out=np.zeros(len(members)), where=others > 0)
        means = self.means[ids]
        without: Floats = np.where(others > 0, means + share * (means - values), values)
        return without

    @cached_property
    def _totals(self) -> Floats:
        weights = np.ones(len(self.ids)) if self.weights is None else self.weights
        return np.bincount(self.ids, weights).astype(np.float64, copy=False)


def has_spread(values: Floats, ids: Ints, tolerance: float = TOLERANCE) -> Bools:
    """Whether the values of each group differ.

    Args:
        values: float64[N].
        ids: int64[N], the group of each value, numbered from 0 without gaps.
        tolerance: Values closer than this, relative to the larger of 1 and the largest |value| of the group, are equal.

    Returns:
        bool[M].
    """
    if not len(values):
        return np.zeros(0, np.bool_)
    order = np.argsort(ids, kind="stable")
    starts = np.flatnonzero(np.diff(ids[order], prepend=-1))
    high = np.maximum.reduceat(values[order], starts)
    low = np.minimum.reduceat(values[order], starts)
    differs: Bools = high - low > tolerance * np.maximum(1.0, np.maximum(np.abs(high), np.abs(low)))
    return differs
