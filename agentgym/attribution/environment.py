"""Environment: each turn has the reward that the environment's own events assign to it.

If an environment rewards only its last turn, this is the same as `terminal`.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.steps import Floats, Steps


@dataclass(frozen=True)
class Environment(StepFormula):
    """c_t = r_t."""

    name = "environment"
    is_conserving = True

    def credit(self, steps: Steps) -> Floats:
        """float64[S], a copy of the rewards."""
        return steps.rewards.copy()
