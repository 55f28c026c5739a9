"""Prioritised replay: entries are drawn in proportion to how much they surprised, or to what they returned.

P(i) = p_i^alpha / sum_j p_j^alpha and w_i = (1 / (N P(i)))^beta / max_j w_j, with p_i = |value_i| + floor: the
proportional variant of Schaul et al. 2016, arXiv 1511.05952, eq. 1 and section 3.4. Differs: w is divided by the
largest of the draw, not of the buffer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import CheckpointError, ContractError
from agentgym_rl.replay.draw import Draw, generator_state, require_count, restore_generator
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.sum_tree import SumTree
from agentgym_rl.replay.tables import PriorityConfig, Unit


class PrioritisedReplay:
    """Draws in proportion to priorities, one from each of so many equal shares of their sum.

    New entries get the highest priority so far, so that each is likely to be drawn once.

    Args:
        index: The index to draw from; it keeps the priorities of each unit, for one selector.
        generator: Makes the draws.
        config: How priorities become probabilities.
        unit: The unit of an entry: a turn or an episode.
    """

    def __init__(
        self, index: ReplayIndex, generator: np.random.Generator, config: PriorityConfig, unit: Unit = "turn"
    ) -> None:
        self.index, self.unit, self.config = index, unit, config
        self._generator = generator
        self._highest = 1.0
        self._tree = SumTree(np.zeros(0))
        self._generation = -1

    def draw(self, count: int) -> Draw:
        """Draw that many entries with their importance weights.

        Raises:
            ContractError: The index is empty.
        """
        require_count(count)
        size = self.index.require_entries(self.unit)
        tree = self._current_tree()
        shares = (np.arange(count) + self._generator.random(count)) / count
        entries = tree.find(shares * tree.total)
        probabilities = tree.weights(entries) / tree.total
        weights = (size * probabilities) ** -self.config.beta
        return Draw.of(self.index, self.unit, entries, weights / weights.max())

    def update(self, draw: Draw, values: NDArray[np.float64]) -> None:
        """Set the priorities of drawn entries.

        Args:
            draw: As this selector gave it.
            values: float64[n], the TD error or advantage of each; their sign does not matter.

        Raises:
            ContractError: The index was refreshed since, the draw is of another selector, a value is no finite
                number, or priorities are by return.
        """
        if self.config.by == "return":
            raise ContractError("priorities by return are those of the episodes; nothing may set them")
        if draw.index is not self.index or draw.unit != self.unit:
            raise ContractError(
                f"these are entries of another buffer, or of {draw.unit}s where priorities are of {self.unit}s; hand "
                "each draw to the selector that gave it"
            )
        draw.require_current()
        magnitudes = np.abs(np.asarray(values, np.float64)) + self.config.floor
        if len(magnitudes) != len(draw.entries) or not np.isfinite(magnitudes).all():
            raise ContractError(
                f"{len(draw.entries)} entries got {len(magnitudes)} values of {self.config.by}, "
                f"{int((~np.isfinite(magnitudes)).sum())} of them no finite number; expected one finite value each"
            )
        tree = self._current_tree()
        self._priorities()[draw.entries] = magnitudes
        self._highest = max(self._highest, float(magnitudes.max()))
        tree.update(draw.entries, magnitudes**self.config.alpha)

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, as JSON; the priorities are in the state of the index."""
        return {"rng": generator_state(self._generator), "highest": self._highest}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint; restore the index first."""
        restore_generator(self._generator, record)
        if "highest" not in record:
            raise CheckpointError("the checkpoint's replay selector was not prioritised; resume with the same settings")
        self._highest, self._generation = float(record["highest"]), -1

    def _priorities(self) -> NDArray[np.float64]:
        return self.index.turn_priority if self.unit == "turn" else self.index.episode_priority

    def _filled(self) -> NDArray[np.float64]:
        if self.config.by != "return":
            return self._priorities()
        returns = self.index.reward - self.index.reward.min() + self.config.floor
        return returns if self.unit == "episode" else np.repeat(returns, np.diff(self.index.starts))

    def _current_tree(self) -> SumTree:
        if self._generation != self.index.generation:
            priorities = self._priorities()
            priorities[np.isnan(priorities)] = self._highest
            if self.index.size(self.unit):
                self._tree = SumTree(self._filled() ** self.config.alpha)
            self._generation = self.index.generation
        return self._tree
