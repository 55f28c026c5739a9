"""Turn groups: turn rewards and outcomes are compared separately within the group, then added (general MT-GRPO).

The method `anchors` compares turns by the rewards that followed instead of their own rewards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.groups.episode_groups import episode_advantages
from agentgym.attribution.groups.step_groups import Baseline, GroupSizes, StepGroups, group_sizes, require_baseline
from agentgym.attribution.shaping.gated import require_parts
from agentgym.attribution.steps import Floats, Steps, require_discount, returns_to_go
from agentgym.errors import ConfigError


@dataclass(frozen=True)
class TurnGroups(StepFormula):
    """A_t = turn_weight * sum over t' >= t of (gamma lambda)^(t'-t) (r_t' - b_t') + A^O.

    b is the mean reward of the group's turns at the same place, or in the same state; A^O compares the totals of the
    outcome components. MT-GRPO, Zeng et al. 2025, arXiv 2505.11821, is the case of two turns. Differs: any number of
    turns, whose bounds come from the record; a turn that cannot be compared with another adds 0.
    """

    outcome: tuple[str, ...] = ("success",)
    """Components of the reward that are the outcome; all others are turn rewards."""
    turn_weight: float = 1.0
    """Weight of the turn rewards."""
    gamma: float = 1.0
    """Discount of a turn."""
    lambda_: float = 1.0
    """How far the rewards of later turns reach back: with 0, each turn has only its own reward."""
    by: Literal["turn", "anchor"] = "turn"
    """Whether turns at the same place or in the same state are compared."""
    baseline: Baseline = "leave_one_out"
    """The mean of the others, or of all."""
    is_scaled: bool = False
    """Whether to divide both parts by their standard deviations."""

    name = "turn_groups"
    yields = "advantages"

    def __post_init__(self) -> None:
        require_discount("turn_groups.gamma", self.gamma)
        require_discount("turn_groups.lambda", self.lambda_)
        require_baseline("turn_groups.baseline", self.baseline)
        if self.by not in ("turn", "anchor"):
            raise ConfigError(f"turn_groups.by is {self.by!r}; expected 'turn' or 'anchor'")

    def credit(self, steps: Steps) -> Floats:
        """float64[S].

        Raises:
            ConfigError: An outcome component is not declared, or anchors are asked for and not recorded.
        """
        parts = require_parts(steps, self.name, self.outcome)
        outcome = sum((parts[component] for component in self.outcome), np.zeros(len(steps.rewards)))
        lesser = [part for component, part in parts.items() if component not in self.outcome]
        turn_rewards = sum(lesser, np.zeros(len(steps.rewards)))
        above = self._groups(steps).compared(turn_rewards, self.baseline, self.is_scaled)
        turns = returns_to_go(above, steps.pieces, self.gamma * self.lambda_)
        episodes = episode_advantages(steps, outcome, self.baseline, self.is_scaled)
        return self.turn_weight * turns + episodes[steps.owner]

    def sizes(self, steps: Steps) -> GroupSizes:
        """How many turns can be compared with others.

        Raises:
            ConfigError: Anchors are asked for and not recorded.
        """
        return group_sizes(self._groups(steps))

    def _groups(self, steps: Steps) -> StepGroups:
        if self.by == "anchor":
            return StepGroups.by_anchor(steps, self.name, one_visit=True)
        return StepGroups.by_turn(steps)
