"""Which stored episodes are learnt from, and how they are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentgym.errors import CheckpointError, ConfigError
from agentgym.store import RunStore
from agentgym_rl.offline.stored_episodes import StoredEpisodes, best
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.tables import ReplayConfig
from tests.trainers.rl.replay.episodes import SUITE, episode


def index_of(folder: Path, returns: list[float], capacity: int | None = None) -> ReplayIndex:
    store = RunStore.create(folder, {"suite": SUITE})
    for value in returns:
        store.write_episode(episode(2, value))
    index = ReplayIndex(store, ReplayConfig(capacity), suite=SUITE)
    index.refresh(iteration=0, version=0)
    return index


@pytest.fixture
def episodes(tmp_path: Path):
    indices = [index_of(tmp_path / "a", [0.0, 1.0, 2.0]), index_of(tmp_path / "b", [3.0, 4.0])]
    made: list[StoredEpisodes] = []

    def make(quantile: float = 0.0) -> StoredEpisodes:
        made.append(StoredEpisodes(indices, 7, quantile))
        return made[-1]

    yield make
    for each in made:
        each.close()
        each.close()


def test_every_episode_of_every_run_is_drawn_alike(episodes) -> None:
    drawn = [each.total_reward for each in episodes().draw(500)]
    counts = np.bincount(np.array(drawn, np.int64), minlength=5)
    assert counts.min() > 60


def test_a_quantile_leaves_the_best_episodes(episodes) -> None:
    chosen = episodes(0.5)
    assert (chosen.num_episodes, chosen.total) == (3, 5)
    assert {each.total_reward for each in chosen.draw(50)} == {2.0, 3.0, 4.0}


def test_episodes_beyond_a_capacity_are_left_out_and_counted(tmp_path: Path) -> None:
    bounded, whole = index_of(tmp_path / "a", [0.0, 1.0, 2.0], capacity=5), index_of(tmp_path / "b", [3.0])
    chosen = StoredEpisodes([bounded, whole], 7)
    assert chosen.metrics() == {"offline/episodes": 3.0, "offline/left_out": 1.0}
    assert {each.total_reward for each in chosen.draw(50)} == {1.0, 2.0, 3.0}
    chosen.close()


def test_draws_go_on_where_they_stood(episodes) -> None:
    one, other = episodes(), episodes()
    one.draw(3)
    other.restore(one.state())
    assert [each.id for each in one.draw(20)] == [each.id for each in other.draw(20)]


def test_runs_that_have_grown_since_are_refused(episodes) -> None:
    """Draws are by place among all episodes, so with more of them a resumed run would learn from others."""
    one = episodes()
    state = one.state()
    store = one.indices[0].store
    store.write_episode(episode(2, 5.0))
    one.indices[0].refresh(iteration=0, version=0)
    grown = StoredEpisodes(one.indices, 7)
    with pytest.raises(CheckpointError, match=r"learnt from 5 stored episodes, .* hold 6 now"):
        grown.restore(state)


def test_rare_success_is_what_a_high_quantile_leaves() -> None:
    """With one success in twenty the upper tenth begins at failure; to keep all would filter nothing."""
    returns = np.array([1.0] + [0.0] * 19)
    assert best(returns, 0.9).tolist() == [True] + [False] * 19
    assert best(returns, 0.0).all()


def test_returns_that_are_all_alike_cannot_be_filtered() -> None:
    with pytest.raises(ConfigError, match=r"all 3 episodes return 1, .*algorithm.quantile = 0"):
        best(np.ones(3), 0.9)
