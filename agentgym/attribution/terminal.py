"""Terminal: the whole return stands on the last turn, as where only the outcome counts.

Telling the turns apart is what the other methods do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.steps import Floats, Steps


@dataclass(frozen=True)
class Terminal(StepFormula):
    """c_T = R, all other turns 0."""

    name = "terminal"
    is_conserving = True

    def credit(self, steps: Steps) -> Floats:
        """float64[S]."""
        credit = np.zeros(len(steps.rewards))
        credit[steps.last] = steps.totals(steps.rewards)[steps.lengths > 0]
        return credit
