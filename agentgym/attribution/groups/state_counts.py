"""State counts: a bonus for reaching states that the rollouts of a group rarely reach, which fades during the run.

Visits are counted within the group; a memory across iterations would make credit depend on earlier iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, Self

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.groups.step_groups import StepGroups, numbered_pairs
from agentgym.attribution.shaping.schedule import Schedule
from agentgym.attribution.steps import NO_ANCHOR, Floats, Ints, Steps
from agentgym.errors import ConfigError


@dataclass(frozen=True)
class StateCounts(StepFormula):
    """r_t + weight / sqrt(N(s_{t+1})), N counting the turns of the group taken in that state.

    Strehl and Littman 2008 (MBIE-EB); Bellemare et al. 2016, arXiv 1606.01868. The last turn of an episode gets no
    bonus, because no turn is taken in the state after it. A turn that leads to a state without a key gets none either.
    """

    weight: Schedule = field(default_factory=Schedule)
    """The bonus of a state that was reached once, by iteration."""
    of: Literal["anchor", "progress"] = "anchor"
    """What identifies a state: its key, or its progress."""
    resolution: float = 0.01
    """The step of progress that counts as one state."""

    name = "state_counts"

    def __post_init__(self) -> None:
        if self.of not in ("anchor", "progress") or not self.resolution > 0:
            raise ConfigError(
                f"state_counts needs of = 'anchor' or 'progress' and resolution > 0: got {self.of!r}, {self.resolution}"
            )

    def at(self, iteration: int) -> Self:
        """With the bonus of then."""
        return replace(self, weight=self.weight.held(iteration))

    def credit(self, steps: Steps) -> Floats:
        """float64[S], with the bonus of iteration 0 unless `at` says another.

        Raises:
            ConfigError: Anchors, or progress, were not recorded.
        """
        states = self._states(steps)
        reached = np.ones(len(states), np.bool_)
        reached[steps.last] = False
        if self.of == "anchor" and steps.anchors is not None:
            reached[:-1] &= steps.anchors[1:] != NO_ANCHOR
        counts = np.bincount(states)[states]
        bonus = np.zeros(len(states))
        bonus[:-1] = 1.0 / np.sqrt(counts[1:])
        return steps.rewards + self.weight.at(0) * bonus * reached

    def _states(self, steps: Steps) -> Ints:
        if self.of == "anchor":
            return StepGroups.by_anchor(steps, self.name, one_visit=False).ids
        if steps.progress is None or not np.isfinite(steps.progress).all():
            raise ConfigError(
                "state_counts of progress needs the progress of every state, which is not in the record; collect with "
                "rollout.record_progress = true from an environment whose progress() says something"
            )
        levels = np.round(steps.progress / self.resolution).astype(np.int64)
        return numbered_pairs(steps.groups[steps.owner], levels - levels.min(initial=0))
