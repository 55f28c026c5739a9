from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import ContractError
from agentgym.outcome import Outcome
from agentgym.trajectory import Turn
from agentgym_rl.replay.draw import Draw
from agentgym_rl.replay.reading import read_episodes, read_turns
from tests.trainers.rl.replay.episodes import episode


def test_a_turn_comes_with_what_the_policy_saw(store, make_index):
    store.write_episode(episode(1))
    store.write_episode(episode(4, 0.5, version=6, outcome=Outcome("truncated", "turns")))
    index = make_index()
    first, second, third, last = read_turns(Draw.of(index, "turn", np.arange(1, 5)))
    assert first.context_ids.tolist() == [0, 1]
    assert first.action_ids.tolist() == [100]
    assert first.behaviour_logprobs.tolist() == [-0.5]
    assert second.context_ids.tolist() == first.next_context_ids.tolist() == [0, 1, 100, 10, 11]
    assert third.context_ids.tolist() == [20, 21]
    assert last.context_ids.tolist() == [20, 21, 102, 30, 31]
    assert [one.position for one in (first, second, third, last)] == [0, 1, 2, 3]
    assert [one.reward for one in (first, last)] == [0.0, 0.5]
    assert (last.next_context_ids, last.is_truncated, third.is_truncated) == (None, True, False)
    assert (last.episode, last.version) == (2, 6)


def test_turns_without_tokens_are_empty(store, make_index):
    store.write_episode(episode(turns=[Turn(0, [], {"role": "assistant"}, "go")], is_derived=True))
    (found,) = read_turns(Draw.of(make_index(), "turn", np.array([0])))
    assert len(found.context_ids) == len(found.action_ids) == 0
    assert found.behaviour_logprobs is None


def test_episodes_come_in_the_order_of_the_draw(store, make_index):
    written = [episode(), episode(), episode()]
    for one in written:
        store.write_episode(one)
    index = make_index()
    found = read_episodes(Draw.of(index, "episode", np.array([2, 0, 2])))
    assert [one.id for one in found] == [written[place].id for place in (2, 0, 2)]
    by_turn = read_episodes(Draw.of(index, "turn", np.array([5])))
    assert by_turn[0].id == written[2].id


def test_entries_that_moved_are_not_read(store, make_index):
    store.write_episode(episode())
    index = make_index()
    draw = Draw.of(index, "turn", np.array([0]))
    store.write_episode(episode())
    index.refresh(iteration=1, version=0)
    for read in (read_turns, read_episodes):
        with pytest.raises(ContractError, match="have moved"):
            read(draw)
