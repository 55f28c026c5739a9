import numpy as np
import pytest

from agentgym.attribution.groups.episode_groups import EpisodeGroups
from agentgym.attribution.shaping.bounded import Bounded
from agentgym.errors import ConfigError
from tests.attribution import planted
from tests.attribution.records import steps_of
from tests.trainers.rl.planted import trap

SHAPED = steps_of([[0.0, 1.0], [0.0]]).with_rewards(np.array([9.0, 1.5, 0.25]))


def test_shaping_is_bounded_then_centred():
    assert Bounded(2.0, "none").credit(SHAPED).tolist() == [2.0, 1.5, 0.25]
    assert Bounded(2.0, "trajectory").credit(SHAPED).tolist() == [0.75, 0.25, 0.0]
    assert Bounded(2.0, "group").credit(SHAPED).tolist() == [2.0 - 1.375 / 2, 1.5 - 1.375 / 2, 0.25 - 1.375]


@trap(Bounded, planted.CentredOverSteps)
def test_shaping_centred_over_a_group_adds_nothing_in_the_mean_of_its_rollouts(method):
    """Trap D-12: every rollout counts once, however long it is, and equal shaping moves no advantage."""
    recorded = steps_of([[0.0] * 49 + [1.0], [0.0]])
    shaped = recorded.with_rewards(recorded.rewards + np.array([0.01] * 50 + [0.5]))
    guarded = shaped.with_rewards(method(1.0, "group").credit(shaped))
    assert guarded.totals(guarded.rewards).tolist() == pytest.approx([1.0, 0.0])
    np.testing.assert_allclose(EpisodeGroups().credit(guarded), EpisodeGroups().credit(recorded), atol=1e-9)


def test_recorded_rewards_are_left_alone():
    steps = steps_of([[5.0, -7.0]])
    assert Bounded(0.1).credit(steps).tolist() == [5.0, -7.0]


def test_what_cannot_be_is_refused():
    with pytest.raises(ConfigError, match="limit must be positive"):
        Bounded(0.0)
    with pytest.raises(ConfigError, match=r"bounded\.centre"):
        Bounded(centre="batch")
