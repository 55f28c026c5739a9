"""Replay across runs: a share of every draw comes from earlier runs of the same suite and tokenizer.

This is the mixture of Tirumala et al. 2023, arXiv 2311.15951 (RaE), whose share is one half. `admission` opens those
runs read-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.errors import CheckpointError, ConfigError
from agentgym_rl.replay.draw import Draw, Selector, generator_state, require_count, restore_generator


class ReplayAcrossRuns:
    """Draws from a run and from further ones.

    Args:
        own: Selector of the present run.
        others: Selectors of further runs, which are equally likely.
        generator: Chooses between runs.
        share: Share of a draw that comes from the further runs; all of it while the present run has no entries.

    Raises:
        ConfigError: There is no further run, or the share is not in [0, 1].
    """

    def __init__(
        self, own: Selector, others: Sequence[Selector], generator: np.random.Generator, share: float = 0.5
    ) -> None:
        if not others:
            raise ConfigError("replay across runs has no further run; name one, or replay the present run alone")
        if not 0 <= share <= 1:
            raise ConfigError(f"the share of further runs is {share}; expected a number in [0, 1]")
        self.own, self.others, self.share = own, list(others), share
        self._generator = generator

    def draw(self, count: int) -> list[Draw]:
        """Draw that many entries in total from the chosen runs, those of the present run first."""
        require_count(count)
        num_others = count if not self.own.index.num_turns else round(count * self.share)
        chosen = np.bincount(self._generator.integers(0, len(self.others), num_others), minlength=len(self.others))
        draws = [self.own.draw(count - num_others)] if num_others < count else []
        return draws + [other.draw(int(size)) for other, size in zip(self.others, chosen, strict=True) if size]

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, as JSON; the states of the indices are stored separately."""
        selectors = [selector.state() for selector in (self.own, *self.others)]
        return {"rng": generator_state(self._generator), "samplers": selectors}

    def restore(self, record: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint; restore the indices first."""
        restore_generator(self._generator, record)
        selectors = record.get("samplers", [])
        if len(selectors) != 1 + len(self.others):
            raise CheckpointError(
                f"the checkpoint replays {len(selectors)} runs, expected {1 + len(self.others)}; resume with the same "
                "runs"
            )
        for selector, found in zip((self.own, *self.others), selectors, strict=True):
            selector.restore(found)
