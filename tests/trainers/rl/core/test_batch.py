from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import ContractError
from agentgym.outcome import Outcome
from agentgym.trajectory import Group, Trajectory, Turn
from agentgym_rl.core.batch import TrainBatch


def episode(name: str, turns: list[tuple[int, int]], opens: tuple[int, ...] = (), **fields) -> Trajectory:
    """Turns of (prompt, sampled) tokens; the sampled ones are numbered from 100 on."""
    made, number = [], 100
    for index, (prompt, sampled) in enumerate(turns):
        turn = Turn(index, [], {"role": "assistant", "content": "x"}, "x")
        turn.prompt_ids = np.arange(prompt, dtype=np.int32)
        turn.action_ids = np.arange(number, number + sampled, dtype=np.int32)
        turn.behaviour_logprobs = np.full(sampled, -1.0, np.float32)
        turn.version, turn.opens_segment = 0, index in opens
        number += sampled
        made.append(turn)
    return Trajectory(name, f"task-{name}", turns=made, outcome=Outcome("terminated"), **fields)


def sealed(*members: Trajectory, group_id: str = "g") -> Group:
    group = Group(group_id, "task", len(members))
    for member in members:
        group.add(member)
    return group


@pytest.fixture
def batch() -> TrainBatch:
    """Three episodes, the second of them in three segments and the third with nothing sampled."""
    second = episode("b", [(3, 1), (2, 2), (4, 3)], opens=(0, 1, 2))
    return TrainBatch.of([sealed(episode("a", [(2, 2), (1, 1)]), second, episode("c", [(2, 0)]))])


def test_segments_belong_to_their_trajectories(batch: TrainBatch) -> None:
    assert batch.owner.tolist() == [0, 1, 1, 1]
    assert [batch.segments_of(index) for index in range(3)] == [[0], [1, 2, 3], []]
    assert batch.turn_index(0).tolist() == [0, 0, 1]
    assert batch.turn_index(1).tolist() == [0, 1, 1, 2, 2, 2]
    assert batch.turn_index(2).tolist() == []


def test_spread_is_the_inverse_of_sampled(batch: TrainBatch) -> None:
    stream = [np.zeros(segment.num_tokens) for segment in batch.segments]
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    batch.spread(values, 1, stream)
    assert batch.sampled(stream, 1).tolist() == values.tolist()
    assert batch.sampled(stream, 0).tolist() == [0.0] * 3
    assert stream[2].tolist() == [0.0, 0.0, 2.0, 3.0]
    assert batch.sampled(stream, 2).tolist() == []


def test_keep_takes_all_streams_along(batch: TrainBatch) -> None:
    def numbered(offset: int) -> list[np.ndarray]:
        return [np.full(segment.num_tokens, float(offset + place)) for place, segment in enumerate(batch.segments)]

    streams = ("advantages", "value_targets", "is_value_target", "old_values", "prox_logprobs", "reference_logprobs")
    for offset, name in enumerate(streams):
        setattr(batch, name, numbered(10 * offset))
    batch.final_values = [None, 1.5, None]
    kept = batch.keep(np.array([False, True, True]))
    assert [trajectory.id for trajectory in kept.trajectories] == ["b", "c"]
    assert kept.owner.tolist() == [0, 0, 0]
    for offset, name in enumerate(streams):
        assert [stream[0] for stream in getattr(kept, name)] == [10 * offset + place for place in (1, 2, 3)]
    assert kept.final_values == [1.5, None]
    assert kept.segments_of(0) == [0, 1, 2]
    nothing = kept.keep(np.array([False, False]))
    assert (nothing.num_sequences, nothing.segments, nothing.owner.tolist()) == (0, [], [])


def test_open_groups_are_refused() -> None:
    group = Group("g", "task", 2)
    group.add(episode("a", [(1, 1)]))
    with pytest.raises(ContractError, match="not sealed"):
        TrainBatch.of([group])


def test_derived_tokens_are_refused_where_probabilities_count() -> None:
    shown = episode("a", [(2, 2)], is_derived=True)
    with pytest.raises(ContractError, match=r"no behaviour log-probabilities.*clone it instead"):
        TrainBatch.of([sealed(shown)])
    assert len(TrainBatch.of_trajectories([shown]).segments) == 1
