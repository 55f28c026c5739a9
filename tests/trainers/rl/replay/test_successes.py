from __future__ import annotations

import pytest

from agentgym.errors import ConfigError
from agentgym.trajectory import Group
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.replay.successes import TaskSuccesses, is_replayed
from tests.trainers.rl.replay.episodes import episode


def group(*rewards, task_id="toy/replay:train-1"):
    made = Group("g", task_id, len(rewards))
    for attempt, reward in enumerate(rewards):
        made.add(episode(reward=reward, group_id="g", attempt=attempt, task_id=task_id))
    return made


@pytest.fixture
def stored(store, make_index):
    for reward in (1.0, 0.0, 1.0, 1.0):
        store.write_episode(episode(reward=reward))
    store.write_episode(episode(reward=1.0, is_derived=True))
    return make_index()


def test_the_newest_successes_of_a_task_are_kept(stored, generator):
    successes = TaskSuccesses(stored, generator, per_task=2)
    assert successes.of_task("toy/replay:train-1") == [2, 3]
    assert successes.of_task("toy/replay:train-2") == successes.of_task("toy/replay:train-1", "other") == []


def test_a_group_without_a_success_gets_one(stored, generator):
    (filled,) = TaskSuccesses(stored, generator).fill([group(0.0, 0.0)])
    assert filled.size == len(filled.members) == 3
    assert filled.is_sealed
    added = filled.members[-1]
    assert [is_replayed(member) for member in filled.members] == [False, False, True]
    assert (added.success, added.attempt, added.group_id) == (True, 2, "g")
    assert added.turns[0].behaviour_logprobs.tolist() == [-0.5]
    batch = TrainBatch.of([filled])
    assert len({one.id for one in batch.trajectories}) == 3


def test_other_groups_stay_as_they_are(stored, generator):
    groups = [group(0.0, 1.0), group(0.0, 0.0, task_id="toy/replay:train-2"), Group("empty", "x", 0)]
    filled = TaskSuccesses(stored, generator).fill(groups)
    assert all(one is other for one, other in zip(filled, groups, strict=True))


def test_every_kept_success_is_drawn(stored, generator):
    successes = TaskSuccesses(stored, generator)
    found = {successes.fill([group(0.0)])[0].members[-1].metadata["replayed_from"] for _ in range(60)}
    assert len(found) == 3


def test_keeping_none_is_refused(stored, generator):
    with pytest.raises(ConfigError, match="at least 1 success"):
        TaskSuccesses(stored, generator, per_task=0)
