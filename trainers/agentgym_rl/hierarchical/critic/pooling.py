"""From hidden states to features: standardised, and the tokens of an observation pooled by mean and by attention.

Not here: which tokens they are (observations.py), the heads (network.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from agentgym_rl.hierarchical.options import Pooling

_LEAST_SPREAD = 0.05
"""Of the size of all features: what varies less is not magnified further."""
_NUM_QUERIES = 4


@dataclass(frozen=True)
class Observed:
    """The observations of N turns, alike ones once."""

    tokens: Float[Tensor, "U L D"]
    """Hidden states at the tokens of the U different ones, each read by itself; 0 behind the end of each."""
    is_token: Bool[Tensor, "U L"]
    """True: a token of the observation."""
    row: Int[Tensor, " N"]
    """int64: which of them each turn has."""
    opening: Int[Tensor, " N"] | None = None
    """int64: which of them the episode of each turn began with; None: openings are not read."""

    def at(self, turns: Tensor) -> Observed:
        """Those of some turns, by a mask or by index."""
        opening = None if self.opening is None else self.opening[turns]
        return Observed(self.tokens, self.is_token, self.row[turns], opening)

    def to(self, dtype: torch.dtype) -> Observed:
        """The same in another precision."""
        return Observed(self.tokens.to(dtype), self.is_token, self.row, self.opening)

    def mean(self) -> Float[Tensor, "U D"]:
        """The mean over the tokens of each."""
        return self.tokens.sum(dim=1) / self.is_token.sum(dim=1, keepdim=True)


class Standard(nn.Module):
    """Features to mean 0 and variance 1, by what was seen last; as they are until then.

    Args:
        num_features: Of the last dimension.
    """

    def __init__(self, num_features: int) -> None:
        super().__init__()
        self.mean: Tensor
        self.spread: Tensor
        self.register_buffer("mean", torch.zeros(num_features))
        self.register_buffer("spread", torch.ones(num_features))

    @torch.no_grad()
    def fit(self, features: Float[Tensor, "N D"]) -> None:
        """Take mean and spread from these; features that are (nearly) the same in all of them are not magnified."""
        seen = features.to(self.mean.dtype)
        if not seen.shape[1]:
            return
        size = seen.square().mean().sqrt().clamp(min=1e-6)
        self.mean.copy_(seen.mean(dim=0))
        self.spread.copy_(seen.std(dim=0, correction=0).clamp(min=_LEAST_SPREAD * float(size)))

    def forward(self, features: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
        """The features, standardised."""
        return (features - self.mean) / self.spread


class ObservationPooling(nn.Module):
    """Features of observations: the mean over their tokens, and sums whose weights are learnt.

    Args:
        num_features: Of a hidden state.
        pooling: Whether there are such sums; a query each decides what of the tokens goes into one.
        has_opening: Whether the opening of each turn's episode is read as well; it is pooled alike.
    """

    def __init__(self, num_features: int, pooling: Pooling, *, has_opening: bool = False) -> None:
        super().__init__()
        self.mean_scale, self.token_scale = Standard(num_features), Standard(num_features)
        self.queries = nn.Linear(num_features, _NUM_QUERIES) if pooling == "attention" else None
        self.num_features = num_features * (1 if self.queries is None else 1 + _NUM_QUERIES) * (1 + has_opening)
        self.opening_scale = Standard(num_features) if has_opening else None

    @property
    def has_opening(self) -> bool:
        """Whether openings are read."""
        return self.opening_scale is not None

    def fit(self, seen: Observed) -> None:
        """Take the scale of the means and of the tokens from these."""
        means = seen.mean()
        self.mean_scale.fit(means[seen.row])
        if self.opening_scale is not None and seen.opening is not None:
            self.opening_scale.fit(means[seen.opening])
        self.token_scale.fit(seen.tokens[seen.is_token])

    def forward(self, seen: Observed) -> Float[Tensor, "N F"]:
        """Features of the observation of each turn, and those of the opening behind them."""
        means, sums = seen.mean(), self._sums(seen)
        features = torch.cat([self.mean_scale(means), sums], dim=-1)[seen.row]
        if self.opening_scale is None:
            return features
        assert seen.opening is not None, "whoever encodes for this network asks it whether it reads openings"
        return torch.cat([features, torch.cat([self.opening_scale(means), sums], dim=-1)[seen.opening]], dim=-1)

    def _sums(self, seen: Observed) -> Float[Tensor, "U F"]:
        """Weighted sums of the tokens of each text; of width 0 without queries."""
        if self.queries is None:
            return seen.tokens.new_zeros(len(seen.tokens), 0)
        tokens = self.token_scale(seen.tokens)
        logits = self.queries(tokens).masked_fill(~seen.is_token[..., None], -torch.inf)
        return torch.einsum("ulq,uld->uqd", logits.softmax(dim=1), tokens).flatten(1)
