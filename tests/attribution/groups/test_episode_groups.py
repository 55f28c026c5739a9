import numpy as np
import pytest

from agentgym.attribution.groups.baselines import STD_EPS
from agentgym.attribution.groups.episode_groups import EpisodeGroups
from tests.attribution import planted
from tests.attribution.records import steps_of
from tests.trainers.rl.planted import trap


@trap(EpisodeGroups, planted.BaselineOverSteps)
def test_a_baseline_counts_rollouts_and_not_turns(method):
    """Trap D-12: fifty turns that failed and one that succeeded are half a point from the mean each."""
    steps = steps_of([[0.0] * 50, [1.0]])
    assert set(method("mean").credit(steps).tolist()) == {-0.5, 0.5}


def test_every_turn_has_what_its_episode_exceeds_the_others_by():
    steps = steps_of([[0.0, 3.0], [0.0], [1.0, 0.0]])
    assert EpisodeGroups().credit(steps).tolist() == [2.5, 2.5, -2.0, -0.5, -0.5]
    scaled = EpisodeGroups("mean", is_scaled=True).credit(steps)
    assert scaled[0] == pytest.approx((3 - 4 / 3) / (np.std([3, 0, 1], ddof=1) + STD_EPS))


def test_a_rollout_alone_and_equal_returns_have_none():
    assert EpisodeGroups().credit(steps_of([[0.0, 3.0]])).tolist() == [0.0, 0.0]
    assert EpisodeGroups(is_scaled=True).credit(steps_of([[1.0], [1.0 + 1e-9]])).tolist() == [0.0, 0.0]
