"""The return predictor of RUDDER: what return is to be expected, before the first turn and after each.

The formula that makes credit of it is `agentgym.attribution.learned.rudder`.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedModel

from agentgym.attribution.learned.rudder import AFTER, BEFORE, Rudder
from agentgym_rl.learned_attribution.estimator import EpisodeOutputs, Estimator


class ReturnPredictor(Estimator):
    """g, fitted by (g_T - R)^2 at the end and prefix_loss mean_t (g_t - R)^2 on the way.

    Arjona-Medina et al. 2019, arXiv 1806.07857. Differs: a causal transformer instead of an LSTM, and g_t is read where
    the environment has replied to turn t, so that what came of an action counts for that action. Of the last turn there
    is no reply to read; its g_t is read at its last token.

    Args:
        method: The formula.
        policy: As for `Estimator`.
    """

    names = (BEFORE, AFTER)

    def __init__(self, method: Rudder, policy: PreTrainedModel | None = None) -> None:
        super().__init__("rudder", method.fit, policy)
        self._prefix_loss = method.prefix_loss

    def loss(self, outputs: EpisodeOutputs) -> Float[Tensor, " E"]:
        """(g_T - R)^2 + prefix_loss mean_t (g_t - R)^2 over the states that turns are taken in."""
        targets = outputs.targets[outputs.episode]
        at_end = outputs.sums(torch.where(outputs.is_last, (outputs.after - targets).square(), 0.0))
        return at_end + self._prefix_loss * outputs.means((outputs.before - targets).square())

    def read(self, outputs: EpisodeOutputs) -> dict[str, Float[Tensor, " N"]]:
        """The expected return before and after each turn."""
        return {BEFORE: outputs.before, AFTER: outputs.after_reply}
