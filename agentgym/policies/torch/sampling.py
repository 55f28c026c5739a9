"""Drawing tokens: each request by its own counter-based uniforms, so that a draw depends on no other row of the batch.

Which rows are drawn for and when they end is in `agentgym.policies.torch.decoder`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.policy import Sampling

_SEED_BITS = 128


def uniforms(seed: int, count: int) -> NDArray[np.float64]:
    """The first `count` uniforms in [0, 1) of a seed; the i-th is the same for every count."""
    return np.random.Generator(np.random.Philox(key=seed % (1 << _SEED_BITS))).random(count)


def stop_mask(stop_ids: Collection[int], vocab_size: int, device: torch.device) -> Tensor:
    """Which ids end a message, bool[V]; ids that the model has no row for are left out."""
    mask = torch.zeros(vocab_size, dtype=torch.bool, device=device)
    mask[[each for each in sorted(stop_ids) if each < vocab_size]] = True
    return mask


class TokenDraws:
    """Draws the tokens of a batch of requests by inverting their cumulative distributions.

    Args:
        samplings: How each row is drawn.
        seeds: The seed of each row.
        num_steps: Number of tokens drawn of each row, at most.
        device: Where the logits are.
    """

    def __init__(
        self, samplings: Sequence[Sampling], seeds: Sequence[int], num_steps: int, device: torch.device
    ) -> None:
        self._is_greedy = torch.tensor([s.is_greedy for s in samplings], device=device)
        self._temperature = torch.tensor([[s.temperature or 1.0] for s in samplings], device=device)
        self._top_p = torch.tensor([[s.top_p] for s in samplings], device=device)
        self._all_greedy = all(s.is_greedy for s in samplings)
        self._none_greedy = not any(s.is_greedy for s in samplings)
        self._is_scaled = any(s.temperature not in (0, 1) for s in samplings)
        self._is_nucleus = any(s.top_p < 1 for s in samplings)
        drawn = [uniforms(seed, num_steps) for seed in seeds]
        self._uniforms = torch.from_numpy(np.stack(drawn, axis=1)[:, :, None]).to(device)

    def draw(self, logits: Tensor, step: int) -> tuple[Tensor, Tensor]:
        """The step's tokens.

        Args:
            logits: float[B, V].
            step: Index of the token in its message.

        Returns:
            int64[B] tokens, and float32[B] their log-probabilities at each row's temperature, before any nucleus cut.
        """
        logits = logits.float()
        logprobs = torch.log_softmax(logits / self._temperature if self._is_scaled else logits, dim=-1)
        if self._all_greedy:
            tokens = logits.argmax(-1, keepdim=True)
        else:
            tokens = self._invert(logprobs.exp(), self._uniforms[step])
            if not self._none_greedy:
                tokens = torch.where(self._is_greedy[:, None], logits.argmax(-1, keepdim=True), tokens)
        return tokens[:, 0], logprobs.gather(1, tokens)[:, 0]

    def keep_rows(self, index: Tensor) -> None:
        """Go on with the rows of these indices."""
        self._is_greedy, self._temperature = self._is_greedy[index], self._temperature[index]
        self._top_p, self._uniforms = self._top_p[index], self._uniforms[:, index]

    def _invert(self, probabilities: Tensor, uniform: Tensor) -> Tensor:
        if self._is_nucleus:
            probabilities = nucleus(probabilities, self._top_p)
        cumulative = probabilities.cumsum(-1, dtype=torch.float64)
        # right=True: a token of probability 0 adds nothing to the sum before it and is never the first above.
        tokens = torch.searchsorted(cumulative, uniform * cumulative[:, -1:], right=True)
        return tokens.clamp_(max=probabilities.shape[1] - 1)


def nucleus(probabilities: Tensor, top_p: Tensor) -> Tensor:
    """Probabilities with all but the smallest set of likeliest tokens that holds the mass `top_p` set to 0.

    Source: Holtzman et al. 2019, arXiv 1904.09751, section 3.1. The result is not renormalised.

    Args:
        probabilities: float[B, V], rows that sum to 1.
        top_p: float[B, 1] in (0, 1]; rows at 1 are left as they are.
    """
    ranked, order = probabilities.sort(dim=-1, descending=True, stable=True)
    mass_before = ranked.cumsum(-1, dtype=torch.float64) - ranked
    kept = (mass_before < top_p) | (top_p >= 1)
    return torch.zeros_like(probabilities).scatter(1, order, ranked * kept)
