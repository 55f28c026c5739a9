"""What to expect of a message's advantage at each of its tokens: a head on the policy's detached hidden states.

Not here: the loss that fits it and the one that it goes into (actor_losses.py).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from agentgym_rl.hierarchical.options import CriticStepConfig


class TokenBaseline(nn.Module):
    """b(s, a_<k), with an optimiser of its own.

    Args:
        num_features: Size of the hidden states.
        width: Units of the hidden layer.
        config: The optimiser.
    """

    def __init__(self, num_features: int, width: int, config: CriticStepConfig) -> None:
        super().__init__()
        self.head = nn.Sequential(nn.Linear(num_features, width), nn.ReLU(), nn.Linear(width, 1))
        self.optimiser = torch.optim.AdamW(self.head.parameters(), lr=config.learning_rate, weight_decay=0.0)
        self._max_norm = config.max_grad_norm

    def forward(self, states: Float[Tensor, "T D"]) -> Float[Tensor, " T"]:
        """Baselines of tokens, from the hidden state before each, with gradient for the head."""
        expected: Tensor = self.head(states.to(next(self.head.parameters()).dtype)).squeeze(-1)
        return expected

    def step(self) -> None:
        """Apply the gradients that the losses left, and clear them."""
        norm = nn.utils.clip_grad_norm_(self.head.parameters(), self._max_norm)
        if bool(norm.isfinite()):
            self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
