"""Means and deviations of groups are those of loops over their members, weighted or not."""

import numpy as np
import pytest

from agentgym.attribution.groups.baselines import Baselines, has_spread


@pytest.fixture(params=[0, 1, 2])
def members(request):
    rng = np.random.default_rng(request.param)
    ids = rng.integers(0, 5, 40)
    ids[:5] = np.arange(5)
    return rng.normal(size=40), ids, rng.random(40)


def test_unweighted_baselines_are_those_of_a_loop(members):
    values, ids, _ = members
    found = Baselines(values, ids)
    for group in range(5):
        own = values[ids == group]
        assert found.means[group] == pytest.approx(own.mean())
        assert found.deviations[group] == pytest.approx(own.std(ddof=1) if len(own) > 1 else 0)
    without = found.means_without(np.arange(40))
    for at in range(40):
        others = np.delete(values, at)[np.delete(ids, at) == ids[at]]
        assert without[at] == pytest.approx(others.mean() if len(others) else values[at])


def test_weights_of_one_change_nothing(members):
    values, ids, _ = members
    plain, weighted = Baselines(values, ids), Baselines(values, ids, np.ones(40))
    np.testing.assert_allclose(weighted.means, plain.means)
    np.testing.assert_allclose(weighted.deviations, plain.deviations)
    np.testing.assert_allclose(weighted.means_without(np.arange(40)), plain.means_without(np.arange(40)))


def test_weighted_baselines_are_those_of_a_loop(members):
    values, ids, weights = members
    found = Baselines(values, ids, weights)
    without = found.means_without(np.arange(40))
    for at in range(40):
        is_other = (ids == ids[at]) & (np.arange(40) != at)
        expected = np.average(values[is_other], weights=weights[is_other]) if is_other.any() else values[at]
        assert without[at] == pytest.approx(expected)


def test_a_group_in_which_nothing_counts_has_its_plain_mean_and_no_deviation():
    found = Baselines(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1]), np.zeros(3))
    assert found.means.tolist() == [2.0, 5.0]
    assert found.deviations.tolist() == [0.0, 0.0]
    assert found.means_without(np.arange(3)).tolist() == [1.0, 3.0, 5.0]


def test_values_within_the_tolerance_of_their_own_group_do_not_differ():
    values = np.array([1.0, 1.0 + 1e-9, 0.0, 1.0, 1e9, 1e9 + 1])
    assert has_spread(values, np.array([0, 0, 1, 1, 2, 2])).tolist() == [False, True, False]
    assert has_spread(np.zeros(0), np.zeros(0, np.int64)).tolist() == []
