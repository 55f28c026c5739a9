"""Generalised advantage estimation for a policy with a value head, with a turn or a token as the step.

Not here: group baselines (advantages.py), the regression of the values (values.py). Each call takes one episode of one
role, with its sampled tokens in order, over all of its segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from jaxtyping import Bool, Float64, Int

from agentgym.attribution.steps import returns_to_go
from agentgym.errors import ContractError
from agentgym.ranges import SHARE, Ranged


@dataclass(frozen=True)
class GaeConfig(Ranged):
    """Discounts of the estimator, per turn or per sampled token, whichever is the step."""

    discount: Annotated[float, SHARE] = 1.0
    """gamma, the discount of a step."""
    lambda_: Annotated[float, SHARE] = 0.95
    """lambda: 1 gives the return minus the value, 0 the one-step error."""


@dataclass(frozen=True)
class EpisodeAdvantages:
    """Advantages and value targets of one episode's sampled tokens (or turns)."""

    advantages: Float64[np.ndarray, " T"]
    value_targets: Float64[np.ndarray, " T"]
    """advantage + value: the target of the value head."""
    is_value_target: Bool[np.ndarray, " T"]
    """True if the value head is trained there: at all tokens, or at the first token of each turn."""


def gae(
    rewards: Float64[np.ndarray, " T"],
    values: Float64[np.ndarray, " T"],
    final_value: float | None,
    config: GaeConfig,
) -> EpisodeAdvantages:
    """Generalised advantages of a sequence of steps.

    delta_k = r_k + gamma V_{k+1} - V_k; A_k = delta_k + gamma lambda A_{k+1}. Schulman et al. 2015, arXiv 1506.02438,
    eq. 16.

    Args:
        rewards: Reward of each step.
        values: V of the state before each step, without gradient.
        final_value: V of the final observation if the episode was truncated; None if it terminated: no future, 0.
        config: gamma and lambda.

    Returns:
        One entry per step; empty for an episode without steps.
    """
    following = np.append(values[1:], 0.0 if final_value is None else final_value)[: len(values)]
    errors = rewards + config.discount * following - values
    advantages = returns_to_go(errors, np.array([0, len(errors)]), config.discount * config.lambda_)
    return EpisodeAdvantages(advantages, advantages + values, np.ones(len(values), dtype=bool))


def token_gae(
    rewards: Float64[np.ndarray, " T"],
    values: Float64[np.ndarray, " T"],
    completion_mask: Bool[np.ndarray, " T"],
    final_value: float | None,
    config: GaeConfig,
) -> EpisodeAdvantages:
    """`gae` with a sampled token as the step, over text in which not every token was sampled.

    Tokens with completion_mask False are skipped as if they were not there: they add no discount, and `values` is
    never read there. The value after a turn's last token is the value before the next sampled token,
    which has seen the environment's reply.

    Args:
        rewards: Per token; 0 wherever completion_mask is False, as from `rewards_at_turn_ends`.
        values: V of the state before each token, read from the hidden state before it.
        completion_mask: True: sampled by the policy.
        final_value: As for `gae`.
        config: gamma and lambda, per sampled token.

    Returns:
        One entry per token, 0 and False where completion_mask is False.

    Raises:
        ContractError: A token that was not sampled has a reward, which would be lost.
    """
    if np.any(rewards[~completion_mask] != 0):
        raise ContractError(
            "a reward lies on a token that the policy did not sample and would be lost; credit it to the last sampled "
            "token of the turn that earned it"
        )
    compressed = gae(rewards[completion_mask], values[completion_mask], final_value, config)
    advantages, targets = np.zeros(len(values)), np.zeros(len(values))
    advantages[completion_mask] = compressed.advantages
    targets[completion_mask] = compressed.value_targets
    return EpisodeAdvantages(advantages, targets, completion_mask.copy())


def turn_gae(
    turn_rewards: Float64[np.ndarray, " N"],
    values: Float64[np.ndarray, " T"],
    turn_index: Int[np.ndarray, " T"],
    final_value: float | None,
    config: GaeConfig,
) -> EpisodeAdvantages:
    """`gae` with a turn as the step; every token of a turn gets the turn's advantage.

    V of a turn is that of its first sampled token: the state at the last token of its prompt. The value head is
    trained only there. Turn-level steps: arXiv 2511.20718.

    Args:
        turn_rewards: Reward of each turn; turns without sampled tokens must have reward 0 and are skipped.
        values: V before each sampled token of the episode, in order.
        turn_index: Turn of each sampled token, not decreasing, in [0, N).
        final_value: As for `gae`.
        config: gamma and lambda, per turn.

    Returns:
        One entry per sampled token; value targets count only where is_value_target is True.
    """
    starts = turn_starts(turn_index)
    turns = turn_index[starts]
    _check_turns(turn_rewards, turns)
    per_turn = gae(turn_rewards[turns], values[starts], final_value, config)
    lengths = np.diff(np.append(starts, len(turn_index)))
    is_start = np.zeros(len(turn_index), dtype=bool)
    is_start[starts] = True
    return EpisodeAdvantages(
        np.repeat(per_turn.advantages, lengths), np.repeat(per_turn.value_targets, lengths), is_start
    )


def turn_starts(turn_index: Int[np.ndarray, " T"]) -> Int[np.ndarray, " N"]:
    """Positions of the first sampled token of each turn, given the turn of every sampled token in order."""
    if np.any(np.diff(turn_index) < 0):
        raise ContractError("turn_index decreases inside an episode; give the sampled tokens in the order of sampling")
    return np.flatnonzero(np.diff(turn_index, prepend=-1) != 0)


def rewards_at_turn_ends(
    turn_rewards: Float64[np.ndarray, " N"], turn_index: Int[np.ndarray, " T"]
) -> Float64[np.ndarray, " T"]:
    """Give the reward of each turn to the turn's last sampled token; all other tokens get 0.

    Turns with reward exactly 0 keep their place, because nothing is inferred from non-zero rewards.

    Raises:
        ContractError: A turn with a reward has no sampled token, so the reward would be lost.
    """
    starts = turn_starts(turn_index)
    turns = turn_index[starts]
    _check_turns(turn_rewards, turns)
    rewards = np.zeros(len(turn_index), dtype=np.float64)
    if len(starts):
        rewards[np.append(starts[1:], len(turn_index)) - 1] = turn_rewards[turns]
    return rewards


def _check_turns(turn_rewards: Float64[np.ndarray, " N"], turns: Int[np.ndarray, " M"]) -> None:
    if len(turns) and int(turns[-1]) >= len(turn_rewards):
        raise ContractError(f"tokens of turn {int(turns[-1])} but rewards of only {len(turn_rewards)} turns")
    has_tokens = np.zeros(len(turn_rewards), dtype=bool)
    has_tokens[turns] = True
    lost = np.flatnonzero(~has_tokens & (turn_rewards != 0))
    if len(lost):
        raise ContractError(
            f"turn {int(lost[0])} has reward {turn_rewards[lost[0]]:g} but no sampled token to carry it; credit it to "
            "another turn or leave the episode out"
        )
