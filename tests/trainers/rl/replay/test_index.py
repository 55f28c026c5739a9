"""Trap D-28 (ageing, resume), the buffer's part of D-34, and the bounds."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym.errors import CheckpointError, ConfigError, ContractError, StoreError
from agentgym.outcome import Outcome
from agentgym.store import RunStore
from agentgym_rl.core.part_state import PartState
from agentgym_rl.replay.draw import generator_state
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.prioritised import PrioritisedReplay
from agentgym_rl.replay.successes import TaskSuccesses
from agentgym_rl.replay.tables import PriorityConfig, ReplayConfig
from agentgym_rl.replay.uniform import UniformReplay
from tests.trainers.rl.planted import noticed, parametrised
from tests.trainers.rl.replay.episodes import SUITE, episode


def test_columns_are_those_of_the_episodes(store, make_index):
    store.write_episode(episode(2, 1.0, version=3), iteration=4)
    store.write_episode(episode(3, 0.0, version=5, outcome=Outcome("truncated", "turns")), iteration=5)
    index = make_index(iteration=6, version=7)
    assert index.starts.tolist() == [0, 2, 5]
    assert index.reward.tolist() == [1.0, 0.0]
    assert index.turn_reward.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert index.largest_return() == 1.0
    assert index.is_truncated.tolist() == [False, True]
    assert index.ages().tolist() == [2, 1]
    assert index.lags().tolist() == [4, 2]
    assert index.episode_of(np.arange(5)).tolist() == [0, 0, 1, 1, 1]
    assert index.tasks == [("toy/replay:train-1", "agent")]


def test_tasks_that_come_once_each_do_not_pile_up(store, make_index):
    """Names are columns too: a run that makes its tasks has a new one for each group."""
    index = make_index(capacity=8)
    for number in range(40):
        store.write_episode(episode(2, task_id=f"made-{number}"), iteration=number)
        index.refresh(iteration=number, version=number)
        names = [index.tasks[code][0] for code in index.task]
        assert names == [f"made-{place}" for place in range(max(0, number - 3), number + 1)]
    assert len(index.tasks) <= 2 * index.num_episodes


def test_an_index_without_a_capacity_keeps_everything(store, make_index):
    for _ in range(5):
        store.write_episode(episode(3))
    assert make_index(capacity=None).num_episodes == 5
    assert make_index(capacity=8).left_out == 3


OURS = RunStore.columns


def columns_of_every_purpose(store, **options):
    """D-34: the buffer takes in whatever the run holds."""
    for purpose in ("train", "validation", "test", "demo"):
        yield from OURS(store, **(options | {"purpose": purpose}))


@parametrised(OURS, columns_of_every_purpose)
def test_evaluations_never_enter(implementation, is_bug, store, make_index, monkeypatch):
    for purpose in ("validation", "train", "test", "demo"):
        store.write_episode(episode(), iteration=1, purpose=purpose)
    store.write_episode(episode(outcome=Outcome("infrastructure", "x"), success=None), iteration=1)
    monkeypatch.setattr(RunStore, "columns", implementation)
    with noticed(is_bug):
        assert make_index().number.tolist() == [2]


class Ageless(ReplayIndex):
    """D-28: age and lag are only looked at when an episode enters."""

    def refresh(self, *, iteration, version):
        kept, self._drop_beyond_bounds = self._drop_beyond_bounds, lambda: 0
        try:
            return super().refresh(iteration=iteration, version=version)
        finally:
            self._drop_beyond_bounds = kept


@parametrised(ReplayIndex, Ageless)
@pytest.mark.parametrize("bounds", [{"max_age": 2}, {"max_lag": 2}], ids=str)
def test_entries_beyond_the_bounds_are_unreachable(implementation, is_bug, bounds, store, generator):
    for iteration in range(6):
        store.write_episode(episode(version=iteration), iteration=iteration)
    index = implementation(store, ReplayConfig(**bounds), suite=SUITE)
    index.refresh(iteration=3, version=3)
    store.write_episode(episode(version=6), iteration=6)
    index.refresh(iteration=6, version=6)
    with noticed(is_bug):
        assert set(UniformReplay(index, generator, "episode").draw(300).entries.tolist()) == set(range(3))
        assert index.iteration.tolist() == [4, 5, 6]


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    waves=st.lists(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 2)), max_size=6), min_size=1, max_size=5),
    capacity=st.integers(1, 25),
    max_age=st.none() | st.integers(0, 3),
    max_lag=st.none() | st.integers(0, 4),
)
def test_bounds_hold_and_nothing_younger_is_lost(waves, capacity, max_age, max_lag, tmp_path_factory):
    bounds = ReplayConfig(capacity, max_age, max_lag)
    with RunStore.create(tmp_path_factory.mktemp("run") / "run", {"suite": SUITE}) as store:
        index = ReplayIndex(store, bounds, suite=SUITE)
        kept: list[tuple[int, int, int, int]] = []
        for now, wave in enumerate(waves):
            for num_turns, behind in wave:
                number = store.write_episode(episode(num_turns, version=max(0, now - behind)), iteration=now)
                kept.append((number, num_turns, now, max(0, now - behind)))
            index.refresh(iteration=now, version=now)
            # The slow reference: drop what is out of bounds, then the oldest until the rest fits.
            kept = [one for one in kept if max_age is None or now - one[2] <= max_age]
            kept = [one for one in kept if max_lag is None or now - one[3] <= max_lag]
            while sum(one[1] for one in kept) > capacity:
                del kept[0]
            assert index.number.tolist() == [one[0] for one in kept]
            assert np.diff(index.starts).tolist() == [one[1] for one in kept]
            assert index.num_turns == len(index.turn_version) == len(index.turn_priority) <= capacity
            assert index.watermark == store.watermark()
            resumed = ReplayIndex(store, bounds, suite=SUITE)
            resumed.restore(index.state())
            assert resumed.number.tolist() == index.number.tolist()


def forgets_the_generator(selector, record):
    """D-28: the state of the draws is not part of the checkpoint."""
    type(selector).restore(selector, record | {"rng": generator_state(np.random.default_rng(0))})


def forgets_the_priorities(selector, record):
    """D-28: every entry is new again after resuming."""
    type(selector).restore(selector, record)
    selector.index.turn_priority[:] = np.nan


def restores(selector, record):
    selector.restore(record)


def _batches(selector, index, store, iteration):
    """Three further iterations: draw, learn something from it, and take in new episodes."""
    drawn = []
    for step in range(3):
        draw = selector.draw(5)
        drawn += [index.number[draw.episodes()].tolist(), draw.weights.tolist()]
        selector.update(draw, np.sin(draw.entries + step))
        store.write_episode(episode(4, version=iteration + step), iteration=iteration + step)
        index.refresh(iteration=iteration + step, version=iteration + step)
    return drawn


@parametrised(restores, forgets_the_generator, forgets_the_priorities)
def test_a_resumed_buffer_draws_the_same_next_batches(implementation, is_bug, store, make_index):
    for iteration in range(8):
        store.write_episode(episode(3, version=iteration), iteration=iteration)
    index = make_index(8, 8, capacity=20, max_age=6)
    selector = PrioritisedReplay(index, np.random.default_rng(3), PriorityConfig())
    selector.draw(2)
    _batches(selector, index, store, 8)
    record = json.loads(json.dumps({"index": index.state().record, "selector": selector.state()}))
    tensors = {name: tensor.clone() for name, tensor in index.state().tensors.items()}
    expected = _batches(selector, index, store, 11)

    store.rollback_after(10)
    again = ReplayIndex(store, index.config, suite=SUITE)
    again.restore(PartState(record["index"], tensors))
    resumed = PrioritisedReplay(again, np.random.default_rng(99), PriorityConfig())
    implementation(resumed, record["selector"])
    with noticed(is_bug):
        assert _batches(resumed, again, store, 11) == expected


def test_successes_resume_too(store, make_index):
    for iteration in range(6):
        store.write_episode(episode(reward=iteration % 2), iteration=iteration)
    index = make_index()
    first = TaskSuccesses(index, np.random.default_rng(1))
    second = TaskSuccesses(index, np.random.default_rng(2))
    second.restore(copy.deepcopy(first.state()))
    assert first.state() == second.state()


def test_a_checkpoint_whose_episodes_are_gone_is_refused(store, make_index):
    store.write_episode(episode(), iteration=1)
    store.write_episode(episode(), iteration=2)
    index = make_index(2, 0)
    state = index.state()
    store.rollback_after(1)
    with pytest.raises(CheckpointError, match=r"holds 2 episodes of 4 turns, of which .* has 1 of 2"):
        ReplayIndex(store, index.config, suite=SUITE).restore(state)
    with pytest.raises(CheckpointError, match="lacks 'watermark'"):
        index.restore(PartState({}))


def test_an_empty_buffer_says_so(make_index, generator):
    with pytest.raises(ContractError, match=r"is empty.*refresh it after episodes were collected"):
        UniformReplay(make_index(), generator).draw(3)


def test_an_episode_of_another_suite_is_refused(store, make_index):
    store.write_episode(episode(suite="toy/other"))
    with pytest.raises(StoreError, match="of the suite 'toy/other', expected 'toy/replay'"):
        make_index()


def test_derived_episodes_can_be_left_out(store, make_index):
    store.write_episode(episode(is_derived=True))
    store.write_episode(episode())
    assert make_index().number.tolist() == [1, 2]
    assert make_index(admitted="sampled").number.tolist() == [2]


def test_episodes_without_turns_never_enter(store, make_index):
    store.write_episode(episode(0, events=[]))
    assert make_index().num_episodes == 0


@pytest.mark.parametrize("bounds", [{"capacity": 0}, {"max_age": -1}, {"max_lag": -1}], ids=str)
def test_bounds_that_hold_nothing_are_refused(bounds):
    with pytest.raises(ConfigError, match=next(iter(bounds))):
        ReplayConfig(**bounds)
