"""Gated: lesser rewards count only if every more important one reached its threshold.

The environment declares the components of its reward.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError

_SLACK = 1e-9
"""How much rounding may take from a total that is exactly at its threshold."""


@dataclass(frozen=True)
class Gated(StepFormula):
    """Gated reward accumulation with several priorities: Sun et al. 2025, arXiv 2508.10548.

    A component counts in an episode if the episode's total of each component before it in `priorities` reaches that
    component's threshold. Components that are not named come last. It looks at the whole episode, so it is not for a
    critic that bootstraps while the episode runs. Critic and policy use the same gated rewards.
    """

    priorities: tuple[str, ...] = ("success",)
    """Components of the reward, most important first."""
    thresholds: tuple[float, ...] = (1.0,)
    """The threshold that the weighted total of each must reach, inclusive."""

    name = "gated"

    def __post_init__(self) -> None:
        if not self.priorities or len(self.priorities) != len(self.thresholds):
            raise ConfigError(f"gated needs a threshold for each priority: got {self.priorities} and {self.thresholds}")

    def credit(self, steps: Steps) -> Floats:
        """float64[S].

        Raises:
            ConfigError: A component is not declared, or an earlier method has mixed the components.
        """
        return sum(self._kept(steps).values(), np.zeros(len(steps.rewards)))

    def apply(self, steps: Steps) -> Steps:
        """The gated steps, with separate components."""
        kept = self._kept(steps)
        return steps.with_rewards(sum(kept.values(), np.zeros(len(steps.rewards))), kept)

    def _kept(self, steps: Steps) -> dict[str, Floats]:
        parts = require_parts(steps, self.name, self.priorities)
        is_open = np.ones(steps.num_trajectories, np.bool_)
        kept = {}
        for component, threshold in zip(self.priorities, self.thresholds, strict=True):
            kept[component] = np.where(is_open[steps.owner], parts[component], 0.0)
            is_open = is_open & (steps.totals(parts[component]) >= threshold - _SLACK)
        for component in parts.keys() - kept.keys():
            kept[component] = np.where(is_open[steps.owner], parts[component], 0.0)
        return {component: kept[component] for component in parts}


def require_parts(steps: Steps, method: str, components: tuple[str, ...]) -> Mapping[str, Floats]:
    """The rewards by component.

    Raises:
        ConfigError: An earlier method has mixed them, or a named component is not declared.
    """
    if steps.parts is None:
        raise ConfigError(
            f"{method} tells reward components apart, which the method before it in the chain has mixed; put it first"
        )
    unknown = [component for component in components if component not in steps.parts]
    if unknown:
        raise ConfigError(
            f"{method} names the reward components {unknown}, which these episodes do not declare; declared: "
            f"{', '.join(sorted(steps.parts)) or 'none'}"
        )
    return steps.parts
