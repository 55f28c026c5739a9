"""Advantages of every sampled token of a batch: of episodes, of turns, GAE, or discounted returns.

The formulas are in `advantages.py`, `gae.py`, `reinforce_pp.py` and `agentgym.attribution`; here they are laid out over
segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from agentgym.attribution.groups.step_groups import GroupSizes
from agentgym.attribution.learned.predicted import Predictor
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.attributed import Attributed, Shaped, attribute
from agentgym_rl.core.batch import Stream, TrainBatch
from agentgym_rl.groups.options import EpisodeCredit, GroupOptions, ReturnToGoCredit, TokenGaeCredit, TurnGaeCredit
from agentgym_rl.maths.advantages import GroupAdvantages, GroupReturns, group_advantages
from agentgym_rl.maths.calibration import calibration_metrics
from agentgym_rl.maths.gae import gae, rewards_at_turn_ends, turn_gae
from agentgym_rl.maths.overlong import overlong_penalty
from agentgym_rl.maths.reinforce_pp import token_returns_to_go, whiten


@dataclass(frozen=True)
class CreditReport:
    """What was left out of the loss, for the metrics.

    Attributes:
        zero_variance_groups: Groups whose advantages are all 0; where a critic or the whole batch is the baseline, all
            groups of a batch whose episodes were all rewarded alike.
        nonfinite: Trajectories whose reward was not finite.
        truncated_excluded: Truncated trajectories kept out of the loss.
        states: How many turns were compared with others in the same state; None where states are not compared.
        metrics: What else the credit tells of itself, such as how values and returns compare.
        shaped: What the shaped rewards of each trajectory came to, and its score; empty where nothing was shaped.
        turns: float64[T_i], what a method of attribution gave the turns of each trajectory, by id; empty without one.
    """

    zero_variance_groups: int = 0
    nonfinite: int = 0
    truncated_excluded: int = 0
    states: GroupSizes | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    shaped: Sequence[Shaped] = ()
    turns: Mapping[str, Stream] = field(default_factory=dict)


def assign_credit(
    batch: TrainBatch,
    config: GroupOptions,
    *,
    drop_flat_groups: bool,
    predictors: Sequence[Predictor] = (),
    iteration: int = 0,
) -> tuple[TrainBatch, CreditReport]:
    """Fill the batch's advantages (and value targets) and drop what is not trained on.

    Args:
        batch: With old values and reference log-probabilities where the algorithm needs them.
        config: The algorithm.
        drop_flat_groups: Drop the members of groups without variance, so that they do not enter denominators.
        predictors: Who says what the method of attribution reads.
        iteration: Of the run, counted from 0; bonuses fade by it.

    Returns:
        The batch that is trained on, and what was left out.
    """
    batch.advantages = [np.zeros(segment.num_tokens) for segment in batch.segments]
    if config.credit.kind == "episode":
        is_kept, report = _episode_credit(batch, config, drop_flat_groups)
    elif config.credit.kind == "attribution":
        is_kept, report = _turn_credit(batch, config, predictors, iteration, drop_flat_groups)
    else:
        is_kept, report = _token_credit(batch, config, predictors, iteration)
    batch = batch.keep(is_kept)
    if config.is_whitened:
        _whiten(batch)
    return batch, report


def shaped_return(trajectory: Trajectory, config: GroupOptions) -> float | None:
    """The return with DAPO's overlong penalty where it is on; None without a reward."""
    total = trajectory.total_reward
    return None if total is None else total + _overlong(trajectory, config)


def _overlong(trajectory: Trajectory, config: GroupOptions) -> float:
    if not config.overlong_buffer or config.max_episode_tokens is None:
        return 0.0
    return overlong_penalty(
        trajectory.num_action_tokens, max_tokens=config.max_episode_tokens, buffer_tokens=config.overlong_buffer
    )


def _are_cut(batch: TrainBatch, config: GroupOptions) -> NDArray[np.bool_]:
    """Which trajectories are kept out of the loss because they were truncated; none where that is not asked for."""
    is_masked = config.truncated != "include"
    return np.array([is_masked and trajectory.is_truncated for trajectory in batch.trajectories], np.bool_)


def group_credit(
    groups: Sequence[Group], config: GroupOptions, weights: Mapping[str, float] | None = None
) -> list[GroupAdvantages]:
    """One advantage an episode: the members of each group in order, then those that are missing.

    Args:
        groups: Sealed groups.
        config: The algorithm.
        weights: How much trajectories count in baselines, by id, where that is not 1.
    """
    credit, counts = config.credit, weights or {}
    assert isinstance(credit, EpisodeCredit), "others compare turns, or nothing"
    returns = [
        GroupReturns(
            [shaped_return(member, config) for member in group.members] + [None] * len(group.missing),
            [member.is_truncated for member in group.members] + [False] * len(group.missing),
            [counts.get(member.id, 1.0) for member in group.members] + [0.0] * len(group.missing),
        )
        for group in groups
    ]
    return group_advantages(returns, credit)


