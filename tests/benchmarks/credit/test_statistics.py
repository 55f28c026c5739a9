import numpy as np
import pytest

from benchmarks.credit.statistics import band, mean_over_turns, median_reached, paired, scores_at, turns_to
from tests.benchmarks.credit.records import probes

RISING = probes((0, 0.1), (100, 0.3), (200, 0.9))


def test_scores_lie_on_the_line_between_probes():
    assert scores_at(RISING, np.array([0.0, 50.0, 150.0, 900.0])) == pytest.approx([0.1, 0.2, 0.6, 0.9])


def test_the_mean_over_turns_is_the_area_below_the_curve():
    assert mean_over_turns(RISING, 200) == pytest.approx((0.2 * 100 + 0.6 * 100) / 200)
    assert mean_over_turns(RISING, 400) == pytest.approx((20 + 60 + 0.9 * 200) / 400)
    assert mean_over_turns(RISING, 100) == pytest.approx(0.2)  # what comes after the budget does not count


def test_turns_to_a_level_are_those_of_the_first_crossing():
    assert turns_to(RISING, 0.6) == pytest.approx(150)
    assert turns_to(RISING, 0.05) == 0
    assert turns_to(RISING, 0.95) is None
    assert turns_to(probes((0, 0.1), (100, 0.5), (200, 0.2), (300, 0.9)), 0.5) == pytest.approx(100)


def test_seeds_that_never_get_there_are_the_slowest():
    assert median_reached([300.0, None, 100.0]) == {"median": 300, "reached": 2, "seeds": 3}
    assert median_reached([None, None, 100.0])["median"] is None


def test_differences_are_paired_by_seed():
    ours, theirs = {0: 0.5, 1: 0.9, 2: 0.4, 7: 0.0}, {0: 0.4, 1: 0.8, 2: 0.3, 8: 1.0}
    found = paired(ours, theirs)
    assert (found.mean, found.num_tasks) == (pytest.approx(0.1), 3)
    assert found.low > 0  # though the seeds lie far apart


def test_the_band_of_one_seed_has_no_interval():
    assert band([RISING], np.array([0.0, 200.0])) == {
        "turns": [0, 200],
        "mean": [0.1, 0.9],
        "low": [None, None],
        "high": [None, None],
    }
    several = band([RISING, probes((0, 0.1), (200, 0.5)), probes((0, 0.1), (200, 0.7))], np.array([0.0, 200.0]))
    assert several["low"][0] == several["high"][0] == 0.1
    assert several["low"][1] < 0.7 < several["high"][1]
