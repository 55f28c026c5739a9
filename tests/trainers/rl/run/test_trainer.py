"""Traps of the training loop as a whole, each on the loop itself and on a planted bug."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import torch

from agentgym import trajectory as trajectory_module
from agentgym.env import agent_env as env_module
from agentgym.outcome import Outcome
from agentgym.prompting.conversation import Conversation, Prompt
from agentgym.reward import RewardEvent, weighted_sum
from agentgym.rollout import episode as episode_module
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core import scoring
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.groups import update
from agentgym_rl.groups.credit import assign_credit
from agentgym_rl.groups.learner import GroupLearner
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.toys import TracingTrainer

FROZEN = {"learning_rate": 1e-12}
FAST = {"learning_rate": 0.01}


# Tokens and log-probabilities, from the policy's own log to the loss


def segments_of_retokenised_text(trajectory: Trajectory) -> Any:
    """D-4: what was sampled is decoded and encoded again; bytes that are no text become others."""
    segments = SEGMENTS(trajectory)
    for segment in segments:
        segment.tokens[segment.completion_mask] //= 2
    return segments


def segments_with_a_forced_end(trajectory: Trajectory) -> Any:
    """D-3: the end of turn that the template adds after a cut message counts as sampled."""
    segments = SEGMENTS(trajectory)
    for segment in segments:
        ends = np.flatnonzero(segment.completion_mask[:-1] & ~segment.completion_mask[1:]) + 1
        segment.completion_mask[ends] = True
        segment.behaviour_logprobs[ends] = 0.0
    return segments


SEGMENTS = Trajectory.segments


@parametrised(SEGMENTS, segments_of_retokenised_text, segments_with_a_forced_end)
def test_trained_ids_are_the_sampled_ids(build, implementation, is_bug: bool) -> None:
    """Traps D-3 and D-4: the policy's own log against what reaches the loss."""
    made = build("key-door", run={"iterations": 2})
    sampled: dict[str, list[int]] = {}
    generate = made.policy.generate

    def logged(requests: Any) -> Any:
        replies = generate(requests)
        for request, reply in zip(requests, replies, strict=True):
            sampled.setdefault(request.episode, []).extend(reply.ids.tolist())
        return replies

    made.policy.generate = logged
    with swapped(Trajectory, "segments", implementation):
        made.run()
    with noticed(is_bug):
        for _, batch, _ in made.traced:
            for index, trajectory in enumerate(batch.trajectories):
                mine = [batch.segments[place] for place in batch.segments_of(index)]
                trained = np.concatenate([segment.tokens[segment.completion_mask] for segment in mine])
                assert trained.tolist() == sampled[trajectory.id]
                assert all(np.isfinite(s.behaviour_logprobs[s.completion_mask]).all() for s in mine)


def score_without_temperature(model, segments, packing, temperature):
    """D-19: the trainer forgets the temperature that sampling used."""
    return SCORE(model, segments, packing, 1.0)


SCORE = scoring.score_segments


@parametrised(SCORE, score_without_temperature)
def test_recomputed_logprobs_equal_the_recorded_ones(build, implementation, is_bug: bool) -> None:
    """Trap D-19, through the real policy with its caches and the real packing."""
    sampling = {"sampling": {"temperature": 0.7, "max_tokens": 2}, "history": "last:2"}
    algorithm = {"prox": "recompute"}
    made = build("key-door", run={"iterations": 2}, rollout=sampling, algorithm=algorithm, optimiser=FAST)
    with swapped(scoring, "score_segments", implementation):
        made.run()
    with noticed(is_bug):
        for _, batch, _ in made.traced:
            for prox, segment in zip(batch.prox_logprobs, batch.segments, strict=True):
                mask = segment.completion_mask
                assert np.abs(prox[mask] - segment.behaviour_logprobs[mask]).max() < 1e-4


def prompt_realigned(self: Conversation) -> Prompt:
    """D-5: a prompt that is no extension of the last one is laid behind it from where the two differ."""
    before = self._ids
    prompt = NEXT_PROMPT(self)
    if not prompt.opens_segment or not before:
        return prompt
    pairs = enumerate(zip(before, prompt.ids, strict=False))
    shared = next((place for place, (old, new) in pairs if old != new), min(len(before), len(prompt.ids)))
    return Prompt(prompt.ids, prompt.ids[shared:], opens_segment=False)


