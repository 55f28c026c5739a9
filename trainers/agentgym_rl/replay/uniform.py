"""Uniform replay: every turn, or every episode, is as likely as any other.

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
        index: Where from.
        generator: Of the draws; its own, so that nothing else moves them.
        unit: What one entry is.
    """

    def __init__(self, index: ReplayIndex, generator: np.random.Generator, unit: Unit = "turn") -> None:
        self.index, self.unit = index, unit
        self._generator = generator

    def draw(self, count: int) -> Draw:
        """So many entries.

        Raises:
            ContractError: The index is empty.
        """
        require_count(count)
        size = self.index.require_entries(self.unit)
        return Draw.of(self.index, self.unit, self._generator.integers(0, size, count))

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps, as JSON."""
        return {"rng": generator_state(self._generator)}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        restore_generator(self._generator, record)
