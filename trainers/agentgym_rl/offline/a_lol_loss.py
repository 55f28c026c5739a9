"""Advantage-leftover-lunch (A-LoL): offline policy gradient on the answers in the data that beat the reference.

Not here: V of the reference (any critic of turns fitted by Monte-Carlo returns). An answer is a turn. Baheti et al.
2023, arXiv 2305.14718.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from agentgym.errors import ContractError
from agentgym_rl.core.positions import TurnPositions
from agentgym_rl.maths.ratios import MAX_LOG_RATIO
from agentgym_rl.offline.options import AlolConfig


def a_lol_loss(
    logprobs: Float[Tensor, " T"],
    reference_logprobs: Float[Tensor, " T"],
    advantages: Float[Tensor, " N"],
    turns: TurnPositions,
    weights: Float[Tensor, " N"],
    config: AlolConfig,
) -> Float[Tensor, ""]:
    """-sum_n weight_n 1[A_n > 0] sum_{k in n} sg(clip(r)) A_n log pi(a_k | s, a_<k), r = pi / pi_ref.

    Args:
        logprobs: Of the data's tokens, with gradient.
        reference_logprobs: Of the frozen reference.
        advantages: A = G - V_ref(s) of each turn. Answers that are no better than the reference's are left out.
        turns: Which tokens make which answer.
        weights: Of each turn; all alike where turns are drawn by `a_lol_priorities`.
        config: The ratio.

    Raises:
        ContractError: A token has no log-probability under the reference.
    """
    if bool(reference_logprobs.isnan().any()):
        raise ContractError(
            f"{int(reference_logprobs.isnan().sum())} of {len(logprobs)} tokens have no log-probability under the "
            "reference; score the data with it first"
        )
    log_ratio = logprobs.detach() - reference_logprobs.detach().to(logprobs.dtype)
    if config.ratio == "turn":
        log_ratio = turns.sum_of_tokens(log_ratio)[turns.turn_of_token]
    ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp().clamp(1 - config.clip, 1 + config.clip)
    if config.ratio == "none":
        ratio = torch.ones_like(ratio)
    gain = advantages.detach().clamp(min=0) * weights
    return -(ratio * gain.to(logprobs.dtype)[turns.turn_of_token] * logprobs).sum()


def a_lol_priorities(advantages: Float[Tensor, " N"]) -> Float[Tensor, " N"]:
    """Probability to draw each turn: in proportion to A, 0 where A <= 0.

    Raises:
        ContractError: No turn has a positive advantage.
    """
    positive = advantages.clamp(min=0)
    if not bool((positive > 0).any()):
        raise ContractError(
            f"none of {len(advantages)} turns is better than the reference's value, so nothing is left to learn from; "
            "use better data, or fit the value longer"
        )
    return positive / positive.sum()
