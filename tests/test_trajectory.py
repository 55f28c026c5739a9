from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import ContractError
from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.trajectory import Group, Trajectory, Turn


def turn(index, prompt, action, logprobs=None, **fields):
    return Turn(
        index,
        [{"role": "user", "content": f"m{index}"}],
        {"role": "assistant", "content": f"a{index}"},
        f"a{index}",
        np.array(prompt, np.int32),
        np.array(action, np.int32),
        None if logprobs is None else np.array(logprobs, np.float32),
        **fields,
    )


def ended(trajectory_id="t", outcome="terminated", **fields):
    return Trajectory(trajectory_id, "task", outcome=Outcome(outcome), weights={"success": 2.0}, **fields)


def test_segment_marks_sampled_tokens_and_their_turns():
    trajectory = ended(turns=[turn(0, [1, 2], [3], [-0.5], version=7), turn(1, [4], [5, 6], [-1.0, -2.0], version=8)])
    (segment,) = trajectory.segments()
    assert segment.tokens.tolist() == [1, 2, 3, 4, 5, 6]
    assert segment.completion_mask.tolist() == [False, False, True, False, True, True]
    assert segment.turn_index.tolist() == [0, 0, 0, 1, 1, 1]
    assert segment.versions.tolist() == [-1, -1, 7, -1, 8, 8]
    assert np.isnan(segment.behaviour_logprobs[[0, 1, 3]]).all()
    assert segment.behaviour_logprobs[[2, 4, 5]].tolist() == [-0.5, -1.0, -2.0]
    assert trajectory.num_action_tokens == 3


def test_new_segment_starts_where_the_prompt_is_no_extension():
    trajectory = ended(turns=[turn(0, [1], [2]), turn(1, [9, 9], [3], opens_segment=True), turn(2, [4], [5])])
    assert [segment.tokens.tolist() for segment in trajectory.segments()] == [[1, 2], [9, 9, 3, 4, 5]]


def test_turns_without_tokens_yield_no_segment_and_derived_ones_no_logprobs():
    assert ended(turns=[turn(0, [], [])]).segments() == []
    (segment,) = ended(turns=[turn(0, [1], [2])]).segments()
    assert np.isnan(segment.behaviour_logprobs).all()


def test_step_rewards_follow_the_turn_that_is_credited():
    events = [
        RewardEvent(-1, -1, "agent", "success", 0.5),
        RewardEvent(0, 1, "agent", "success", 1.0),
        RewardEvent(5, 5, "agent", "success", 0.25),
    ]
    trajectory = ended(turns=[turn(0, [], []), turn(1, [], [])], events=events)
    assert trajectory.step_rewards().tolist() == [3.0, 0.5]
    assert trajectory.total_reward == pytest.approx(trajectory.step_rewards().sum())


@pytest.mark.parametrize("kind", ["infrastructure", "partner_fault", "cancelled"])
def test_trajectory_without_reward_has_none_rather_than_zero(kind):
    assert ended(outcome=kind).total_reward is None


@pytest.mark.parametrize("outcome", [None, Outcome("terminated"), Outcome("invalid"), Outcome("truncated", "turns")])
def test_trajectory_is_truncated_where_its_outcome_says_so(outcome):
    trajectory = ended()
    trajectory.outcome = outcome
    assert trajectory.is_truncated == (outcome == Outcome("truncated", "turns"))


def test_transcript_alternates_messages_and_replies():
    contents = [message["content"] for message in ended(turns=[turn(0, [], []), turn(1, [], [])]).transcript()]
    assert contents == ["m0", "a0", "m1", "a1"]


def test_group_is_sealed_when_every_episode_is_accounted_for():
    group = Group("g", "task", 3)
    group.add(ended("b", attempt=1))
    group.add(ended("x", "infrastructure", attempt=2))
    assert not group.is_sealed
    group.add(ended("a", attempt=0))
    assert group.is_sealed
    assert [member.id for member in group.members] == ["a", "b"]
    assert [member.id for member in group.missing] == ["x"]


def test_group_refuses_a_late_or_running_trajectory():
    group = Group("g", "task", 1)
    with pytest.raises(ContractError, match="has no outcome"):
        group.add(Trajectory("t", "task"))
    group.add(ended())
    with pytest.raises(ContractError, match="sealed"):
        group.add(ended("late"))
