"""Self-imitation: learning again from good episodes of the recent past, judged by the present standard.

This follows SPEAR (Qin et al. 2025, arXiv 2509.22601). Advantages are recalibrated by the median of recent group means,
and only positive ones are replayed. The index does the ageing. Differs: a few episodes are drawn in every iteration,
while the released code collects thousands and then takes them all. Whole episodes are judged, never single rows. An
episode's advantage within its own group does not count, so episodes of a group that always succeeds enter as well.
`covariance` has the mask that keeps entropy, and `options` the ramp of the replayed loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.attribution.groups.baselines import has_spread
from agentgym.errors import CheckpointError, ContractError
from agentgym_rl.replay.draw import Draw, generator_state, require_count, restore_generator
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.tables import ImitationConfig


class UsualReturns:
    """The recent returns of fresh groups; several selectors may share one.

    Args:
        config: How much to remember, and whether deviations count.
    """

    def __init__(self, config: ImitationConfig) -> None:
        self.config = config
        self._means: list[float] = []
        self._deviations: list[float] = []

    def observe(self, returns: NDArray[np.float64]) -> None:
        """Remember the returns float64[G] of a fresh group. Empty groups are skipped.

        The deviation 0 of a group with equal returns is not remembered, because it would be a divisor.

        Raises:
            ContractError: A return is not finite.
        """
        if not np.isfinite(returns).all():
            raise ContractError(f"returns of a group are {returns.tolist()}; expected finite numbers")
        if len(returns):
            self._means.append(float(returns.mean()))
            if has_spread(returns, np.zeros(len(returns), np.int64)).any():
                self._deviations.append(float(returns.std()))
            del self._means[: -self.config.history], self._deviations[: -self.config.history]

    def recalibrated(self, returns: NDArray[np.float64]) -> NDArray[np.float64]:
        """A' = R - P50(group means) [/ P50(group deviations)]; all 0 before any group was observed.

        Deviations are those of groups whose returns differ. Before the first of these, nothing is divided.
        """
        if not self._means:
            return np.zeros(len(returns))
        advantages: NDArray[np.float64] = returns - np.median(self._means)
        if self.config.is_scaled and self._deviations:
            advantages = advantages / float(np.median(self._deviations))
        return advantages

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, as JSON."""
        return {"means": [*self._means], "deviations": [*self._deviations]}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        if "means" not in record or "deviations" not in record:
            raise CheckpointError("the checkpoint's replay was no self-imitation; resume with the same settings")
        self._means, self._deviations = list(record["means"]), list(record["deviations"])


class SelfImitation:
    """Draws episodes that are better than what is usual now.

    Args:
        index: The index to draw from; `max_age` of its bounds is SPEAR's tolerance (5 to 10).
        generator: Makes the draws.
        usual: The usual returns; the collector reports fresh groups to it.
    """

    def __init__(self, index: ReplayIndex, generator: np.random.Generator, usual: UsualReturns) -> None:
        self.index, self.usual = index, usual
        self._generator = generator

    def draw(self, count: int) -> Draw:
        """Draw that many episodes of positive recalibrated advantage, with replacement; none if there is none."""
        require_count(count)
        better = np.flatnonzero(self.usual.recalibrated(self.index.reward) > 0)
        drawn = better[self._generator.integers(0, len(better), count)] if len(better) else better
        return Draw.of(self.index, "episode", drawn)

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, as JSON."""
        return {"rng": generator_state(self._generator), **self.usual.state()}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint; restore the index first."""
        restore_generator(self._generator, record)
        self.usual.restore(record)
