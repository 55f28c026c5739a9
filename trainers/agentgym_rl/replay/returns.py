"""Replay weighted by trajectory return: good episodes are drawn more often, and all of their turns with them.

The weight of episode i is exp(g_i / temperature), with g its return scaled to [0, 1] over the buffer (Hong et al. 2023,
arXiv 2306.13085, eq. 8, return weighting); when turns are drawn, each turn has the weight of its episode. Nothing
corrects for the weighting, because it is meant to change the distribution to learn from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.attribution.groups.baselines import Baselines
from agentgym.errors import ConfigError
from agentgym_rl.replay.draw import Draw, generator_state, require_count, restore_generator
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.tables import Unit


class ReturnWeightedReplay:
    """Draws episodes, or their turns, by weight of return, with replacement.

    Args:
        index: The index to draw from.
        generator: Makes the draws.
        temperature: Low is greedy; high is uniform.
        unit: The unit of an entry: a turn or an episode.

    Raises:
        ConfigError: The temperature is not above 0.01, where weights would overflow.
    """

    def __init__(
        self, index: ReplayIndex, generator: np.random.Generator, temperature: float = 0.1, unit: Unit = "episode"
    ) -> None:
        if not temperature >= 0.01:
            raise ConfigError(f"replay.temperature is {temperature}; expected at least 0.01")
        self.index, self.unit, self.temperature = index, unit, temperature
        self._generator = generator
        self._sums, self._generation = np.zeros(0), -1

    def draw(self, count: int) -> Draw:
        """Draw that many entries.

        Raises:
            ContractError: The index is empty.
        """
        require_count(count)
        size = self.index.require_entries(self.unit)
        if self._generation != self.index.generation:
            weights = return_weights(self.index.reward, self.temperature)
            if self.unit == "turn":
                weights = np.repeat(weights, np.diff(self.index.starts))
            self._sums, self._generation = np.cumsum(weights), self.index.generation
        masses = self._generator.random(count) * self._sums[-1]
        found = np.searchsorted(self._sums, masses, side="right")
        return Draw.of(self.index, self.unit, np.minimum(found, size - 1))

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, as JSON."""
        return {"rng": generator_state(self._generator)}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint; restore the index first."""
        restore_generator(self._generator, record)
        self._generation = -1


def return_weights(returns: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """exp((g - 1) / temperature), with g the returns scaled to [0, 1]; equal returns weigh 1 each."""
    span = returns.max() - returns.min()
    if span == 0:
        return np.ones(len(returns))
    weights: NDArray[np.float64] = np.exp(((returns - returns.min()) / span - 1.0) / temperature)
    return weights


def task_advantages(index: ReplayIndex, entries: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[n]: the return of each drawn episode less the mean return of all its task and role's in the index."""
    _, ids = np.unique(index.task, return_inverse=True)
    advantages: NDArray[np.float64] = index.reward - Baselines(index.reward, ids).means[ids]
    return advantages[entries]