def has_signal(group: Group, config: GroupOptions) -> bool:
    """Whether a group teaches anything: its trained members differ in their returns."""
    return group_credit([group], config)[0].has_signal


def _episode_credit(
    batch: TrainBatch, config: GroupOptions, drop_flat_groups: bool
) -> tuple[NDArray[np.bool_], CreditReport]:
    index_of = {id(trajectory): index for index, trajectory in enumerate(batch.trajectories)}
    is_kept = np.zeros(batch.num_sequences, np.bool_)
    per_trajectory = np.zeros(batch.num_sequences)
    flat = nonfinite = excluded = 0
    for group, result in zip(batch.groups, group_credit(batch.groups, config, batch.baseline_weights), strict=True):
        flat += not result.has_signal
        nonfinite += result.num_nonfinite
        excluded += result.num_truncated_excluded
        for position, member in enumerate(group.members):
            index = index_of[id(member)]
            is_kept[index] = result.is_trained[position] and (result.has_signal or not drop_flat_groups)
            per_trajectory[index] = result.advantages[position]
    for segment, owner in enumerate(batch.owner):
        batch.advantages[segment] = np.full(batch.segments[segment].num_tokens, per_trajectory[owner])
    return is_kept, CreditReport(flat, nonfinite, excluded)


def _turn_credit(
    batch: TrainBatch,
    config: GroupOptions,
    predictors: Sequence[Predictor],
    iteration: int,
    drop_flat_groups: bool,
) -> tuple[NDArray[np.bool_], CreditReport]:
    """The advantages of turns that a method of attribution gives; a group is flat where all of them are 0."""
    is_finite, is_cut = _is_finite([each.total_reward for each in batch.trajectories]), _are_cut(batch, config)
    chosen = np.flatnonzero(is_finite & ~is_cut if config.truncated == "exclude" else is_finite)
    members = [batch.trajectories[index] for index in chosen]
    attributed = Attributed([], None, [])
    if members:
        attributed = attribute(members, config.attribution, predictors, iteration)
    for index, turns in zip(chosen, attributed.turns, strict=True):
        batch.spread(turns[batch.turn_index(int(index))], int(index), batch.advantages)
    credited = zip(chosen, attributed.turns, strict=True)
    has_credit = {id(batch.trajectories[at]) for at, turns in credited if np.any(turns != 0.0) and not is_cut[at]}
    flat = [group for group in batch.groups if not any(id(member) in has_credit for member in group.members)]
    dropped = {id(member) for group in flat for member in group.members} if drop_flat_groups else set()
    is_dropped = np.array([id(trajectory) in dropped for trajectory in batch.trajectories], np.bool_)
    report = CreditReport(
        len(flat),
        int((~is_finite).sum()),
        int((is_finite & is_cut).sum()),
        states=attributed.sizes,
        shaped=attributed.shaped,
        turns=_by_id(members, attributed.turns),
    )
    return is_finite & ~is_cut & ~is_dropped, report


def _by_id(trajectories: Sequence[Trajectory], turns: Sequence[Stream]) -> dict[str, Stream]:
    return {each.id: credit for each, credit in zip(trajectories, turns, strict=True)}


def _is_finite(returns: Sequence[float | None]) -> NDArray[np.bool_]:
    return np.array([value is not None and np.isfinite(value) for value in returns], np.bool_)


def _token_credit(
    batch: TrainBatch, config: GroupOptions, predictors: Sequence[Predictor], iteration: int
) -> tuple[NDArray[np.bool_], CreditReport]:
    returns = [shaped_return(trajectory, config) for trajectory in batch.trajectories]
    is_finite = _is_finite(returns)
    step_rewards, shaped, turns = _step_rewards(batch, is_finite, config, predictors, iteration)
    chosen = np.flatnonzero(is_finite).tolist()
    differ = _differ([returns[index] for index in chosen], [step_rewards[index] for index in chosen])
    flat = 0 if differ else len(batch.groups)
    if config.has_value_head:
        batch.value_targets = [np.zeros(segment.num_tokens) for segment in batch.segments]
        batch.is_value_target = [np.zeros(segment.num_tokens) for segment in batch.segments]
    valued = [_credit_trajectory(batch, index, config, step_rewards[index]) for index in chosen]
    ended = [pair for pair in valued if pair is not None]
    metrics = calibration_metrics([values for values, _ in ended], [returns for _, returns in ended])
    is_cut = _are_cut(batch, config)
    counts = flat, int((~is_finite).sum()), int((is_finite & is_cut).sum())
    return is_finite & ~is_cut, CreditReport(*counts, metrics=metrics, shaped=shaped, turns=turns)


