"""Corrected: the sum of the rewards is set back to the recorded return, whatever earlier stages changed.

It is the last stage of a chain, after predictions, bonuses or gates. If nothing was changed, it changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.steps import Floats, Steps


@dataclass(frozen=True)
class Corrected(StepFormula):
    """c_t + (R - sum c) / T: the correction of RUDDER, Arjona-Medina et al. 2019, arXiv 1806.07857, over all turns."""

    name = "corrected"
    is_conserving = True
    is_restoring = True

    def credit(self, steps: Steps) -> Floats:
        """float64[S]; adds up to the recorded return of each trajectory."""
        return steps.rewards + steps.spread(steps.totals(steps.as_recorded - steps.rewards))
