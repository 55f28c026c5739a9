"""The policy-gradient loss over sampled tokens: surrogate, importance weight, KL and entropy, under given weights.

Not here: advantages, the meaning of the weights of tokens (aggregation.py), the value loss (values.py). Every tensor
has one entry per trained token. Tokens of prompts, tools and users do not occur here.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from agentgym.errors import ContractError
from agentgym_rl.maths.kl import kl_estimate
from agentgym_rl.maths.loss_metrics import LossMetrics, Surrogate, measure_surrogate
from agentgym_rl.maths.options import ClippedLoss, PolicyLoss
from agentgym_rl.maths.ratios import log_ratios


@dataclass(frozen=True)
class TokenStreams:
    """The inputs of the loss, with one entry per trained token of a micro-batch, all in the same order."""

    policy_logprobs: Float[Tensor, " T"]
    """logp under the weights being trained, with gradient."""
    advantages: Float[Tensor, " T"]
    """Constant for the gradient."""
    sequence_index: Int[Tensor, " T"]
    """Index of the token's episode (of one role), the same in all segments of the episode."""
    turn_index: Int[Tensor, " T"]
    """Turn inside the episode."""
    prox_logprobs: Float[Tensor, " T"] | None = None
    """logp at the start of the update; None: this is the first step on these samples, so the ratio is exactly 1."""
    importance: Float[Tensor, " T"] | None = None
    """W of importance.py; None: 1."""
    reference_logprobs: Float[Tensor, " T"] | None = None
    """logp of the frozen reference, for the KL penalty."""
    entropy: Float[Tensor, " T"] | None = None
    """Entropy of the distribution each token was drawn from, with gradient if it is rewarded; else for the metrics."""
    is_fresh: Bool[Tensor, " T"] | None = None
    """False: replayed, so that the KL penalty and the entropy bonus, which no weight corrects, leave the token out.
    None: all are fresh."""


def policy_loss(
    streams: TokenStreams, weights: Float[Tensor, " T"], config: PolicyLoss
) -> tuple[Float[Tensor, ""], LossMetrics]:
    """Loss of one micro-batch; micro-batches and ranks add up to the loss of the update.

    L = sum_k weight_k (W_k l_k + fresh_k (beta KL_k - c H_k)), with l from `surrogate_losses`.

    Args:
        streams: Per-token inputs.
        weights: From `token_weights`, counted over the whole update before any rejection.
        config: The loss of a token.

    Returns:
        The loss, with gradient also for an empty micro-batch (0), and sums for the metrics, without gradient.

    Raises:
        ContractError: A term that is on lacks its input, or a token lacks its proximal log-probability.
    """
    policy = streams.policy_logprobs
    if streams.prox_logprobs is not None and bool(streams.prox_logprobs.isnan().any()):
        raise ContractError(
            f"{int(streams.prox_logprobs.isnan().sum())} of {len(policy)} tokens have no log-probability at the start "
            "of the update (derived or re-rendered text); recompute it with the trainer or leave them out"
        )
    surrogate = surrogate_losses(streams, config)
    importance = torch.ones_like(policy) if streams.importance is None else streams.importance.detach()
    token_losses = importance * surrogate.losses
    kl = None
    if streams.reference_logprobs is not None:
        kl = kl_estimate(policy, streams.reference_logprobs, config.kl_estimator)
    if config.kl_coefficient > 0:
        if kl is None:
            raise ContractError("loss.kl_coefficient is positive but there are no reference log-probabilities")
        correction = surrogate.log_ratios.detach().exp() if config.use_kl_ratio else 1.0
        token_losses = token_losses + config.kl_coefficient * _of_fresh(correction * kl, streams)
    if config.entropy_coefficient > 0:
        if streams.entropy is None:
            raise ContractError("loss.entropy_coefficient is positive but no entropies were computed")
        token_losses = token_losses - config.entropy_coefficient * _of_fresh(streams.entropy, streams)
    loss = (weights.to(policy.dtype) * token_losses).sum()
    metrics = measure_surrogate(surrogate, streams.advantages, importance, kl=kl, entropy=streams.entropy)
    return loss, metrics.add_loss(loss)


def _of_fresh(terms: Float[Tensor, " T"], streams: TokenStreams) -> Float[Tensor, " T"]:
    return terms if streams.is_fresh is None else terms.masked_fill(~streams.is_fresh, 0.0)


def surrogate_losses(streams: TokenStreams, config: PolicyLoss) -> Surrogate:
    """Loss of every token before weights, with r the ratio and A the advantage.

    - clipped: -min(r A, clip(r, 1 - eps_low, 1 + eps_high) A), PPO, Schulman et al. 2017, arXiv 1707.06347, with the
      two edges of DAPO, Yu et al. 2025, arXiv 2503.14476; for A < 0 no more than -dual_clip A (Ye et al. 2019,
      arXiv 1912.09729).
    - unclipped: -r A.
    - reinforce: -A logp (Williams 1992): no correction for samples of older weights.
    - cispo: -sg(min(r, max_ratio)) A logp (MiniMax 2025, arXiv 2506.13585). Differs: no lower edge.
    - dppo: -1[inside] r A + penalty (log r)^2; a token is outside if its probability moved by more than
      max_shift in the direction of its advantage. This is decided per token, also at other ratio levels.
    """
    policy, advantages = streams.policy_logprobs, streams.advantages.detach().to(streams.policy_logprobs.dtype)
    prox = policy.detach() if streams.prox_logprobs is None else streams.prox_logprobs.to(policy.dtype)
    log_ratio = log_ratios(policy, prox, config.ratio_level, streams.sequence_index, streams.turn_index)
    ratio = log_ratio.exp()
    none = torch.zeros_like(advantages, dtype=torch.bool)
    if config.surrogate == "clipped":
        return _clipped(ratio, log_ratio, advantages, config)
    if config.surrogate == "unclipped":
        return Surrogate(-ratio * advantages, log_ratio, none, none, none)
    if config.surrogate == "reinforce":
        return Surrogate(-advantages * policy, log_ratio, none, none, none)
    if config.surrogate == "cispo":
        capped = ratio.detach().clamp(max=config.max_ratio)
        is_capped = ratio.detach() > config.max_ratio
        return Surrogate(-capped * advantages * policy, log_ratio, is_capped, none, none)
    shift = policy.detach().exp() - prox.exp()
    is_high = (advantages > 0) & (shift > config.max_shift)
    is_low = (advantages < 0) & (shift < -config.max_shift)
    gain = torch.where(is_high | is_low, torch.zeros_like(ratio), ratio * advantages)
    return Surrogate(config.penalty * log_ratio.square() - gain, log_ratio, is_high, is_low, none)


def _clipped(
    ratio: Float[Tensor, " T"],
    log_ratio: Float[Tensor, " T"],
    advantages: Float[Tensor, " T"],
    config: ClippedLoss,
) -> Surrogate:
    free = ratio * advantages
    clipped = ratio.clamp(1 - config.eps_low, 1 + config.eps_high) * advantages
    gain = torch.minimum(free, clipped)
    is_high = (advantages > 0) & (ratio.detach() > 1 + config.eps_high)
    is_low = (advantages < 0) & (ratio.detach() < 1 - config.eps_low)
    is_dual = torch.zeros_like(is_low)
    if config.dual_clip is not None:
        is_dual = (advantages < 0) & (ratio.detach() > config.dual_clip)
        gain = torch.where(advantages < 0, torch.maximum(gain, config.dual_clip * advantages), gain)
    return Surrogate(-gain, log_ratio, is_high, is_low, is_dual)
