"""Uniform, prioritised and return-weighted draws, and draws across runs; trap D-28 (ties)."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from agentgym.errors import CheckpointError, ConfigError, ContractError
from agentgym.store import RunStore
from agentgym_rl.replay.across_runs import ReplayAcrossRuns
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.prioritised import PrioritisedReplay
from agentgym_rl.replay.returns import ReturnWeightedReplay, return_weights
from agentgym_rl.replay.sum_tree import SumTree
from agentgym_rl.replay.tables import PriorityConfig, ReplayConfig
from agentgym_rl.replay.uniform import UniformReplay
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.replay.episodes import episode


@pytest.fixture
def index(store, make_index):
    for reward in (0.0, 1.0, 0.5):
        store.write_episode(episode(2, reward), iteration=1)
    return make_index(3, 4)


def shares(selector, size):
    return np.bincount(selector.draw(30_000).entries, minlength=size) / 30_000


def test_uniform_draws_every_turn_alike(index, generator):
    assert shares(UniformReplay(index, generator), 6) == pytest.approx([1 / 6] * 6, abs=0.01)


def test_uniform_draws_every_episode_alike(index, generator):
    assert shares(UniformReplay(index, generator, "episode"), 3) == pytest.approx([1 / 3] * 3, abs=0.01)


def test_priorities_follow_a_worked_example(index, generator):
    selector = PrioritisedReplay(index, generator, PriorityConfig(alpha=0.5, beta=1.0, floor=1e-9))
    draw = selector.draw(64)
    assert draw.weights == pytest.approx(np.ones(64))
    values = np.array([4.0, 1.0, 0.0, 9.0, -1.0, 1.0])
    selector.update(draw, values[draw.entries])
    assert set(draw.entries.tolist()) == set(range(6))
    expected = np.array([2.0, 1.0, 0.0, 3.0, 1.0, 1.0]) / 8
    assert shares(selector, 6) == pytest.approx(expected, abs=0.01)
    again = selector.draw(1000)
    rarest = again.entries == 1
    assert again.weights[rarest] == pytest.approx(np.ones(rarest.sum()))
    assert again.weights[again.entries == 3] == pytest.approx(1 / 3)


def test_new_entries_get_the_highest_priority(store, index, generator):
    selector = PrioritisedReplay(index, generator, PriorityConfig(alpha=1.0))
    selector.update(selector.draw(64), np.full(64, 5.0))
    store.write_episode(episode(1), iteration=2)
    index.refresh(iteration=3, version=4)
    assert shares(selector, 7)[6] == pytest.approx(1 / 7, abs=0.01)


def test_priorities_by_return_are_those_of_the_episodes(index, generator):
    selector = PrioritisedReplay(index, generator, PriorityConfig(by="return", alpha=1.0), "episode")
    assert shares(selector, 3) == pytest.approx([0.0, 2 / 3, 1 / 3], abs=0.01)
    turns = PrioritisedReplay(index, generator, PriorityConfig(by="return", alpha=1.0))
    assert shares(turns, 6) == pytest.approx([0, 0, 1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=0.01)
    with pytest.raises(ContractError, match="by return"):
        selector.update(selector.draw(1), np.ones(1))


def find_in_a_heap(tree, masses):
    """D-28: a heap of weights with their entries as dictionaries, which compares these where weights are equal."""
    weights = tree.weights(np.arange(tree._size)).tolist()
    try:
        ranked = heapq.nlargest(len(weights), [(weight, {"entry": n}) for n, weight in enumerate(weights)])
    except TypeError as error:
        raise AssertionError("equal priorities crash") from error
    entries = np.array([one["entry"] for _, one in ranked])
    return entries[np.searchsorted(np.cumsum([weight for weight, _ in ranked]), masses, side="right")]


def find_by_weight(tree, masses):
    """D-28: entries are looked up by their weight, so that of equal ones a single one is ever drawn."""
    by_weight = {weight: n for n, weight in enumerate(tree.weights(np.arange(tree._size)).tolist())}
    return np.array([by_weight[weight] for weight in tree.weights(FIND(tree, masses)).tolist()])


FIND = SumTree.find


@parametrised(FIND, find_in_a_heap, find_by_weight)
def test_equal_priorities_are_drawn_without_preference(implementation, is_bug, index, generator):
    selector = PrioritisedReplay(index, generator, PriorityConfig(alpha=1.0, floor=1e-9))
    draw = selector.draw(64)
    selector.update(draw, np.array([1.0, 1.0, 2.0, 1.0, 2.0, 1.0])[draw.entries])
    with swapped(SumTree, "find", implementation), noticed(is_bug):
        assert shares(selector, 6) == pytest.approx(np.array([1, 1, 2, 1, 2, 1]) / 8, abs=0.01)


def test_entries_that_moved_are_refused(store, index, generator):
    selector = PrioritisedReplay(index, generator, PriorityConfig())
    draw = selector.draw(2)
    store.write_episode(episode(), iteration=2)
    index.refresh(iteration=3, version=4)
    with pytest.raises(ContractError, match="have moved"):
        selector.update(draw, np.ones(2))


def test_draws_of_another_selector_are_refused(index, generator):
    selector = PrioritisedReplay(index, generator, PriorityConfig())
    with pytest.raises(ContractError, match="of episodes where priorities are of turns"):
        selector.update(UniformReplay(index, generator, "episode").draw(2), np.ones(2))


@pytest.mark.parametrize("values", [[1.0, np.nan], [1.0]])
def test_values_that_are_no_numbers_are_refused(index, generator, values):
    selector = PrioritisedReplay(index, generator, PriorityConfig())
    with pytest.raises(ContractError, match="2 entries got"):
        selector.update(selector.draw(2), np.array(values))


def test_returns_weigh_by_the_exponential_of_their_scaled_value(index, generator):
    expected = np.exp(np.array([0.0, 1.0, 0.5]) / 0.5)
    expected /= expected.sum()
    assert shares(ReturnWeightedReplay(index, generator, 0.5), 3) == pytest.approx(expected, abs=0.01)
    turns = shares(ReturnWeightedReplay(index, generator, 0.5, "turn"), 6)
    assert turns == pytest.approx(np.repeat(expected / 2, 2), abs=0.01)
    assert return_weights(np.full(3, 2.0), 0.1).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("make", [UniformReplay, ReturnWeightedReplay], ids=lambda make: make.__name__)
def test_a_restored_selector_goes_on_as_it_would_have(index, make):
    first, second = make(index, np.random.default_rng(1)), make(index, np.random.default_rng(2))
    first.draw(5)
    second.restore(first.state())
    assert first.draw(9).entries.tolist() == second.draw(9).entries.tolist()
    with pytest.raises(CheckpointError, match="cannot be used"):
        second.restore({})


def test_staleness_is_reported(index, generator):
    metrics = UniformReplay(index, generator).draw(8).metrics()
    assert metrics["replay/age/histogram/2_2-3"] == 1.0
    assert {name: value for name, value in metrics.items() if "histogram" not in name} == {
        "replay/lag_mean": 4.0,
        "replay/lag_max": 4.0,
        "replay/age_mean": 2.0,
        "replay/age_max": 2.0,
        "replay/return": pytest.approx(0.5, abs=0.5),
        "replay/derived_share": 0.0,
        "replay/distinct_share": pytest.approx(0.6, abs=0.4),
    }


def test_a_share_of_every_draw_comes_from_other_runs(index, generator):
    def selector(seed):
        return UniformReplay(index, np.random.default_rng(seed))

    mixed = ReplayAcrossRuns(selector(0), [selector(1), selector(2)], generator, share=0.25)
    sizes = [len(draw.entries) for draw in mixed.draw(4000)]
    assert sizes[0] == 3000
    assert sizes[1] + sizes[2] == 1000
    assert sizes[1] == pytest.approx(500, abs=80)
    again = ReplayAcrossRuns(selector(5), [selector(6), selector(7)], np.random.default_rng(8), share=0.25)
    again.restore(mixed.state())
    for one, other in zip(mixed.draw(40), again.draw(40), strict=True):
        assert one.entries.tolist() == other.entries.tolist()


def test_other_runs_are_drawn_from_while_the_present_one_is_empty(index, generator, tmp_path):
    with RunStore.create(tmp_path / "new", {}) as fresh:
        own = UniformReplay(ReplayIndex(fresh, ReplayConfig(), suite="toy/replay"), generator)
        (draw,) = ReplayAcrossRuns(own, [UniformReplay(index, generator)], generator).draw(6)
    assert len(draw.entries) == 6


@pytest.mark.parametrize(
    "build",
    [
        lambda index, rng: PriorityConfig(by="loss"),
        lambda index, rng: PriorityConfig(alpha=2.0),
        lambda index, rng: ReturnWeightedReplay(index, rng, 0.0),
        lambda index, rng: UniformReplay(index, rng).draw(0),
        lambda index, rng: ReplayAcrossRuns(UniformReplay(index, rng), [], rng),
        lambda index, rng: ReplayAcrossRuns(UniformReplay(index, rng), [UniformReplay(index, rng)], rng, 1.5),
    ],
)
def test_settings_that_mean_nothing_are_refused(build, index, generator):
    with pytest.raises(ConfigError):
        build(index, generator)
