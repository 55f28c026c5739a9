"""Metrics of a loss about its tokens: sums and counts, so that micro-batches and ranks add up exactly.

Not here: the loss itself (losses.py), and writing metrics.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.distributed
from jaxtyping import Bool, Float
from torch import Tensor

from agentgym_rl.maths.histograms import WEIGHTS, named_shares

_BANDS = tuple(f"importance_band_{place}" for place in range(len(WEIGHTS) + 1))
_SUMS = (
    "loss",
    "tokens",
    "positive_tokens",
    "negative_tokens",
    "clipped_high",
    "clipped_low",
    "dual_clipped",
    "ratio",
    "ratio_squared",
    "prox_k3",
    "importance",
    "importance_squared",
    "rejected",
    "kl_tokens",
    "kl",
    "entropy_tokens",
    "entropy",
    *_BANDS,
)


_SAME = 1e-6
"""Weights that differ by no more are all one."""


@dataclass(frozen=True)
class Surrogate:
    """Losses of tokens before weights, and the tokens that are clipped."""

    losses: Float[Tensor, " T"]
    log_ratios: Float[Tensor, " T"]
    is_clipped_high: Bool[Tensor, " T"]
    is_clipped_low: Bool[Tensor, " T"]
    is_dual_clipped: Bool[Tensor, " T"]


@dataclass(frozen=True)
class LossMetrics:
    """Sums over tokens as one float64 vector, in a fixed order; `+` merges micro-batches, on the later device."""

    sums: Float[Tensor, " M"]

    @classmethod
    def zero(cls, device: torch.device | str = "cpu") -> LossMetrics:
        """The neutral element of `+`."""
        return cls(torch.zeros(len(_SUMS), dtype=torch.float64, device=device))

    def __add__(self, other: LossMetrics) -> LossMetrics:
        return LossMetrics(self.sums.to(other.sums.device) + other.sums)

    def add_loss(self, loss: Float[Tensor, ""]) -> LossMetrics:
        """A copy with the (weighted) loss of the micro-batch added."""
        sums = self.sums.clone()
        sums[0] += loss.detach().to(sums)
        return LossMetrics(sums)

    def all_reduce(self) -> LossMetrics:
        """Add up over the ranks of the default process group."""
        sums = self.sums.clone()
        torch.distributed.all_reduce(sums)
        return LossMetrics(sums)

    def summarise(self) -> dict[str, float]:
        """Means and shares over tokens; means over no tokens are left out.

        Keys: loss, tokens, clip_high (share of tokens with A > 0 whose ratio is clipped), clip_low and dual_clip
        (shares of those with A < 0), ratio_mean, ratio_std, prox_k3 (k3 from the proximal policy, nats),
        importance_mean, importance_std, rejected (share with W = 0), reference_kl and entropy (nats); and, if
        weights differ, the shares of their bands as `importance/histogram/…`.
        """
        s = dict(zip(_SUMS, self.sums.tolist(), strict=True))
        summary = {"loss": s["loss"], "tokens": s["tokens"]}
        shares = {
            "clip_high": ("clipped_high", "positive_tokens"),
            "clip_low": ("clipped_low", "negative_tokens"),
            "dual_clip": ("dual_clipped", "negative_tokens"),
            "ratio_mean": ("ratio", "tokens"),
            "prox_k3": ("prox_k3", "tokens"),
            "importance_mean": ("importance", "tokens"),
            "rejected": ("rejected", "tokens"),
            "reference_kl": ("kl", "kl_tokens"),
            "entropy": ("entropy", "entropy_tokens"),
        }
        summary |= {name: s[top] / s[bottom] for name, (top, bottom) in shares.items() if s[bottom]}
        for name in ("ratio", "importance"):
            if s["tokens"]:
                mean = s[name] / s["tokens"]
                summary[f"{name}_std"] = max(s[f"{name}_squared"] / s["tokens"] - mean**2, 0.0) ** 0.5
        if summary.get("importance_std", 0.0) > _SAME:
            summary |= named_shares("importance", [s[band] / s["tokens"] for band in _BANDS], WEIGHTS)
        return summary


@torch.no_grad()
def measure_surrogate(
    surrogate: Surrogate,
    advantages: Float[Tensor, " T"],
    importance: Float[Tensor, " T"],
    *,
    kl: Float[Tensor, " T"] | None,
    entropy: Float[Tensor, " T"] | None,
) -> LossMetrics:
    """Sums over the tokens of one micro-batch, except the loss."""
    log_ratio = surrogate.log_ratios.detach().double()
    ratio, weight = log_ratio.exp(), importance.double()
    num_tokens = torch.full((), float(len(advantages)), dtype=torch.float64, device=advantages.device)
    zero = torch.zeros_like(num_tokens)
    edges = torch.tensor(WEIGHTS, dtype=torch.float64, device=weight.device)
    bands = torch.bincount(torch.bucketize(weight, edges, right=True), minlength=len(_BANDS))
    sums = {
        "loss": zero,
        "tokens": num_tokens,
        "positive_tokens": (advantages > 0).sum(),
        "negative_tokens": (advantages < 0).sum(),
        "clipped_high": surrogate.is_clipped_high.sum(),
        "clipped_low": surrogate.is_clipped_low.sum(),
        "dual_clipped": surrogate.is_dual_clipped.sum(),
        "ratio": ratio.sum(),
        "ratio_squared": ratio.square().sum(),
        # At a token sampled from the proximal policy, k3 of KL(prox || policy) is r - 1 - log r.
        "prox_k3": (torch.expm1(log_ratio) - log_ratio).sum(),
        "importance": weight.sum(),
        "importance_squared": weight.square().sum(),
        "rejected": (weight == 0).sum(),
        "kl_tokens": zero if kl is None else num_tokens,
        "kl": zero if kl is None else kl.double().sum(),
        "entropy_tokens": zero if entropy is None else num_tokens,
        "entropy": zero if entropy is None else entropy.double().sum(),
        **dict(zip(_BANDS, bands, strict=True)),
    }
    return LossMetrics(torch.stack([sums[name].double() for name in _SUMS]))
