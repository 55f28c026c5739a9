"""The probability ratio between the trained and the proximal policy, per token, turn or sequence.

Not here: clipping (losses.py), the correction for the engine that sampled (importance.py).
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from agentgym.errors import ConfigError
from agentgym_rl.maths.options import RatioLevel

MAX_LOG_RATIO = 20.0


def unit_index(
    level: RatioLevel, sequence_index: Int[Tensor, " T"], turn_index: Int[Tensor, " T"]
) -> Int[Tensor, " T"]:
    """Number the units that share a ratio: each token, each turn of a sequence, or each sequence, from 0 without gaps.

    All tokens of a unit must be in this call, because a sequence split over micro-batches has no sequence ratio.
    """
    if level == "token":
        return torch.arange(len(sequence_index), device=sequence_index.device)
    if level == "sequence":
        keys = sequence_index.long()
    elif level == "turn":
        num_turns = int(turn_index.max()) + 1 if len(turn_index) else 1
        keys = sequence_index.long() * num_turns + turn_index.long()
    else:
        raise ConfigError(f"ratio_level is {level!r}; expected token, turn or sequence")
    units: Tensor = torch.unique(keys, return_inverse=True)[1]
    return units


def unit_mean(token_values: Float[Tensor, " T"], units: Int[Tensor, " T"]) -> Float[Tensor, " T"]:
    """Mean over the tokens of each unit, repeated at each of its tokens."""
    if len(units) == 0:
        return token_values
    sums = token_values.new_zeros(int(units.max()) + 1)
    counts = torch.zeros_like(sums).index_add_(0, units, torch.ones_like(token_values))
    return (sums.index_add(0, units, token_values) / counts)[units]


def log_ratios(
    policy_logprobs: Float[Tensor, " T"],
    prox_logprobs: Float[Tensor, " T"],
    level: RatioLevel,
    sequence_index: Int[Tensor, " T"],
    turn_index: Int[Tensor, " T"],
) -> Float[Tensor, " T"]:
    """The log-ratio of every trained token, clamped to [-20, 20].

    - token: log r_k = logp_theta - logp_prox (PPO, Schulman et al. 2017, arXiv 1707.06347).
    - turn: the mean over the tokens of the turn, so r is a geometric mean (arXiv 2511.20718).
    - sequence: the mean over the tokens of the sequence (GSPO, Zheng et al. 2025, arXiv 2507.18071).

    Above the token level, the value is that of the unit and the gradient that of the token:
    log s = sg(log s_i) + logp - sg(logp) (GSPO-token). With equal advantages and weights inside a unit, this is the
    gradient of the unit's ratio.

    Args:
        policy_logprobs: logp_theta, with gradient.
        prox_logprobs: logp of the policy at the start of the update; gradients stop here.
        level: The unit that shares a ratio.
        sequence_index: Sequence of each token.
        turn_index: Turn of each token inside its sequence.

    Returns:
        The dtype of `policy_logprobs`; no gradient if the clamp is active.
    """
    difference = policy_logprobs - prox_logprobs.detach()
    if level != "token":
        units = unit_index(level, sequence_index, turn_index)
        straight_through = policy_logprobs - policy_logprobs.detach()
        difference = unit_mean(difference.detach(), units) + straight_through
    return difference.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
