"""Weights that correct for the engine that sampled: W from w = exp(logp_prox - logp_behaviour), truncated or masked.

Not here: the ratio of the update itself (ratios.py). Rejection sets a weight to 0 and never changes a denominator:
totals are counted before it (aggregation.py).
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from agentgym.errors import ContractError
from agentgym_rl.maths.options import Importance
from agentgym_rl.maths.ratios import MAX_LOG_RATIO, unit_index, unit_mean


def importance_weights(
    prox_logprobs: Float[Tensor, " T"],
    behaviour_logprobs: Float[Tensor, " T"],
    sequence_index: Int[Tensor, " T"],
    config: Importance,
) -> Float[Tensor, " T"]:
    """W of every trained token, a constant for the gradient.

    With w_k = exp(logp_prox - logp_behaviour), w_s the product over a sequence, [a, b] the band, [c, d] the gate:

    - none: 1.
    - token_tis: min(w_k, b); seq_tis: min(w_s, b) (truncated importance sampling: Espeholt et al. 2018,
      arXiv 1802.01561, for rho-bar; Ionides 2008).
    - token_mis: w_k if a <= w_k <= b else 0; seq_mis: the same of w_s.
    - icepop: token_mis with a > 0 (IcePop, Ling team 2025).
    - geometric: min(w_k, b) if the geometric mean of w over the sequence lies in [c, d], else 0. Products over long
      sequences explode; their mean per token does not.

    Args:
        prox_logprobs: Computed by the trainer at the start of the update.
        behaviour_logprobs: Recorded during sampling, for the distribution that was sampled from.
        sequence_index: Sequence of each token; all tokens of a sequence must be in this call for the seq modes and
            geometric.
        config: Mode and edges.

    Returns:
        One weight per token, without gradient, finite: log-weights are clamped to [-20, 20].

    Raises:
        ContractError: A token has no behaviour log-probability although the mode needs one.
    """
    if config.mode == "none":
        return torch.ones_like(prox_logprobs)
    num_absent = int(behaviour_logprobs.isnan().sum())
    if num_absent:
        raise ContractError(
            f"importance mode {config.mode} needs the behaviour log-probability of every trained token; {num_absent} "
            f"of {len(behaviour_logprobs)} have none (derived or re-rendered text): leave them out or set mode to none"
        )
    log_weights = prox_logprobs.detach() - behaviour_logprobs.detach().to(prox_logprobs.dtype)
    token = log_weights.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
    if config.mode == "token_tis":
        return token.clamp(max=config.max_weight)
    if config.mode == "token_mis" or config.mode == "icepop":
        return _keep_band(token, token, config.min_weight, config.max_weight)
    units = unit_index("sequence", sequence_index, sequence_index)
    if config.mode == "geometric":
        mean = unit_mean(log_weights, units).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
        return _keep_band(token.clamp(max=config.max_weight), mean, config.min_gate, config.max_gate)
    sums = log_weights.new_zeros(len(units)).index_add_(0, units, log_weights)
    sequence = sums[units].clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
    if config.mode == "seq_tis":
        return sequence.clamp(max=config.max_weight)
    return _keep_band(sequence, sequence, config.min_weight, config.max_weight)


def _keep_band(
    weights: Float[Tensor, " T"], judged: Float[Tensor, " T"], low: float, high: float
) -> Float[Tensor, " T"]:
    return torch.where((judged >= low) & (judged <= high), weights, torch.zeros_like(weights))