def prompt_as_an_extension(self: Conversation) -> Prompt:
    """D-5: every prompt is taken for an extension of the last one."""
    return NEXT_PROMPT(self)._replace(opens_segment=False)


NEXT_PROMPT = Conversation._next_prompt


@parametrised(NEXT_PROMPT, prompt_realigned, prompt_as_an_extension)
def test_a_short_history_opens_segments_that_train_each_token_once(build, implementation, is_bug: bool) -> None:
    """Trap D-5: each token is trained once, behind the very ids that the policy was asked with."""
    wide = {"row_length": 400}
    made = build("key-door", run={"iterations": 1}, rollout={"history": "last:2"}, packing=wide)
    asked: dict[tuple[str, int], list[int]] = {}
    generate = made.policy.generate

    def logged(requests: Any) -> Any:
        asked.update({(request.episode, request.turn): list(request.prompt_ids) for request in requests})
        return generate(requests)

    made.policy.generate = logged
    with swapped(Conversation, "_next_prompt", implementation):
        made.run()
    [(_, batch, _)] = made.traced
    counts = np.bincount(batch.owner, [int(segment.completion_mask.sum()) for segment in batch.segments])
    assert counts.tolist() == [trajectory.num_action_tokens for trajectory in batch.trajectories]
    with noticed(is_bug):
        assert len(batch.segments) > 2 * batch.num_sequences
        for segment in batch.segments:
            turns, starts = np.unique(np.where(segment.completion_mask, segment.turn_index, -1), return_index=True)
            for turn, start in zip(turns[1:].tolist(), starts[1:].tolist(), strict=True):
                assert segment.tokens[:start].tolist() == asked[segment.trajectory_id, turn]


def credit_by_segment(batch: TrainBatch, config: Any, **options: Any) -> Any:
    """D-6: each segment is an episode of its own."""
    batch, report = assign_credit(batch, config, **options)
    batch.owner = np.arange(len(batch.segments))
    batch.trajectories = [batch.trajectories[0]] * len(batch.segments)
    return batch, report


def gradient_of(made: TracingTrainer, groups: list[Group], assign: Any) -> torch.Tensor:
    batch, _ = assign(GroupLearner.score(made.learner, groups), made.config.algorithm, drop_flat_groups=False)
    made.optimiser.zero_grad()
    for group in made.optimiser.param_groups:
        group["lr"] = 0.0
    update.learn(made.model, made.optimiser, batch, made.config, seed=0, version=0)
    made.publish()
    return torch.cat([parameter.grad.flatten() for parameter in made.model.parameters()])


def split(groups: list[Group]) -> None:
    """Every turn becomes a segment of its own, with the same context."""
    for group in groups:
        for member in group.members:
            context: list[int] = []
            for turn in member.turns:
                context += turn.prompt_ids.tolist()
                turn.prompt_ids, turn.opens_segment = np.array(context, np.int32), True
                context += turn.action_ids.tolist()


@pytest.mark.parametrize("aggregation", ["token_mean", "seq_mean_token_mean", "seq_mean_token_sum"])
@parametrised(assign_credit, credit_by_segment)
def test_an_episode_in_segments_has_the_gradient_of_the_whole(
    build, aggregation: str, implementation, is_bug: bool
) -> None:
    """Trap D-6, end to end."""
    made = build("key-door", algorithm={"aggregation": aggregation}, run={"iterations": 1}, optimiser=FROZEN)
    made.run()
    [(groups, _, _)] = made.traced
    whole = gradient_of(made, groups, assign_credit)
    split(groups)
    parts = gradient_of(made, groups, implementation)
    assert whole.abs().max() > 0
    if is_bug and aggregation == "token_mean":
        return  # where only tokens count, rows that pose as episodes are harmless
    with noticed(is_bug):
        torch.testing.assert_close(parts, whole, rtol=1e-4, atol=1e-6)


# Rewards


def group_that_scores_faults(self: Group, record: Trajectory) -> None:
    """D-15: what broke counts as a failure with reward 0."""
    assert record.outcome is not None
    if not record.outcome.is_graded:
        record.outcome, record.success, record.score = Outcome("terminated"), False, 0.0
    ADD(self, record)


ADD = Group.add


