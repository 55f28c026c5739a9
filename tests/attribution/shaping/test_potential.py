import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.attribution.groups.episode_groups import EpisodeGroups
from agentgym.attribution.shaping.potential import Potential
from agentgym.errors import ConfigError
from tests.attribution import planted
from tests.attribution.records import TRUNCATED, random_steps, record
from tests.trainers.rl.planted import trap


def test_shaping_is_the_change_of_progress_on_a_worked_example():
    ended = record("a", [0.0, 0.0, 1.0], progress=[0.25, 0.5, 0.75])
    assert Potential().attribute([ended])[0].tolist() == [0.25, 0.25, 0.5]
    absolute = Potential(weight=2.0, gamma=0.5, is_relative=False).attribute([ended])[0]
    assert absolute.tolist() == [2 * (0.25 - 0.25), 2 * (0.375 - 0.5), 1.0 - 1.5]


def test_a_truncated_episode_keeps_its_last_potential_where_a_critic_bootstraps():
    cut = record("a", [0.0, 0.0], progress=[0.25, 0.5, 1.0], outcome=TRUNCATED)
    assert Potential(at_truncation="keep").attribute([cut])[0].tolist() == [0.25, 0.5]
    assert Potential(at_truncation="zero").attribute([cut])[0].tolist() == [0.25, -0.25]


@pytest.mark.parametrize("is_relative", [True, False])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_group_advantages_are_those_without_shaping(is_relative, seed):
    """Trap D-12: undiscounted shaping from one shared start moves credit between turns alone."""
    steps = random_steps(seed)
    shaped = Potential(0.7, is_relative=is_relative).apply(steps)
    for baseline in ("leave_one_out", "mean"):
        advantages = EpisodeGroups(baseline)
        np.testing.assert_allclose(advantages.credit(shaped), advantages.credit(steps), atol=1e-9)


@trap(Potential, planted.PotentialKeptAtTruncation, planted.BonusForProgress)
def test_truncated_rollouts_keep_their_advantages(potential):
    """Trap D-12, the truncated case on its own."""
    steps = random_steps(5)
    assert steps.is_truncated.any()
    shaped = steps.with_rewards(potential(0.7).credit(steps))
    np.testing.assert_allclose(EpisodeGroups().credit(shaped), EpisodeGroups().credit(steps), atol=1e-9)


def test_conservation_is_declared_only_where_it_holds():
    assert Potential().conserves
    for options in ({"gamma": 0.9}, {"is_relative": False}, {"at_truncation": "keep"}):
        assert not Potential(**options).conserves


def test_records_without_progress_are_refused():
    for broken in (record("a", [0.0]), record("a", [0.0, 0.0], progress=[0.5])):
        with pytest.raises(ConfigError, match="record_progress = true"):
            Potential().attribute([broken])
    with pytest.raises(ConfigError, match="final progress of truncated episodes"):
        Potential(at_truncation="keep").attribute([record("a", [0.0], progress=[0.5], outcome=TRUNCATED)])


def test_options_out_of_range_are_refused():
    with pytest.raises(ConfigError, match=r"potential\.gamma"):
        Potential(gamma=1.1)
    with pytest.raises(ConfigError, match="at_truncation"):
        Potential(at_truncation="drop")
