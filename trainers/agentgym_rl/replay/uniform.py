"""Uniform replay: all turns, or all episodes, are equally likely.

Other distributions are in `prioritised` and `returns`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from agentgym_rl.replay.draw import Draw, generator_state, require_count, restore_generator
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.tables import Unit


class UniformReplay:
    """Draws uniformly with replacement.

    Args:
        index: The index to draw from.
        generator: Makes the draws; used for nothing else, so that nothing else changes them.
        unit: The unit of an entry: a turn or an episode.
    """

    def __init__(self, index: ReplayIndex, generator: np.random.Generator, unit: Unit = "turn") -> None:
        self.index, self.unit = index, unit
        self._generator = generator

    def draw(self, count: int) -> Draw:
        """Draw that many entries.

        Raises:
            ContractError: The index is empty.
        """
        require_count(count)
        size = self.index.require_entries(self.unit)
        return Draw.of(self.index, self.unit, self._generator.integers(0, size, count))

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, as JSON."""
        return {"rng": generator_state(self._generator)}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        restore_generator(self._generator, record)
