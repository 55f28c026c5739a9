"""Potential: progress in the task as a shaping potential, which moves credit to the turns that make progress.

It needs recorded `progress()` of the environment. Learned potentials are other methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.steps import Floats, Steps, require_discount
from agentgym.errors import ConfigError


@dataclass(frozen=True)
class Potential(StepFormula):
    """r_t + F_t with F_t = gamma Phi(s_{t+1}) - Phi(s_t) and Phi = weight * progress.

    Ng, Harada and Russell 1999 (ICML), with Phi = 0 after the end. With gamma = 1 and Phi = 0 after a truncation too,
    the F_t of an episode add up to -Phi(s_0). This is the same for all rollouts of a group, so its advantages do not
    change.
    Differs: `is_relative` counts Phi from the task's first state, so that they add up to 0 and the return is kept.
    """

    weight: float = 1.0
    """Phi of a state with progress 1."""
    gamma: float = 1.0
    """Discount of a turn."""
    is_relative: bool = True
    """Whether Phi is counted from the first state of the episode."""
    at_truncation: Literal["zero", "keep"] = "zero"
    """Phi of the state where an episode was truncated: 0 for group baselines; kept if a critic bootstraps there."""

    name = "potential"

    def __post_init__(self) -> None:
        require_discount("potential.gamma", self.gamma)
        if self.at_truncation not in ("zero", "keep"):
            raise ConfigError(f"potential.at_truncation is {self.at_truncation!r}; expected 'zero' or 'keep'")

    @property
    def conserves(self) -> bool:
        """Where Phi is relative, undiscounted and 0 at every end."""
        return self.is_relative and self.gamma == 1.0 and self.at_truncation == "zero"

    def credit(self, steps: Steps) -> Floats:
        """float64[S].

        Raises:
            ConfigError: Progress was not recorded, or not for every state that is needed.
        """
        progress, final = self._potentials(steps)
        following = np.zeros(len(progress))
        following[:-1] = progress[1:]
        following[steps.last] = final[steps.lengths > 0]
        return steps.rewards + self.weight * (self.gamma * following - progress)

    def _potentials(self, steps: Steps) -> tuple[Floats, Floats]:
        """Phi / weight of each turn's state and of each trajectory's last one."""
        progress = steps.progress
        if progress is None or not np.isfinite(progress).all():
            raise ConfigError(
                "potential needs the progress of every state, which is not in the record; collect with "
                "rollout.record_progress = true from an environment whose progress() says something"
            )
        start = np.zeros(steps.num_trajectories)
        if self.is_relative:
            start[steps.lengths > 0] = progress[steps.offsets[:-1][steps.lengths > 0]]
        final = np.zeros(steps.num_trajectories)
        if self.at_truncation == "keep" and steps.is_truncated.any():
            reached = steps.final_progress
            if reached is None or not np.isfinite(reached[steps.is_truncated]).all():
                raise ConfigError(
                    'potential.at_truncation = "keep" needs the final progress of truncated episodes, which is not in '
                    'the record; collect with rollout.record_progress = true, or set it to "zero"'
                )
            final = np.where(steps.is_truncated, reached - start, 0.0)
        return progress - start[steps.owner], final