@pytest.mark.slow
@parametrised(ADD, group_that_scores_faults)
def test_faults_change_neither_what_is_learnt_nor_what_is_reported(build, implementation, is_bug: bool) -> None:
    """Trap D-15: three of ten episodes break, whatever the agent does."""
    # One thread: whose step breaks follows from the order of the steps, which two threads leave to the machine.
    faulty = {"retries": 0, "max_fault_share": 0.9, "env_threads": 1}
    # Other seeds take longer to find the arm; this one does in half of them.
    tables = {"run": {"iterations": 45, "seed": 5}, "optimiser": FAST}
    with swapped(Group, "add", implementation):
        broken = build("bandit", task_config={"raises": 0.16}, rollout=faulty, **tables)
        broken.run()
    with noticed(is_bug):
        assert broken.success() > 0.9
        assert 0.2 < np.mean(broken.journalled.curve("outcome/infrastructure")) < 0.4
        sizes = {len(group.members) for groups, _, _ in broken.traced for group in groups}
        assert {group.size for groups, _, _ in broken.traced for group in groups} == {8}
        assert min(sizes) < 7


def test_hung_episodes_are_missing_members(build) -> None:
    """Trap D-15."""
    made = build(
        "bandit",
        task_config={"hangs": 0.06},
        limits={"step_timeout_s": 0.15},
        run={"iterations": 2},
        rollout={"retries": 0, "max_fault_share": 0.9, "env_threads": 4},
    )
    began = time.monotonic()
    made.run()
    assert time.monotonic() - began < 100
    groups = [group for groups, _, _ in made.traced for group in groups]
    missing = [record for group in groups for record in group.missing]
    assert missing
    assert {str(record.outcome) for record in missing} == {"infrastructure:StepTimeoutError"}
    assert all(len(group.members) + len(group.missing) == group.size for group in groups)
    assert all(each.total_reward is None for each in missing)


def sum_without_nan(events: Any, weights: Any) -> float:
    """D-16: a reward that is not a number becomes 0."""
    return weighted_sum([event for event in events if event.value == event.value], weights)


@parametrised(weighted_sum, sum_without_nan)
def test_a_reward_that_is_no_number_is_no_reward(build, implementation, is_bug: bool) -> None:
    """Trap D-16."""
    made = build(
        "bandit",
        task_config={"nan": 0.3},
        run={"iterations": 2},
        rollout={"retries": 0, "max_fault_share": 0.9},
    )
    with (
        swapped(env_module, "require_finite", lambda _, value: value)
        if is_bug
        else nullcontext(),  # it would notice first
        swapped(env_module, "weighted_sum", implementation),
        swapped(trajectory_module, "weighted_sum", implementation),
        swapped(episode_module, "weighted_sum", implementation),
    ):
        made.run()
    with noticed(is_bug):
        assert np.mean(made.journalled.curve("outcome/infrastructure")) > 0.1
        for groups, batch, _ in made.traced:
            assert all(event.value == event.value for group in groups for m in group.members for event in m.events)
            assert batch.num_sequences == sum(len(group.members) for group in groups) < 32


def total_with_penalty_twice(self: Trajectory) -> float | None:
    """D-32: the algorithm takes its own penalty besides the environment's."""
    total = TOTAL(self)
    return None if total is None else total - 0.25 * sum(turn.was_invalid for turn in self.turns)


TOTAL = Trajectory.total_reward.fget


@parametrised(TOTAL, total_with_penalty_twice)
def test_an_invalid_action_costs_what_the_environment_says(build, implementation, is_bug: bool) -> None:
    """Trap D-32: the reported return is the sum of the components times their weights."""
    words = {"words": ["yes", "no", "red", "blue", "\x01", "\x02", "a", "b"]}
    made = build("strict", task_config=words, run={"iterations": 3})
    with swapped(Trajectory, "total_reward", property(implementation)):
        made.run()
    rows = made.journalled.rows
    assert sum(row["policy/invalid_share"] for row in rows) > 0
    with noticed(is_bug):
        for row in rows:
            assert row["return/mean"] == pytest.approx(row["reward/success"] + row["reward/format"])
        for groups, _, _ in made.traced:
            for member in (member for group in groups for member in group.members):
                penalties = -0.25 * sum(turn.was_invalid for turn in member.turns)
                assert member.total_reward == pytest.approx(float(member.success) + penalties)
                assert all(isinstance(event, RewardEvent) for event in member.events)
