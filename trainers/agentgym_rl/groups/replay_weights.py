"""How much a replayed token counts: w = min(exp(logp_prox - logp_behaviour), cap) per token, turn or sequence.

logp_prox is recomputed by the weights being trained at the start of the update; logp_behaviour is the one recorded when
the token was sampled. Recomputing both (as if the replayed sample were fresh) makes every w 1 and corrects nothing.
Which entries are drawn, and the weights of drawing them, are up to the selectors.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from agentgym.errors import ContractError
from agentgym.trajectory import Trajectory
from agentgym_rl.maths.histograms import WEIGHTS, histogram_metrics
from agentgym_rl.maths.importance import importance_weights
from agentgym_rl.maths.options import RatioLevel, SequenceTruncated, TokenTruncated
from agentgym_rl.maths.ratios import unit_index


def replay_weights(
    prox_logprobs: Float[Tensor, " T"],
    behaviour_logprobs: Float[Tensor, " T"],
    sequence_index: Int[Tensor, " T"],
    turn_index: Int[Tensor, " T"],
    *,
    level: RatioLevel = "token",
    cap: float = 2.0,
) -> Float[Tensor, " T"]:
    """The truncated importance weight of every replayed token, a constant for the gradient.

    Truncated importance sampling (Ionides 2008; Espeholt et al. 2018, arXiv 1802.01561, rho-bar), biased towards the
    behaviour policy where the cap holds. The weight of a turn or sequence is the product over its tokens.

    Args:
        prox_logprobs: By the weights at the start of the update.
        behaviour_logprobs: As recorded when the tokens were sampled.
        sequence_index: Episode of each token; all tokens of a unit must be in this call.
        turn_index: Turn of each token inside its episode.
        level: The unit that shares a weight.
        cap: The largest weight.

    Raises:
        ContractError: A token has no behaviour log-probability (hindsight and other derived text).
    """
    config = TokenTruncated(cap) if level == "token" else SequenceTruncated(cap)
    units = unit_index(level, sequence_index, turn_index)
    return importance_weights(prox_logprobs, behaviour_logprobs, units, config)


def require_behaviour_logprobs(trajectories: Iterable[Trajectory], loss: str) -> None:
    """Refuse what a loss with a probability ratio cannot use, before anything is computed.

    Args:
        trajectories: What was read from replay.
        loss: Name of the loss, for the message.

    Raises:
        ContractError: A trajectory has sampled tokens without behaviour log-probabilities.
    """
    for trajectory in trajectories:
        lacking = [turn.index for turn in trajectory.turns if len(turn.action_ids) and turn.behaviour_logprobs is None]
        if trajectory.is_derived or lacking:
            raise ContractError(
                f"trajectory {trajectory.id!r} has no behaviour log-probabilities (turns {lacking[:5]}), which the "
                f"loss {loss!r} needs for its ratio: it was relabelled, demonstrated or rendered anew. Admit "
                "sampled episodes alone, clone it, or learn a critic from it"
            )


def weight_metrics(weights: Float[Tensor, " T"], cap: float) -> dict[str, float]:
    """For the log: mean weight, share at the cap, and the effective share of samples (sum w)^2 / (n sum w^2)."""
    if not len(weights):
        return {}
    squares = float(torch.square(weights).sum())
    effective = float(weights.sum()) ** 2 / (len(weights) * squares) if squares > 0 else 0.0
    return {
        "replay/weight_mean": float(weights.mean()),
        "replay/weight_at_cap": float((weights >= cap).double().mean()),
        "replay/effective_share": effective,
    } | histogram_metrics("replay/weight", weights.detach().cpu().numpy(), WEIGHTS)
