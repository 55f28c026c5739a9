"""RUDDER: a turn earns as much as it changed the expected return.

The predictor, which learns, is `agentgym_rl.learned_attribution.return_decomposition`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.learned.predicted import FitConfig, require_predictions
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError

BEFORE, AFTER = "return_before", "return_after"
"""Names of the predictions: the expected return before and after a turn."""


@dataclass(frozen=True)
class Rudder(StepFormula):
    """g_t - g_{t-1} + (R - (g_T - g_0)) / T; g_t the predicted return after turn t, g_0 before any.

    Return decomposition, Arjona-Medina et al. 2019, arXiv 1806.07857. Differs: g_0 is predicted, where the paper takes
    0. So all turns share what could be expected of the task, instead of the first turn having it alone.
    """

    prefix_loss: float = 1.0
    """Weight of the mean of (g_t - R)^2 over turns, in addition to the loss at the end: the paper's continuous
    prediction."""
    fit: FitConfig = field(default_factory=FitConfig)
    """How the predictor learns."""

    name = "rudder"
    is_conserving = True
    is_restoring = True

    def __post_init__(self) -> None:
        if not self.prefix_loss > 0:
            raise ConfigError(
                f"rudder.prefix_loss must be positive: got {self.prefix_loss}; without it nothing is learnt before the "
                "end"
            )

    @property
    def reads(self) -> tuple[str, ...]:
        """The predicted returns."""
        return (BEFORE, AFTER)

    def credit(self, steps: Steps) -> Floats:
        """float64[S]; adds up to the recorded return of each trajectory."""
        change = require_predictions(steps, self.name, AFTER) - require_predictions(steps, self.name, BEFORE)
        return change + steps.spread(steps.totals(steps.as_recorded - change))
