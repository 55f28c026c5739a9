"""The losses of the policy under a critic of turns: an advantage a turn, and the sum of its tokens' log-probabilities.

Not here: how turns are valued (valuation.py), clipped surrogates over tokens (maths/losses.py). Sums under given
weights: a weight per turn, 1 / (turns of the update) for a mean over turns.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from agentgym.errors import ContractError
from agentgym_rl.core.positions import TurnPositions
from agentgym_rl.hierarchical.options import AwrConfig
from agentgym_rl.maths.importance import importance_weights
from agentgym_rl.maths.options import AlolConfig, Importance
from agentgym_rl.maths.ratios import MAX_LOG_RATIO


def turn_advantages(q: Float[Tensor, "J N"], v: Float[Tensor, "K N"]) -> Float[Tensor, " N"]:
    """A = min(Q_1, Q_2)(s, a) - min(V_1, V_2)(s), of values, without gradient.

    ArCHer, Zhou et al. 2024, arXiv 2402.19446. For `resampled_loss` by the online network at the sampled action.
    """
    return (q.min(dim=0).values - v.min(dim=0).values).detach()


def leave_one_out_advantages(q: Float[Tensor, "K N"], states: Int[Tensor, " N"]) -> Float[Tensor, " N"]:
    """A_i = Q_i - mean_{j != i} Q_j over the actions of the same state, Q = min_k Q_k; without gradient.

    Leave-one-out as of Ahmadian et al. 2024, arXiv 2402.14740, with a critic's values in place of returns: what the
    critic says of a state as a whole cancels, so only its ranking of actions counts.

    Args:
        q: Of the heads, values.
        states: Number of the state of each action, from 0; one with a single action has an advantage of 0.
    """
    least = q.detach().min(dim=0).values
    counts = states.bincount()[states]
    others = (_sums(least, states)[states] - least) / (counts - 1).clamp(min=1)
    return torch.where(counts > 1, least - others, torch.zeros_like(least))


def scale_of_states(q: Float[Tensor, "K N"], states: Int[Tensor, " N"]) -> Float[Tensor, " N"]:
    """How far apart the actions of each action's state are: divides advantages where all states count alike.

    The spread of Q over the actions of a state, and how much the heads disagree about it: the mean over the actions of
    the spread over the heads of Q_k - mean_actions Q_k. Where the heads disagree, advantages become small.

    Args:
        q: Of the heads, values; of one head, there is no disagreement.
        states: Number of the state of each action, from 0.

    Returns:
        At least a tiny positive number.
    """
    counts = states.bincount().clamp(min=1)
    values = q.detach()
    centred = values - torch.stack([_sums(each, states) / counts for each in values])[:, states]
    least = values.min(dim=0).values
    spread = (_sums((least - (_sums(least, states) / counts)[states]).square(), states) / counts).sqrt()
    doubt = _sums(centred.std(dim=0, correction=0), states) / counts
    return (spread + doubt)[states].clamp(min=1e-8)


def _sums(values: Float[Tensor, " N"], states: Int[Tensor, " N"]) -> Float[Tensor, " S"]:
    """Sums over the actions of each state."""
    return values.new_zeros(len(states.bincount())).index_add(0, states, values)


def resampled_loss(
    logprobs: Float[Tensor, " T"],
    advantages: Float[Tensor, " N"],
    turns: TurnPositions,
    weights: Float[Tensor, " N"],
    baselines: Float[Tensor, " T"] | None = None,
) -> Float[Tensor, ""]:
    """-sum_n weight_n sum_{k in n} (A_n - b_k) log pi(a_k | s, a_<k): actions that the policy sampled just now.

    The states may be of any age; as the actions are new, no ratio is needed, and none is taken. A sum over the tokens
    of an action, not a mean: the log-probability of an action is that sum. ArCHer, Zhou et al. 2024, arXiv 2402.19446.

    Args:
        logprobs: Of the tokens of the sampled actions, with gradient.
        advantages: Of the sampled actions.
        turns: Which tokens make which action.
        weights: Of each action.
        baselines: b_k: what to expect at each token of a turn of the advantage of the whole turn; without gradient.
    """
    return -(_per_token(advantages, weights, turns, baselines) * logprobs).sum()


def token_baseline_loss(
    baselines: Float[Tensor, " T"],
    advantages: Float[Tensor, " N"],
    turns: TurnPositions,
    weights: Float[Tensor, " N"],
) -> Float[Tensor, ""]:
    """sum_n weight_n sum_{k in n} (b_k - A_n)^2: fits the baselines that `resampled_loss` takes."""
    wanted = advantages.detach()[turns.turn_of_token].to(baselines.dtype)
    return (weights.to(baselines.dtype)[turns.turn_of_token] * (baselines - wanted).square()).sum()


def in_sample_loss(
    logprobs: Float[Tensor, " T"],
    behaviour_logprobs: Float[Tensor, " T"],
    advantages: Float[Tensor, " N"],
    turns: TurnPositions,
    weights: Float[Tensor, " N"],
    importance: Importance,
) -> Float[Tensor, ""]:
    """-sum_n weight_n sum_{k in n} sg(W_k) A_n log pi(a_k | s, a_<k): stored actions, nothing is sampled.

    W corrects for the policy that sampled; a sequence of `importance_weights` is a turn here: with seq_tis W is the
    truncated ratio of the whole action. Stale actions want such a weight: mode "none" is for actions of this policy.

    Args:
        logprobs: Of the stored tokens under the present weights, with gradient.
        behaviour_logprobs: Recorded when they were sampled.
        advantages: Of the stored actions.
        turns: Which tokens make which action.
        weights: Of each action.
        importance: Mode and edges of W.

    Raises:
        ContractError: A token carries no behaviour log-probability, as derived and re-rendered turns do.
    """
    ratio = importance_weights(logprobs.detach(), behaviour_logprobs, turns.turn_of_token, importance)
    return -(ratio * _per_token(advantages, weights, turns, None) * logprobs).sum()


def awr_weights(advantages: Float[Tensor, " N"], config: AwrConfig, spread: float = 1.0) -> Float[Tensor, " N"]:
    """min(exp(A / beta), max_weight), without gradient: what each action of the data is worth cloning.

    With unit "spread", beta is the temperature times `spread`.

    Advantage-weighted regression, Peng et al. 2019, arXiv 1910.00177; as of Kostrikov et al. 2021, arXiv 2110.06169.
    """
    highest = torch.tensor(config.max_weight, dtype=advantages.dtype, device=advantages.device)
    beta = config.temperature * (spread if config.unit == "spread" else 1.0)
    return (advantages.detach() / beta).clamp(max=float(highest.log())).exp()


def weighted_cloning_loss(
    logprobs: Float[Tensor, " T"],
    action_weights: Float[Tensor, " N"],
    turns: TurnPositions,
    weights: Float[Tensor, " N"],
) -> Float[Tensor, ""]:
    """-sum_n weight_n w_n sum_{k in n} log pi(a_k | s, a_<k), with w of `awr_weights`; takes no ratio."""
    return resampled_loss(logprobs, action_weights, turns, weights)


def _per_token(
    advantages: Float[Tensor, " N"],
    weights: Float[Tensor, " N"],
    turns: TurnPositions,
    baselines: Float[Tensor, " T"] | None,
) -> Float[Tensor, " T"]:
    turn_of_token: Int[Tensor, " T"] = turns.turn_of_token
    gain = advantages.detach()[turn_of_token]
    if baselines is not None:
        gain = gain - baselines.detach().to(gain.dtype)
    return weights.detach().to(gain.dtype)[turn_of_token] * gain


def a_lol_loss(
    logprobs: Float[Tensor, " T"],
    reference_logprobs: Float[Tensor, " T"],
    advantages: Float[Tensor, " N"],
    turns: TurnPositions,
    weights: Float[Tensor, " N"],
    config: AlolConfig,
) -> Float[Tensor, ""]:
    """-sum_n weight_n 1[A_n > 0] sum_{k in n} sg(clip(r)) A_n log pi(a_k | s, a_<k), r = pi / pi_ref.

    Advantage-leftover-lunch, Baheti et al. 2023, arXiv 2305.14718; an answer is a turn. Not here: V of the reference.

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
