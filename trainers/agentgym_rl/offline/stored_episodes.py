"""The graded training episodes of stored runs, drawn whole; tokens stay on the disk until then.

Not here: which runs may be learnt from (agentgym_rl.replay.admission).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import CheckpointError, ConfigError
from agentgym.trajectory import Trajectory
from agentgym_rl.core.part_state import PartState
from agentgym_rl.replay.draw import generator_state, restore_generator
from agentgym_rl.replay.index import ReplayIndex


class StoredEpisodes:
    """Draws episodes uniformly with replacement; all of them, or those of high return.

    Args:
        indices: One a run, filled; their stores are closed with this.
        seed: Of the draws.
        quantile: Of all returns, that a drawn episode's return reaches at least; 0: all are drawn.

    Raises:
        ConfigError: There is nothing to learn from, or all returns are alike and a quantile is asked for.
    """

    def __init__(self, indices: Sequence[ReplayIndex], seed: int, quantile: float = 0.0) -> None:
        self.indices = tuple(indices)
        if not self.indices:
            raise ConfigError("there is no run to learn from; name some in algorithm.replay.runs")
        returns = np.concatenate([index.reward for index in self.indices])
        self.total, self._chosen = len(returns), np.flatnonzero(best(returns, quantile))
        self._first = np.cumsum([0, *(index.num_episodes for index in self.indices)])
        self._generator = np.random.default_rng(seed)

    @property
    def num_episodes(self) -> int:
        """How many can be drawn."""
        return len(self._chosen)

    def metrics(self) -> dict[str, float]:
        """For the log: how many can be drawn, and how many exceed the capacity that was set."""
        left_out = sum(index.left_out for index in self.indices)
        return {"offline/episodes": float(self.num_episodes), "offline/left_out": float(left_out)}

    def draw(self, count: int) -> list[Trajectory]:
        """So many episodes, run by run, each a copy of its own."""
        found: list[Trajectory] = []
        entries = np.sort(self._chosen[self._generator.integers(0, len(self._chosen), count)])
        for index, first, end in zip(self.indices, self._first[:-1], self._first[1:], strict=True):
            mine = entries[(entries >= first) & (entries < end)] - first
            found += index.store.numbered(index.number[mine].tolist())
        return found

    def close(self) -> None:
        """Close the runs; twice is harmless."""
        for index in self.indices:
            index.store.close()

    def state(self) -> PartState:
        """Where the draws stand, and among how many episodes."""
        return PartState({"rng": generator_state(self._generator), "episodes": self.total})

    def restore(self, state: PartState) -> None:
        """Go on from a state.

        Raises:
            CheckpointError: It is of something else, or the runs hold other episodes than they did.
        """
        if state.record.get("episodes") != self.total:
            raise CheckpointError(
                f"the checkpoint learnt from {state.record.get('episodes')} stored episodes, of which algorithm.replay."
                f"runs hold {self.total} now; resume with the runs as they were, or start anew in another folder"
            )
        restore_generator(self._generator, state.record)


def best(returns: NDArray[np.float64], quantile: float) -> NDArray[np.bool_]:
    """Which returns reach a quantile of all; where the lowest one does, those that are above it.

    Raises:
        ConfigError: None is above it.
    """
    threshold = float(np.quantile(returns, quantile))
    if not quantile or threshold > returns.min():
        return returns >= threshold
    if returns.max() == returns.min():
        raise ConfigError(
            f"algorithm.quantile is {quantile:g}, but all {len(returns)} episodes return {threshold:g}, so none is "
            "better than another; learn from all (algorithm.quantile = 0), or from other runs"
        )
    return returns > threshold
