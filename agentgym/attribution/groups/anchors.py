"""Anchors: turns of a group's rollouts in the same state are compared by the rewards that followed (GiGPO).

The comparison of whole episodes, which GiGPO adds, is `episode_groups`: "episode_groups+anchors" is GiGPO.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.groups.step_groups import Baseline, GroupSizes, StepGroups, group_sizes, require_baseline
from agentgym.attribution.steps import Floats, Steps, require_discount, returns_to_go


@dataclass(frozen=True)
class Anchors(StepFormula):
    """G_t minus the mean G of the group's turns in the same state; G_t = r_t + gamma G_{t+1}.

    Feng et al. 2025, arXiv 2505.10978. Differs: states are the environment's own keys, which include what an
    observation hides. Baselines leave the rollout itself out, and count every rollout once in a state that it visits
    several times, because its visits share their future.
    """

    gamma: float = 0.95
    """Discount of a turn."""
    baseline: Baseline = "leave_one_out"
    """The mean of the other rollouts in that state, or of all."""
    one_visit: bool = True
    """Whether a rollout enters the baseline of a state only with its first visit."""
    is_scaled: bool = False
    """Whether to divide by the standard deviation in that state."""

    name = "anchors"
    yields = "advantages"

    def __post_init__(self) -> None:
        require_discount("anchors.gamma", self.gamma)
        require_baseline("anchors.baseline", self.baseline)

    def credit(self, steps: Steps) -> Floats:
        """float64[S]; 0 for a turn in a state that no other rollout was in.

        Raises:
            ConfigError: Anchors were not recorded.
        """
        groups = StepGroups.by_anchor(steps, self.name, self.one_visit)
        returns = returns_to_go(steps.rewards, steps.pieces, self.gamma)
        return groups.compared(returns, self.baseline, self.is_scaled)

    def sizes(self, steps: Steps) -> GroupSizes:
        """How many turns can be compared with others.

        Raises:
            ConfigError: Anchors were not recorded.
        """
        return group_sizes(StepGroups.by_anchor(steps, self.name, self.one_visit))
