"""The progress estimator of SPA: what each turn adds to the return, the sum over turns being fitted to it.

The formula that makes credit of it is `agentgym.attribution.learned.spa`.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedModel

from agentgym.attribution.learned.spa import PROGRESS, Spa
from agentgym_rl.learned_attribution.estimator import EpisodeOutputs, Estimator


class ProgressEstimator(Estimator):
    """Contributions c_t of turns, with (b + sum_t c_t - R)^2 over episodes good and bad, b being the start's estimate.

    Wang et al. 2025, arXiv 2505.20732. Differs: the head is on hidden states rather than logits; `prefix_loss` asks the
    same of partial sums, which makes c_t unique; c_t is read after the reply unless the method says otherwise.

    Args:
        method: The formula.
        policy: As for `Estimator`.
    """

    names = (PROGRESS,)

    def __init__(self, method: Spa, policy: PreTrainedModel | None = None) -> None:
        super().__init__("spa", method.fit, policy)
        self._prefix_loss, self._is_after_reply = method.prefix_loss, method.is_after_reply

    def loss(self, outputs: EpisodeOutputs) -> Float[Tensor, " E"]:
        """(b + sum_t c_t - R)^2 + prefix_loss mean_t (b + sum_{t' <= t} c_t' - R)^2; b is 0 without prefix_loss."""
        contributions = self._contributions(outputs)
        start = outputs.sums(torch.where(outputs.is_first, outputs.before, 0.0))
        if not self._prefix_loss:
            start = torch.zeros_like(start)
        is_present = outputs.sums(torch.ones_like(contributions)) > 0
        whole = (start + outputs.sums(contributions) - outputs.targets).square() * is_present
        totals = contributions.cumsum(0)
        earlier = outputs.sums(torch.where(outputs.is_first, totals - contributions, 0.0))  # the episodes before it
        missing = (start - earlier - outputs.targets)[outputs.episode]
        return whole + self._prefix_loss * outputs.means((totals + missing).square())

    def read(self, outputs: EpisodeOutputs) -> dict[str, Float[Tensor, " N"]]:
        """The contributions."""
        return {PROGRESS: self._contributions(outputs)}

    def _contributions(self, outputs: EpisodeOutputs) -> Float[Tensor, " N"]:
        return outputs.after_reply if self._is_after_reply else outputs.after
