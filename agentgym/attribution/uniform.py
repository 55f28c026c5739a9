"""Uniform: the return in equal shares, so that it is dense but says nothing about single turns.

Shares that a model learns are the learned methods' work.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.steps import Floats, Steps


@dataclass(frozen=True)
class Uniform(StepFormula):
    """c_t = R / T; uniform redistribution, Gangwani et al. 2020, arXiv 2010.12718."""

    name = "uniform"
    is_conserving = True

    def credit(self, steps: Steps) -> Floats:
        """float64[S]."""
        return steps.spread(steps.totals(steps.rewards))
