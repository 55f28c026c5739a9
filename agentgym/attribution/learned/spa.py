"""SPA: the estimated contribution of each turn to the return, and whether its action could be carried out.

The estimator, which learns, is `agentgym_rl.learned_attribution.progress`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.learned.predicted import FitConfig, require_predictions
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError

PROGRESS = "progress"
"""Name of the prediction: c_t, the estimated contribution of a turn to the return."""


@dataclass(frozen=True)
class Spa(StepFormula):
    """progress c_t + grounding g_t, corrected to the return R by an equal share per turn; g_t: it was executable.

    Stepwise progress attribution, Wang et al. 2025, arXiv 2505.20732. Differs: the correction, without which an
    estimator with a wrong total would change the task. So grounding only moves credit from turns that the environment
    refused to those that it accepted.
    """

    progress: float = 1.0
    """alpha, the weight of the estimated contribution."""
    grounding: float = 0.5
    """beta, the weight of having been executable."""
    prefix_loss: float = 1.0
    """Weight of the mean of (b + sum_{t' <= t} c_t' - R)^2 over turns, in addition to the same loss of the whole sum.
    Only with it is c_t the change of the expected return; without it, any numbers that add up are equally good. 0: the
    paper's loss, without b, the estimate before any turn."""
    is_after_reply: bool = True
    """Whether c_t is read after the environment's reply to turn t, so that the result of an action counts for it.
    False: at the turn's last token, as in the paper."""
    fit: FitConfig = field(default_factory=FitConfig)
    """How the estimator learns."""

    name = "spa"
    is_conserving = True
    is_restoring = True

    def __post_init__(self) -> None:
        if self.progress < 0 or self.grounding < 0 or self.prefix_loss < 0:
            raise ConfigError(
                "spa needs weights of at least 0: got progress, grounding and prefix_loss "
                f"{self.progress}, {self.grounding}, {self.prefix_loss}"
            )

    @property
    def reads(self) -> tuple[str, ...]:
        """The estimated contributions."""
        return (PROGRESS,)

    def credit(self, steps: Steps) -> Floats:
        """float64[S]; adds up to the recorded return of each trajectory."""
        estimated = require_predictions(steps, self.name, PROGRESS)
        is_valid = np.ones(len(estimated)) if steps.is_valid is None else steps.is_valid.astype(np.float64)
        credit = self.progress * estimated + self.grounding * is_valid
        return credit + steps.spread(steps.totals(steps.as_recorded - credit))
