"""Draws of selectors: entries of an index with the weights of their draw; and the parts that all selectors share.

The selectors are `uniform`, `prioritised`, `returns` and `imitation`, and `across_runs` over several of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import CheckpointError, ConfigError, ContractError
from agentgym_rl.maths.histograms import AGES, histogram_metrics
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.tables import Unit


@dataclass(frozen=True)
class Draw:
    """Entries that were drawn, with replacement.

    Attributes:
        index: The index of the entries.
        unit: The unit of an entry: a turn or an episode.
        entries: int64[n].
        weights: float64[n] in (0, 1], corrections for how the entries were drawn; 1 if none is wanted.
        generation: Generation of the index at the draw; entries of an older generation have moved.
    """

    index: ReplayIndex
    unit: Unit
    entries: NDArray[np.int64]
    weights: NDArray[np.float64]
    generation: int

    @classmethod
    def of(
        cls, index: ReplayIndex, unit: Unit, entries: NDArray[np.int64], weights: NDArray[np.float64] | None = None
    ) -> Draw:
        """A draw from the present index; weights are 1 unless given."""
        given = np.ones(len(entries)) if weights is None else weights
        return cls(index, unit, entries.astype(np.int64), given, index.generation)

    def require_current(self) -> None:
        """Refuse entries that have moved.

        Raises:
            ContractError: The index was refreshed since the draw.
        """
        if self.generation != self.index.generation:
            raise ContractError(
                "these entries were drawn before the replay buffer was refreshed and have moved; read them, and set "
                "their priorities, before the next refresh"
            )

    def episodes(self) -> NDArray[np.int64]:
        """int64[n]: the episode of each entry, as an entry of the index."""
        return self.entries if self.unit == "episode" else self.index.episode_of(self.entries)

    def lags(self) -> NDArray[np.int64]:
        """int64[n]: versions by which the weights that sampled each entry lie behind, the oldest of an episode's."""
        return self.index.turn_lags(self.entries) if self.unit == "turn" else self.index.lags()[self.entries]

    def ages(self) -> NDArray[np.int64]:
        """int64[n]: iterations since each entry was collected."""
        return self.index.ages()[self.episodes()]

    def metrics(self) -> dict[str, float]:
        """Metrics of how stale the draw is: lag in versions, age in iterations, share without log-probabilities."""
        if not len(self.entries):
            return {}
        lags, ages, episodes = self.lags(), self.ages(), self.episodes()
        return {
            "replay/lag_mean": float(lags.mean()),
            "replay/lag_max": float(lags.max()),
            "replay/age_mean": float(ages.mean()),
            "replay/age_max": float(ages.max()),
            "replay/return": float(self.index.reward[episodes].mean()),
            "replay/derived_share": float(self.index.is_derived[episodes].mean()),
            "replay/distinct_share": len(np.unique(self.entries)) / len(self.entries),
        } | histogram_metrics("replay/age", ages, AGES)


class Selector(Protocol):
    """Draws entries of one index."""

    index: ReplayIndex

    def draw(self, count: int) -> Draw:
        """Draw that many entries, with replacement."""
        ...

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, as JSON."""
        ...

    def restore(self, record: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        ...


def require_count(count: int) -> None:
    """Refuse draws of nothing.

    Raises:
        ConfigError: The count is below 1.
    """
    if count < 1:
        raise ConfigError(f"{count} entries were asked for; expected at least 1")


def generator_state(generator: np.random.Generator) -> dict[str, Any]:
    """The state of a generator as JSON values."""
    return dict(generator.bit_generator.state)


def restore_generator(generator: np.random.Generator, record: Mapping[str, Any]) -> None:
    """Set a generator to a state of `generator_state`, found under "rng".

    Raises:
        CheckpointError: There is no state, or it is from another kind of generator.
    """
    try:
        generator.bit_generator.state = record["rng"]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"the checkpoint's state of a replay selector cannot be used: {error}; resume from another checkpoint"
        ) from error
