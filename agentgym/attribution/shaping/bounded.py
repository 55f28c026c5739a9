"""Bounded: a guard that keeps what shaping adds small, and its sum zero, so that it cannot pay more than the task.

It bounds what the methods before it in a chain added to the recorded rewards. `proxy_watch` watches whether shaping
still agrees with the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError


@dataclass(frozen=True)
class Bounded(StepFormula):
    """r_t + clip(F_t, -limit, limit), centred; F_t is what was added to the recorded reward r_t.

    Centring takes an equal share from each turn: of the episode's own sum of F, or of its group's mean sum, in which
    every episode counts once, however long it is.
    """

    limit: float = 1.0
    """Largest |F_t|, before centring."""
    centre: Literal["trajectory", "group", "none"] = "trajectory"
    """Over what the sum of F is made zero."""

    name = "bounded"

    def __post_init__(self) -> None:
        if not self.limit > 0:
            raise ConfigError(f"bounded.limit must be positive: got {self.limit}")
        if self.centre not in ("trajectory", "group", "none"):
            raise ConfigError(f"bounded.centre is {self.centre!r}; expected 'trajectory', 'group' or 'none'")

    @property
    def conserves(self) -> bool:
        """Where each trajectory's shaping is centred."""
        return self.centre == "trajectory"

    @property
    def restores(self) -> bool:
        """Where each trajectory's shaping is centred."""
        return self.centre == "trajectory"

    def credit(self, steps: Steps) -> Floats:
        """float64[S]."""
        shaping = np.clip(steps.rewards - steps.as_recorded, -self.limit, self.limit)
        if self.centre == "none":
            return steps.as_recorded + shaping
        sums = steps.totals(shaping)
        if self.centre == "group":
            _, group = np.unique(steps.groups, return_inverse=True)
            sums = (np.bincount(group, sums) / np.bincount(group))[group]
        return steps.as_recorded + shaping - steps.spread(sums)
