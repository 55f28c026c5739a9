from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import ContractError
from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.trajectory import Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.packing import pack
from agentgym_rl.core.positions import turn_positions
from agentgym_rl.hierarchical.transitions import CUT, TERMINAL, turn_transitions
from tests.trainers.rl.hierarchical.tables import one_token_turn

PACKING = PackingConfig(row_length=16, micro_batch_tokens=16)


def episode(name: str, rewards: list[float], outcome: Outcome, segment_at: int | None = None) -> Trajectory:
    turns = [one_token_turn(i, 1, 2) for i in range(len(rewards))]
    if segment_at is not None:
        turns[segment_at].opens_segment = True
    events = [RewardEvent(i, i, "agent", "r", value, "environment") for i, value in enumerate(rewards)]
    return Trajectory(name, "task", turns=turns, events=events, weights={"r": 1.0}, outcome=outcome)


ENDED, LIMIT = Outcome("terminated"), Outcome("truncated", "turns")


def test_transitions_cross_segments_and_end_as_the_outcome_says() -> None:
    records = [
        episode("a", [0.0, 1.0, 2.0], LIMIT, segment_at=1),
        episode("b", [], ENDED),
        episode("c", [5.0], ENDED),
        episode("d", [0.0, -1.0], Outcome("invalid")),
    ]
    got = turn_transitions(TrainBatch.of_trajectories(records))
    assert got.trajectory.tolist() == [0, 0, 0, 2, 3, 3]
    assert got.segment.tolist() == [0, 1, 1, 2, 3, 3]
    assert got.turn.tolist() == [0, 1, 2, 0, 0, 1]
    assert got.rewards.tolist() == [0.0, 1.0, 2.0, 5.0, 0.0, -1.0]
    assert got.successor.tolist() == [1, 2, CUT, TERMINAL, 5, TERMINAL]
    assert got.is_terminal.tolist() == [False, False, False, True, False, True]


def test_turns_of_micro_batches_are_found_among_the_transitions() -> None:
    batch = TrainBatch.of_trajectories(
        [episode(str(i), [0.0] * (1 + i % 4), LIMIT, 1 if i % 4 else None) for i in range(9)]
    )
    turns = turn_transitions(batch)
    seen = []
    for micro in pack(batch.segments, PACKING):
        positions = turn_positions(micro)
        entries = turns.entries(positions)
        assert turns.segment[entries].tolist() == positions.segment.tolist()
        assert turns.turn[entries].tolist() == positions.turn.tolist()
        seen += entries.tolist()
    assert sorted(seen) == list(range(turns.num_turns))


def test_turns_of_other_segments_are_refused() -> None:
    few, many = (TrainBatch.of_trajectories([episode(str(i), [0.0], LIMIT) for i in range(n)]) for n in (1, 3))
    [micro] = pack(many.segments, PACKING)
    with pytest.raises(ContractError, match="pack the segments of this batch"):
        turn_transitions(few).entries(turn_positions(micro))


@pytest.mark.parametrize("reward", [float("nan"), float("inf")])
def test_a_reward_that_is_no_number_is_refused_with_its_episode(reward: float) -> None:
    with pytest.raises(ContractError, match="turn 1 of episode 'bad' has reward"):
        turn_transitions(TrainBatch.of_trajectories([episode("bad", [0.0, reward], ENDED)]))


def test_a_reward_of_a_turn_without_tokens_is_refused() -> None:
    record = episode("lost", [0.0, 3.0], ENDED)
    record.turns[1].action_ids = np.zeros(0, np.int32)
    with pytest.raises(ContractError, match="turn 1 of episode 'lost' has reward 3 but no sampled token"):
        turn_transitions(TrainBatch.of_trajectories([record]))


def test_no_episodes_give_no_transitions() -> None:
    assert turn_transitions(TrainBatch.of_trajectories([])).num_turns == 0
