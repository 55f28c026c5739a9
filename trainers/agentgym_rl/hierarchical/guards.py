"""What keeps many updates of a policy on the same turns from ruining it: how far it moved, and how sure it grew.

Not here: the updates themselves (actor.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.positions import turn_positions
from agentgym_rl.hierarchical.options import TurnActorOptions

_MAX_LOG_RATIO = 20.0


class Movement:
    """How far the policy is from what it was before the first update of an iteration, on the messages of that update.

    The mean over these messages of r - 1 - log r, with r the ratio of their probabilities now and then: an estimate of
    the KL divergence a turn, which is never negative. Schulman 2020, "Approximating KL divergence", k3.

    Args:
        model: The policy.
        batches: The messages.
        before: Log-probability of each message of each micro-batch, before the update.
        temperature: Of sampling.
    """

    def __init__(
        self, model: PolicyModel, batches: Sequence[MicroBatch], before: Sequence[Tensor], temperature: float
    ) -> None:
        self.model, self.batches, self.before, self.temperature = model, batches, before, temperature

    @torch.no_grad()
    def kl(self) -> float:
        """Nats a turn, by one forward pass."""
        terms = []
        for micro, before in zip(self.batches, self.before, strict=True):
            moved = micro.to(before.device)
            logprobs, _, _ = self.model.score(moved, self.temperature, "none")
            change = (turn_positions(moved).sum_of_tokens(logprobs) - before).clamp(-_MAX_LOG_RATIO, _MAX_LOG_RATIO)
            terms.append(change.exp() - 1 - change)
        return float(torch.cat(terms).mean())


def entropy_bonus(
    entropy: Float[Tensor, " T"],
    advantages: Float[Tensor, " N"],
    weights: Float[Tensor, " T"],
    options: TurnActorOptions,
) -> Float[Tensor, ""]:
    """What lessens the loss where the policy is surer than `min_entropy`: its entropy, worth more for more spread.

    Args:
        entropy: Of each sampled token, nats, with gradient.
        advantages: Of the turns, of which the spread is what a nat is worth.
        weights: Of each token: that of its turn.
        options: With the bound; None: there is no bonus.

    Returns:
        0 where the mean entropy is above the bound.
    """
    bound = options.min_entropy
    if bound is None or not len(entropy) or float(entropy.detach().mean()) >= bound:
        return entropy.new_zeros(())
    worth = advantages.std(correction=0).to(entropy)
    return worth * (weights.to(entropy) * entropy).sum()


def warmup_factor(updates_before: int, warmup: int) -> float:
    """Factor of the learning rate of an update of the policy: rises evenly over the first `warmup` updates."""
    return min(1.0, (updates_before + 1) / (warmup + 1))
