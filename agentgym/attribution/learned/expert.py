"""Expert: a turn earns more the more it looks like an expert's turn.

The discriminator, which learns, is `agentgym_rl.learned_attribution.discriminator`; the implicit reward of the same
paper, a loss on pairs of actions, is `agentgym_rl.offline.step_preference`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from agentgym.attribution.contract import StepFormula
from agentgym.attribution.learned.predicted import FitConfig, require_predictions
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError

EXPERT = "expert"
"""Name of the prediction: the logit of D(s_t, a_t), the probability that a turn is an expert's."""


@dataclass(frozen=True)
class Expert(StepFormula):
    """log D(s_t, a_t), where D tells an expert's turns from the agent's; it is refitted as the agent learns.

    StepAgent's inverse reinforcement learning, Deng et al. 2024, arXiv 2411.03817; GAIL, Ho and Ermon 2016, arXiv
    1606.03476. It ignores the task's own rewards; `expert+environment` adds them.
    """

    form: Literal["log_d", "minus_log_not_d"] = "log_d"
    """log D is at most 0 and rewards short episodes; -log(1 - D) is at least 0 and rewards long ones."""
    limit: float = 5.0
    """Largest |reward| of a turn."""
    run: str = ""
    """Folder of a run whose demonstrations are the expert's; "" for those in the run itself."""
    fit: FitConfig = field(default_factory=FitConfig)
    """How the discriminator learns."""

    name = "expert"

    def __post_init__(self) -> None:
        if self.form not in ("log_d", "minus_log_not_d") or not self.limit > 0:
            raise ConfigError(
                f"expert needs form = 'log_d' or 'minus_log_not_d' and limit > 0: got {self.form!r}, {self.limit}"
            )

    @property
    def reads(self) -> tuple[str, ...]:
        """The discriminator's logits."""
        return (EXPERT,)

    def credit(self, steps: Steps) -> Floats:
        """float64[S]."""
        logits = require_predictions(steps, self.name, EXPERT)
        if self.form == "log_d":
            return np.maximum(-np.logaddexp(0.0, -logits), -self.limit)
        return np.minimum(np.logaddexp(0.0, logits), self.limit)
