"""The worth of a nat of entropy to a policy that picks among listed actions: a number, or one that is tuned.

Not here: the losses that read it (discrete_sac.py).
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from agentgym_rl.hierarchical.listed.discrete_sac import temperature_loss
from agentgym_rl.hierarchical.options import EntropyConfig


class EntropyTemperature(nn.Module):
    """The number alpha, of which the logarithm is tuned. Christodoulou 2019, arXiv 1910.07207.

    Differs: the target is a share of log(number of actions) of each state, as lists differ in length.

    Args:
        config: What it is, or where it starts.
    """

    def __init__(self, config: EntropyConfig) -> None:
        super().__init__()
        self.config = config
        self.log_alpha = nn.Parameter(torch.tensor(math.log(config.alpha)), requires_grad=config.target is not None)
        self.optimiser = torch.optim.Adam([self.log_alpha], lr=config.learning_rate)

    @property
    def alpha(self) -> float:
        """Its present value."""
        return float(self.log_alpha.detach().exp())

    def observe(self, logprobs: Float[Tensor, "S A"], sizes: Float[Tensor, " S"], weights: Float[Tensor, " S"]) -> None:
        """Take up the policy in some states, for the next `step`; nothing where alpha is fixed.

        Args:
            logprobs: Of the listed actions, -inf where there is none; gradients stop here.
            sizes: Number of actions of each state.
            weights: Of each state.
        """
        if self.config.target is not None:
            targets = self.config.target * sizes.log()
            loss = temperature_loss(self.log_alpha, logprobs.detach(), targets, weights)
            torch.autograd.backward(loss)

    def step(self) -> None:
        """Move alpha: up where the entropy was short of its target, down where it was above."""
        if self.log_alpha.grad is not None:
            self.optimiser.step()
        self.forget()

    def forget(self) -> None:
        """Drop what was observed since the last step."""
        self.optimiser.zero_grad(set_to_none=True)