def _step_rewards(
    batch: TrainBatch,
    is_finite: NDArray[np.bool_],
    config: GroupOptions,
    predictors: Sequence[Predictor],
    iteration: int,
) -> tuple[list[Stream], list[Shaped], dict[str, Stream]]:
    """Rewards of the turns of each trajectory: those of the events, or what a method of attribution makes of them."""
    rewards = [trajectory.step_rewards() for trajectory in batch.trajectories]
    if not config.attribution.method:
        return rewards, [], {}
    chosen = np.flatnonzero(is_finite)
    members = [batch.trajectories[index] for index in chosen]
    attributed = attribute(members, config.attribution, predictors, iteration)
    for index, turns in zip(chosen, attributed.turns, strict=True):
        rewards[index] = turns.copy()  # the caller adds to them what no method gave
    return rewards, attributed.shaped, _by_id(members, attributed.turns)


def _differ(returns: Sequence[float | None], step_rewards: Sequence[Stream]) -> bool:
    """Whether some episodes were rewarded otherwise than others, or at other turns; of one group or of several."""
    distinct = {
        (total, *np.flatnonzero(rewards), *rewards[rewards != 0.0])
        for total, rewards in zip(returns, step_rewards, strict=True)
    }
    return len(distinct) > 1


def _credit_trajectory(
    batch: TrainBatch, index: int, config: GroupOptions, rewards: Stream
) -> tuple[Stream, Stream] | None:
    """Fill the streams of a trajectory; values and the returns that followed, where there are values and it ended."""
    trajectory = batch.trajectories[index]
    turn_index = batch.turn_index(index)
    if len(turn_index) == 0:
        return None
    kl, method = _token_kl(batch, index, config), config.credit
    if isinstance(method, ReturnToGoCredit):
        total = shaped_return(trajectory, config)
        assert total is not None
        token_advantages = token_returns_to_go(
            total, kl, len(turn_index), beta=method.kl_in_reward, gamma=method.discount
        )
        batch.spread(token_advantages, index, batch.advantages)
        return None
    assert isinstance(method, TurnGaeCredit | TokenGaeCredit)
    assert batch.old_values is not None
    assert batch.value_targets is not None
    assert batch.is_value_target is not None
    rewards[-1] += _overlong(trajectory, config)
    values, final = batch.sampled(batch.old_values, index), batch.final_values[index]
    to_the_end = replace(method.gae, lambda_=1.0)  # whose targets are the discounted rewards that followed
    if isinstance(method, TurnGaeCredit):
        if kl is not None:
            np.subtract.at(rewards, turn_index, method.kl_in_reward * kl)
        credit = turn_gae(rewards, values, turn_index, final, method.gae)
        came = turn_gae(rewards, values, turn_index, None, to_the_end)
    else:
        token_rewards = rewards_at_turn_ends(rewards, turn_index)
        if kl is not None:
            token_rewards -= method.kl_in_reward * kl
        credit = gae(token_rewards, values, final, method.gae)
        came = gae(token_rewards, values, None, to_the_end)
    batch.spread(credit.advantages, index, batch.advantages)
    batch.spread(credit.value_targets, index, batch.value_targets)
    batch.spread(credit.is_value_target.astype(np.float64), index, batch.is_value_target)
    is_read = came.is_value_target
    return None if trajectory.is_truncated else (values[is_read], came.value_targets[is_read])


def _token_kl(batch: TrainBatch, index: int, config: GroupOptions) -> Stream | None:
    """k1 at each sampled token of a trajectory: the log-ratio of the sampling policy to the reference."""
    if not config.kl_in_reward:
        return None
    assert batch.reference_logprobs is not None
    assert batch.prox_logprobs is not None
    return batch.sampled(batch.prox_logprobs, index) - batch.sampled(batch.reference_logprobs, index)


def _whiten(batch: TrainBatch) -> None:
    masks = [segment.completion_mask for segment in batch.segments]
    if not masks:
        return
    flat = np.concatenate([stream[mask] for stream, mask in zip(batch.advantages, masks, strict=True)])
    whitened, at = whiten(flat), 0
    for stream, mask in zip(batch.advantages, masks, strict=True):
        count = int(mask.sum())
        stream[mask] = whitened[at : at + count]
        at += count
