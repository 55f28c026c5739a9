"""Episode groups: each turn has its whole episode's advantage over the other rollouts of the group (RLOO, GRPO).

It is the part of GiGPO and its relatives that does not distinguish turns. The trainer has further estimators.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.groups.step_groups import Baseline, StepGroups, require_baseline
from agentgym.attribution.steps import Floats, Steps


@dataclass(frozen=True)
class EpisodeGroups(StepFormula):
    """R_i minus the mean return of its group; every rollout counts once, however many turns it has.

    Leave-one-out: Ahmadian et al. 2024, arXiv 2402.14740. Scaled mean: Shao et al. 2024, arXiv 2402.03300. Differs: a
    rollout that is alone, and rollouts of equal return, get exactly 0.
    """

    baseline: Baseline = "leave_one_out"
    """The mean of the other rollouts, or of all."""
    is_scaled: bool = False
    """Whether to divide by the standard deviation of the group."""

    name = "episode_groups"
    yields = "advantages"

    def __post_init__(self) -> None:
        require_baseline("episode_groups.baseline", self.baseline)

    def credit(self, steps: Steps) -> Floats:
        """float64[S], equal for all turns of a trajectory."""
        return episode_advantages(steps, steps.rewards, self.baseline, self.is_scaled)[steps.owner]


def episode_advantages(steps: Steps, rewards: Floats, baseline: Baseline, is_scaled: bool) -> Floats:
    """float64[B], by how much the sum of each trajectory's rewards exceeds those of its group."""
    _, numbers = np.unique(steps.groups, return_inverse=True)
    groups = StepGroups(numbers, np.arange(steps.num_trajectories), one_visit=False)
    return groups.compared(steps.totals(rewards), baseline, is_scaled)
