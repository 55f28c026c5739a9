"""The moving mean of a learning curve and its interval."""

import numpy as np
import pytest

from agentgym.view.charts import Curve
from agentgym.view.moving import WINDOW, moving_mean


def moved(values):
    return moving_mean(Curve("raw", np.arange(1, len(values) + 1), np.array(values, float)), "mean", colour=1)


def test_the_mean_and_its_interval_stand_in_the_middle_of_their_window():
    found = moved([0.4, 0.6] * 4 + [0.5, 0.95])
    assert found.x.tolist() == [5, 6]
    deviation = np.std([0.4, 0.6] * 4 + [0.5], ddof=1)
    assert found.y[0] == pytest.approx(0.5)
    assert found.high[0] - 0.5 == pytest.approx(2.306 * deviation / 3)
    assert 0.5 - found.low[0] == pytest.approx(2.306 * deviation / 3)


def test_equal_rates_have_no_spikes_whatever_their_own_intervals_were():
    found = moved([0.96, 0.98] * 20)
    widths = found.high - found.low
    assert np.ptp(widths) < 0.001
    assert 0 < widths.max() < 0.03


def test_the_interval_covers_the_rate_in_19_of_20_windows():
    rng = np.random.default_rng(0)
    rates = rng.binomial(50, 0.8, 4000 * WINDOW) / 50
    found = moved(rates)
    apart = slice(None, None, WINDOW)
    covered = np.mean((found.low[apart] <= 0.8) & (found.high[apart] >= 0.8))
    assert 0.935 < covered < 0.965


def test_an_iteration_without_a_rate_leaves_a_gap_about_it():
    values = [0.5, 0.6] * 15
    values[15] = np.nan
    found = moved(values)
    missing = found.x[~np.isfinite(found.y)]
    assert missing.tolist() == list(range(12, 21))


def test_the_interval_stays_within_rates():
    found = moved([1.0] * 8 + [0.9])
    assert found.high[0] == 1.0
    assert found.low[0] < found.y[0]
