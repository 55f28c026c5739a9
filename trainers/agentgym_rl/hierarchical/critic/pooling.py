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

    def at(self, turns: Tensor) -> Observed:
        """Those of some turns, by a mask or by index."""
        return Observed(self.tokens, self.is_token, self.row[turns])

    def to(self, dtype: torch.dtype) -> Observed:
        """The same in another precision."""
        return Observed(self.tokens.to(dtype), self.is_token, self.row)

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
    """

    def __init__(self, num_features: int, pooling: Pooling) -> None:
        super().__init__()
        self.mean_scale, self.token_scale = Standard(num_features), Standard(num_features)
        self.queries = nn.Linear(num_features, _NUM_QUERIES) if pooling == "attention" else None
        self.num_features = num_features * (1 if self.queries is None else 1 + _NUM_QUERIES)

    def fit(self, seen: Observed) -> None:
        """Take the scale of the means and of the tokens from these."""
        self.mean_scale.fit(seen.mean()[seen.row])
        self.token_scale.fit(seen.tokens[seen.is_token])

    def forward(self, seen: Observed) -> Float[Tensor, "N F"]:
        """Features of the observation of each turn."""
        features = self.mean_scale(seen.mean())
        if self.queries is not None:
            tokens = self.token_scale(seen.tokens)
            logits = self.queries(tokens).masked_fill(~seen.is_token[..., None], -torch.inf)
            sums = torch.einsum("ulq,uld->uqd", logits.softmax(dim=1), tokens)
            features = torch.cat([features, sums.flatten(1)], dim=-1)
        chosen: Tensor = features[seen.row]
        return chosen
