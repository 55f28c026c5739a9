import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.attribution.groups.anchors import Anchors
from agentgym.attribution.return_to_go import ReturnToGo
from agentgym.attribution.steps import returns_to_go
from agentgym.errors import ConfigError
from agentgym.reward import CUTS_CREDIT
from tests.attribution import planted
from tests.attribution.records import random_steps, record, steps_of
from tests.trainers.rl.planted import trap


def test_turns_in_one_state_are_compared_by_what_came_of_them():
    group = [record("a", [0, 1], anchors=["s", "t"]), record("b", [0, 0], anchors=["s", "u"])]
    group += [record("c", [0, 0.5], anchors=["s", "t"])]
    first, second, third = Anchors(gamma=0.5).attribute(group)
    assert first.tolist() == [0.5 - (0 + 0.25) / 2, 1 - 0.5]
    assert second.tolist() == [0 - (0.5 + 0.25) / 2, 0.0]
    assert third.tolist() == [0.25 - (0.5 + 0) / 2, 0.5 - 1]
    mean = Anchors(gamma=0.5, baseline="mean").attribute(group)
    assert mean[0].tolist() == [0.25, 0.25]


def test_returns_stop_at_a_turn_whose_future_is_not_its_doing():
    group = [record(name, [0, 0, 1], anchors=["s", "t", "u"]) for name in "ab"]
    cut = group[0].events[0]._replace(detail={CUTS_CREDIT: True})
    group[0].events[0] = cut
    first, second = Anchors(gamma=0.5).attribute(group)
    assert (first[0], second[0]) == (-0.25, 0.25)
    assert [each.tolist() for each in ReturnToGo(gamma=0.5).attribute(group)] == [[0, 0.5, 1], [0.25, 0.5, 1]]


def reference(steps, method):
    """A slow loop over the definition."""
    returns, groups = returns_to_go(steps.rewards, steps.offsets, method.gamma), steps.groups[steps.owner]
    credit = np.zeros(len(returns))
    for at in range(len(returns)):
        same = [
            j for j in range(len(returns)) if groups[j] == groups[at] and steps.anchors[j] == steps.anchors[at] != -1
        ]
        every = same
        if method.one_visit:
            same = [min(j for j in same if steps.owner[j] == i) for i in sorted({steps.owner[j] for j in same})]
        if len(same) < 2 or np.ptp(returns[same if method.is_scaled else every]) <= 1e-6:
            continue
        mine = [j for j in same if (steps.owner[j] == steps.owner[at] if method.one_visit else j == at)]
        kept = same if method.baseline == "mean" else [j for j in same if j not in mine]
        credit[at] = returns[at] - returns[kept].mean()
        if method.is_scaled:
            credit[at] /= returns[same].std(ddof=1) + 1e-4
    return credit


@pytest.mark.parametrize("baseline", ["leave_one_out", "mean"])
@pytest.mark.parametrize("one_visit", [True, False])
@pytest.mark.parametrize("is_scaled", [True, False])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_credit_is_that_of_a_loop_over_the_definition(baseline, one_visit, is_scaled, seed):
    method, steps = Anchors(0.9, baseline, one_visit, is_scaled), random_steps(seed)
    np.testing.assert_allclose(method.credit(steps), reference(steps, method), atol=1e-9)


@trap(Anchors, planted.AnchorsRawWhereAlone)
def test_a_state_that_one_rollout_was_in_says_nothing(method):
    """Trap D-11: singletons, equal returns, and noise that must not grow."""
    alone = [record("a", [0, 1], anchors=["s", "t"]), record("b", [0, 1], anchors=["u", "v"])]
    equal = [record("a", [1.0], anchors=["s"]), record("b", [1.0 + 1e-9], anchors=["s"])]
    for group in (alone, equal, alone[:1]):
        for options in ({}, {"is_scaled": True}, {"baseline": "mean"}):
            assert np.concatenate(method(**options).attribute(group)).tolist() == [0.0] * sum(
                len(each.turns) for each in group
            )


@trap(Anchors, planted.AnchorsCountingEveryVisit)
def test_a_rollout_that_comes_back_to_a_state_counts_once(method):
    """The visits of one rollout share their future: they are no further evidence about the state."""
    loops = record("a", [0, 0, 0, 1], anchors=["s", "s", "s", "s"])
    straight = record("b", [0], anchors=["s"])
    credit = method(gamma=1.0).attribute([loops, straight])
    assert credit[0].tolist() == [1.0] * 4
    assert credit[1].tolist() == [-1.0]


def test_later_visits_are_not_divided_by_a_deviation_of_nothing():
    """Trap D-11: the first visits have equal returns, a later one of the same rollout another."""
    group = [record("a", [0, 0, 1], anchors=["s", "t", "s"]), record("b", [0, 1], anchors=["s", "u"])]
    group.append(record("c", [0, 1], anchors=["s", "v"]))
    group[0].events[-1] = group[0].events[-1]._replace(value=1 / 0.95)
    assert Anchors(is_scaled=True).attribute(group)[0].tolist() == [0.0, 0.0, 0.0]
    assert Anchors().attribute(group)[0][2] == pytest.approx(1 / 0.95 - 0.95)


def test_sizes_tell_how_much_there_is_to_compare():
    steps = steps_of([[0, 0], [0, 0], [0]], anchors=np.array([0, 1, 0, 0, 2]))
    once, every = Anchors().sizes(steps), Anchors(one_visit=False).sizes(steps)
    assert (once.num_groups, once.mean_size, once.singleton_share) == (3, pytest.approx(4 / 3), 2 / 5)
    assert (every.num_groups, every.mean_size, every.singleton_share) == (3, pytest.approx(5 / 3), 2 / 5)


def test_records_without_anchors_are_refused():
    for broken in (record("a", [0]), record("a", [0], anchors=[None])):
        with pytest.raises(ConfigError, match="record_anchors = true"):
            Anchors().attribute([broken])
    with pytest.raises(ConfigError, match="expected 'leave_one_out' or 'mean'"):
        Anchors(baseline="median")
