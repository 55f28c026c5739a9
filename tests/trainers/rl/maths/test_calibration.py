import numpy as np
import pytest

from agentgym_rl.maths.calibration import NUM_BANDS, calibration_metrics
from agentgym_rl.maths.gae import GaeConfig, turn_gae


def test_values_that_are_the_returns_are_calibrated() -> None:
    rng = np.random.default_rng(0)
    values = [rng.random(7), rng.random(20)]
    found = calibration_metrics(values, values)
    assert found["calibration/error"] == 0.0
    assert found["calibration/explained_variance"] == 1.0
    assert len([name for name in found if name.startswith("calibration/predicted/")]) == NUM_BANDS


def test_bands_are_means_of_equal_numbers_of_steps_by_their_value() -> None:
    values, returns = np.arange(20.0), np.arange(20.0) + np.where(np.arange(20) < 10, 1.0, -3.0)
    found = calibration_metrics([values[::-1]], [returns[::-1]])
    assert [found[f"calibration/predicted/{band:02d}"] for band in range(3)] == [0.5, 2.5, 4.5]
    assert [found[f"calibration/realised/{band:02d}"] for band in (0, 9)] == [1.5, 15.5]
    assert found["calibration/error"] == 2.0


def test_a_constant_value_explains_nothing_of_the_returns() -> None:
    found = calibration_metrics([np.full(50, 0.5)], [np.tile([0.0, 1.0], 25)])
    assert found["calibration/explained_variance"] == pytest.approx(0.0)
    assert "calibration/explained_variance" not in calibration_metrics([np.zeros(3)], [np.ones(3)])


def test_few_steps_make_few_bands_and_none_make_nothing() -> None:
    assert "calibration/predicted/02" not in calibration_metrics([np.zeros(2)], [np.zeros(2)])
    assert calibration_metrics([], []) == {}


def test_the_return_that_followed_is_a_trace_of_one_whatever_the_values_are() -> None:
    """How `credit.py` reads G_t off: the targets of GAE(1), which the values cancel out of."""
    rewards, turns = np.array([1.0, 0.0, 4.0]), np.array([0, 0, 1, 2])
    garbage = np.array([3.0, -1.0, 8.0, 5.0])
    found = turn_gae(rewards, garbage, turns, None, GaeConfig(0.5, 1.0))
    np.testing.assert_allclose(found.value_targets[found.is_value_target], [2.0, 2.0, 4.0])
