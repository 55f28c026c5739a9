from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import CheckpointError, ConfigError, ContractError
from agentgym_rl.replay.imitation import SelfImitation, UsualReturns
from agentgym_rl.replay.tables import ImitationConfig
from tests.trainers.rl.replay.episodes import episode


@pytest.fixture
def index(store, make_index):
    for reward in (0.0, 0.4, 0.6, 1.0):
        store.write_episode(episode(reward=reward))
    return make_index()


def test_advantages_are_recalibrated_by_what_is_usual_now():
    usual = UsualReturns(ImitationConfig(history=3))
    for mean in (0.9, 0.1, 0.5, 0.7):
        usual.observe(np.array([mean - 0.1, mean + 0.1]))
    assert usual.recalibrated(np.array([1.0, 0.0])) == pytest.approx([0.5, -0.5])
    scaled = UsualReturns(ImitationConfig(is_scaled=True))
    scaled.observe(np.array([0.4, 0.6]))
    assert scaled.recalibrated(np.array([1.0])) == pytest.approx([5.0])


def test_groups_of_equal_returns_are_never_divided_by():
    """Where most groups fail throughout, their deviation of 0 would blow advantages up a million times (D-11)."""
    usual = UsualReturns(ImitationConfig(is_scaled=True))
    usual.observe(np.zeros(8))
    assert usual.recalibrated(np.array([1.0])) == pytest.approx([1.0])
    usual.observe(np.array([0.0, 1.0]))
    usual.observe(np.full(8, 0.1) + 1e-12 * np.arange(8))
    assert usual.recalibrated(np.array([1.0])) == pytest.approx([1.8])


def test_only_what_is_better_than_usual_is_imitated(index, generator):
    imitation = SelfImitation(index, generator, UsualReturns(ImitationConfig()))
    assert len(imitation.draw(10).entries) == 0
    imitation.usual.observe(np.array([0.5, 0.5]))
    assert set(imitation.draw(100).entries.tolist()) == {2, 3}
    imitation.usual.observe(np.full(2, 2.0))
    imitation.usual.observe(np.full(2, 2.0))
    assert len(imitation.draw(10).entries) == 0


def test_a_restored_imitation_goes_on_as_it_would_have(index):
    first, second = (
        SelfImitation(index, np.random.default_rng(seed), UsualReturns(ImitationConfig())) for seed in (1, 2)
    )
    first.usual.observe(np.array([0.2, 0.4]))
    first.draw(3)
    second.restore(first.state())
    assert first.draw(9).entries.tolist() == second.draw(9).entries.tolist()
    with pytest.raises(CheckpointError, match="no self-imitation"):
        second.restore({"rng": first.state()["rng"]})


def test_returns_and_settings_that_are_none_are_refused():
    with pytest.raises(ContractError, match="finite"):
        UsualReturns(ImitationConfig()).observe(np.array([np.nan]))
    with pytest.raises(ConfigError, match="history must be at least 1"):
        ImitationConfig(history=0)
