import json

import numpy as np
import pytest

from agentgym.errors import StoreError
from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.store import RunStore


def test_columns_hold_graded_episodes_of_one_purpose(store, make_trajectory):
    store.write_episode(make_trajectory("a", 2), iteration=3)
    store.write_episode(make_trajectory("b", 3, outcome=Outcome("infrastructure", "x"), success=None))
    store.write_episode(make_trajectory("held-out", 3), purpose="validation")
    store.write_episode(make_trajectory("c", 1, outcome=Outcome("truncated", "turns"), is_derived=True, success=None))
    (found,) = store.columns()
    assert found.number.tolist() == [1, 4]
    assert found.task == [("tools/lookup:train-00001", "agent")] * 2
    assert found.content_hash == [one.content_hash for one in store.load(store.episode_rows()) if one.id in "ac"]
    assert found.iteration.tolist() == [3, -1]
    assert found.success.tolist() == [1, -1]
    assert found.is_truncated.tolist() == found.is_derived.tolist() == [False, True]
    assert found.num_turns.tolist() == [2, 1]
    assert found.turn_reward.tolist() == [0.0, 1.0, 1.0]
    assert found.turn_version.tolist() == [0, 1, 0]
    assert found.opens_segment.tolist() == [True, False, True]


def test_columns_are_read_between_two_numbers(store, make_trajectory, monkeypatch):
    monkeypatch.setattr("agentgym.store.columns._CHUNK", 2)
    for index in range(7):
        store.write_episode(make_trajectory(f"e{index}", 1))
    chunks = [found.number.tolist() for found in store.columns(after=1, upto=6)]
    assert chunks == [[2, 3], [4, 5], [6]]


def test_token_arrays_are_those_of_the_turns(store, make_trajectory):
    written = make_trajectory("a", 3)
    store.write_episode(written)
    arrays = store.token_arrays([1, 9])
    assert list(arrays) == [1]
    for found, turn in zip(arrays[1], written.turns, strict=True):
        np.testing.assert_array_equal(found.prompt_ids, turn.prompt_ids)
        np.testing.assert_array_equal(found.action_ids, turn.action_ids)
        np.testing.assert_array_equal(found.behaviour_logprobs, turn.behaviour_logprobs)


def test_numbered_episodes_come_in_the_order_asked_for(store, make_trajectory):
    for name in "abc":
        store.write_episode(make_trajectory(name))
    found = store.numbered([3, 1, 3])
    assert [one.id for one in found] == ["c", "a", "c"]
    assert found[0] is not found[2]
    with pytest.raises(StoreError, match="no episode of number 8"):
        store.numbered([1, 8])


def test_graded_episodes_without_a_finite_return_are_refused(store, make_trajectory):
    store.write_episode(make_trajectory("a"))
    with store._connection.transaction() as sqlite:
        sqlite.execute("UPDATE episodes SET reward = NULL")
    with pytest.raises(StoreError, match="'a' was graded, but its return is None"):
        list(store.columns())


def test_graded_episodes_with_a_reward_that_is_no_number_are_refused(store, make_trajectory):
    store.write_episode(make_trajectory("a"))
    with store._connection.transaction() as sqlite:
        [(text,)] = sqlite.execute("SELECT record FROM episodes").fetchall()
        record = json.loads(text)
        record["events"][0][RewardEvent._fields.index("value")] = float("nan")
        sqlite.execute("UPDATE episodes SET record = ?", (json.dumps(record),))
    with pytest.raises(StoreError, match="turn 4 of episode 'a' has reward nan, expected a finite number"):
        list(store.columns())


def read(store):
    return list(store.columns()), store.token_arrays([1])


@pytest.mark.parametrize("damage", ["DELETE FROM turns WHERE position = 1", "UPDATE tokens SET arrays = x'00'"])
def test_damaged_turns_are_refused(tmp_path, make_trajectory, damage):
    with RunStore.create(tmp_path / "run", {"seed": 1}) as store:
        store.write_episode(make_trajectory("a"))
        with store._connection.transaction() as sqlite:
            sqlite.execute(damage)
        with pytest.raises(StoreError, match="restore the run folder"):
            read(store)
