"""Success bands: tasks that are solved sometimes teach more than those that are solved always or never.

The estimate of a task is a mean with a prior, over episodes that count less the older they are.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from agentgym.errors import CheckpointError
from agentgym.task import Task
from agentgym_rl.core.config.curriculum import BandConfig
from agentgym_rl.core.part_state import PartState
from agentgym_rl.curricula.plan import Result

_FORGOTTEN = 1e-3


class SuccessBands:
    """Estimates of each task's success, and draws from those within the band.

    With s successes in n episodes, each counting 2^(-age / half_life), and the prior's k episodes at the middle m:
    p = (s + k m) / (n + k).

    Args:
        config: The band.
        tasks: The train tasks.
    """

    def __init__(self, config: BandConfig, tasks: Sequence[Task]) -> None:
        self.config, self.tasks = config, tasks
        self._place = {task.id: place for place, task in enumerate(tasks)}
        self._successes, self._attempts = np.zeros(len(tasks)), np.zeros(len(tasks))

    def draw(self, rng: random.Random, busy: Collection[str]) -> Task | None:
        """A seen task within the band that is not in flight; None where all tasks are to be explored, or none is."""
        if rng.random() < self.config.explore:
            return None
        chosen = [self.tasks[place] for place in np.flatnonzero(self.is_in_band).tolist()]
        chosen = [task for task in chosen if task.id not in busy]
        return rng.choice(chosen) if chosen else None

    def record(self, result: Result) -> None:
        """Take up what a group came to; tasks with help, and those of no suite, say nothing."""
        place = self._place.get(result.plan.task.id)
        if place is not None and result.plan.is_plain:
            self._successes[place] += result.successes
            self._attempts[place] += result.attempts

    def grow_old(self) -> None:
        """An iteration has passed."""
        factor = 0.5 ** (1.0 / self.config.half_life)
        self._successes *= factor
        self._attempts *= factor

    @property
    def estimates(self) -> NDArray[np.float64]:
        """float64[tasks]: success in [0, 1]; the band's middle for unseen tasks."""
        prior = self.config.prior
        estimates: NDArray[np.float64] = (self._successes + prior * self.config.middle) / (self._attempts + prior)
        return estimates

    @property
    def is_seen(self) -> NDArray[np.bool_]:
        """bool[tasks]: whether an episode of it is remembered."""
        return self._attempts > _FORGOTTEN

    @property
    def is_in_band(self) -> NDArray[np.bool_]:
        """bool[tasks]: seen, and of an estimate within the band."""
        estimates = self.estimates
        return self.is_seen & (self.config.low <= estimates) & (estimates <= self.config.high)

    def state(self) -> PartState:
        """The estimates."""
        counts = np.stack([self._successes, self._attempts])
        return PartState({"tasks": len(self.tasks)}, {"band_counts": torch.from_numpy(counts)})

    def restore(self, state: PartState) -> None:
        """Go on from estimates.

        Raises:
            CheckpointError: They are of other tasks.
        """
        counts = state.tensors["band_counts"].numpy()
        if counts.shape != (2, len(self.tasks)):
            raise CheckpointError(
                f"the checkpoint holds estimates of {counts.shape[-1]} tasks, the suite has {len(self.tasks)} to train "
                "on; resume with the suite that the run was started with"
            )
        self._successes, self._attempts = counts[0].copy(), counts[1].copy()
