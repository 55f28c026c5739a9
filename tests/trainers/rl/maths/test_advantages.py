from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.maths.advantages import AdvantageConfig, GroupReturns, group_advantages
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap

ESTIMATORS = ("leave_one_out", "mean_centred", "group_normalised", "lite_ppo", "maxrl")
returns_lists = st.lists(st.floats(0, 10, allow_nan=False), min_size=1, max_size=8)


def whole(*returns: float | None) -> GroupReturns:
    return GroupReturns(list(returns), [False] * len(returns))


def advantages_of(*groups: GroupReturns, estimate=group_advantages, **options) -> list[list[float]]:
    return [group.advantages.tolist() for group in estimate(list(groups), AdvantageConfig(**options))]


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        ("leave_one_out", [1.0, -1 / 3, -1 / 3, -1 / 3]),
        ("mean_centred", [0.75, -0.25, -0.25, -0.25]),
        ("group_normalised", [1.5, -0.5, -0.5, -0.5]),
        ("maxrl", [3.0, -1.0, -1.0, -1.0]),
    ],
)
def test_advantages_follow_a_worked_example(estimator: str, expected: list[float]) -> None:
    (got,) = advantages_of(whole(1.0, 0.0, 0.0, 0.0), estimator=estimator, std_eps=0.0)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_lite_ppo_divides_by_the_deviation_of_the_batch() -> None:
    first, second = advantages_of(whole(1.0, 0.0), whole(4.0, 3.0), estimator="lite_ppo", std_eps=0.0)
    batch_std = math.sqrt(((1 - 2) ** 2 + (0 - 2) ** 2 + (4 - 2) ** 2 + (3 - 2) ** 2) / 3)
    np.testing.assert_allclose([first, second], [[0.5 / batch_std, -0.5 / batch_std]] * 2, rtol=1e-12)


@given(returns_lists)
def test_leave_one_out_equals_a_slow_loop(returns: list[float]) -> None:
    (got,) = advantages_of(whole(*returns), spread_tolerance=0.0)
    for i, own in enumerate(returns):
        others = returns[:i] + returns[i + 1 :]
        expected = own - sum(others) / len(others) if others else 0.0
        assert got[i] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        ("mean_centred", [-0.2, -0.2, 0.8]),
        ("leave_one_out", [-1 / 3, -1 / 3, 1.0]),
        ("group_normalised", [-0.2 / math.sqrt(0.25), -0.2 / math.sqrt(0.25), 0.8 / math.sqrt(0.25)]),
        ("maxrl", [-1.0, -1.0, 4.0]),
    ],
)
def test_a_rollout_counts_in_the_baseline_with_its_weight(estimator: str, expected: list[float]) -> None:
    weighted = GroupReturns([0.0, 0.0, 1.0], [False] * 3, [1.0, 1.0, 0.5])  # V1 = 2.5, V2 = 2.25, sum w d^2 = 0.4
    (got,) = advantages_of(weighted, estimator=estimator, std_eps=0.0)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


@given(returns_lists, st.sampled_from(ESTIMATORS))
def test_equal_weights_change_no_bit(returns: list[float], estimator: str) -> None:
    weighted = GroupReturns(returns, [False] * len(returns), [1.0] * len(returns))
    assert advantages_of(weighted, estimator=estimator) == advantages_of(whole(*returns), estimator=estimator)


def test_a_rollout_of_weight_zero_leaves_the_baseline_of_the_others() -> None:
    for estimator in ESTIMATORS:
        (with_it,) = advantages_of(GroupReturns([0.0, 1.0, 9.0], [False] * 3, [1.0, 1.0, 0.0]), estimator=estimator)
        (without,) = advantages_of(whole(0.0, 1.0), estimator=estimator)
        assert with_it[:2] == pytest.approx(without)


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0], [1.0, math.nan]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(ContractError, match="weights of a group"):
        GroupReturns([0.0, 1.0], [False, False], weights)


@given(returns_lists, st.sampled_from(ESTIMATORS), st.integers(0, 100))
def test_advantages_sum_to_zero_and_follow_permutations(returns: list[float], estimator: str, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(returns))
    (got,) = advantages_of(whole(*returns), estimator=estimator)
    (permuted,) = advantages_of(whole(*np.array(returns)[order].tolist()), estimator=estimator)
    assert sum(got) == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(np.array(got)[order], permuted, atol=1e-9)


@trap(group_advantages, planted.advantages_from_batch_mean)
def test_other_groups_leave_advantages_bit_identical(estimate) -> None:
    """Trap D-10."""
    first, second = whole(1.0, 0.0, 0.5), whole(0.0, 3.0, 7.0)
    for estimator in ("leave_one_out", "mean_centred", "group_normalised", "maxrl"):
        alone = advantages_of(first, estimate=estimate, estimator=estimator)[0]
        assert advantages_of(first, second, estimate=estimate, estimator=estimator)[0] == alone
        assert advantages_of(second, first, estimate=estimate, estimator=estimator)[1] == alone


@trap(group_advantages, planted.advantages_from_batch_mean)
def test_two_groups_of_one_task_keep_their_own_baselines(estimate) -> None:
    """Trap D-10: the same task twice in a batch."""
    got = advantages_of(whole(1.0, 0.0), whole(1.0, 1.0), estimate=estimate)
    assert got == [[1.0, -1.0], [0.0, 0.0]]


@trap(group_advantages, planted.advantages_raw_where_no_spread, planted.advantages_amplifying_noise)
def test_groups_without_spread_get_zero(estimate) -> None:
    """Trap D-11."""
    for estimator in ESTIMATORS:
        for returns in ((1.0,), (0.7, 0.7, 0.7), (0.5, 0.5 + 1e-9, 0.5 - 1e-9)):
            (got,) = estimate([whole(*returns)], AdvantageConfig(estimator=estimator))
            assert got.advantages.tolist() == [0.0] * len(returns)
            assert not got.has_signal


def centred_by_group(returns: list[float], num_steps: list[int]) -> np.ndarray:
    return np.array(advantages_of(whole(*returns), estimator="mean_centred")[0])


@trap(centred_by_group, planted.baseline_over_steps)
def test_baseline_counts_rollouts_not_steps(centre) -> None:
    """Trap D-12."""
    np.testing.assert_allclose(centre([0.0, 1.0], [50, 1]), [-0.5, 0.5])


def test_potential_shaping_leaves_advantages_unchanged() -> None:
    """Trap D-12: with discount 1 the shaping of every rollout sums to minus the potential of the shared start."""
    rng = np.random.default_rng(0)
    returns, shaped = [0.0, 1.0, 0.5], []
    for outcome in returns:
        potentials = np.concatenate([[0.3], rng.random(rng.integers(1, 9)), [0.0]])
        shaped.append(outcome + float(np.diff(potentials).sum()))
    np.testing.assert_allclose(advantages_of(whole(*shaped)), advantages_of(whole(*returns)), atol=1e-12)


@trap(group_advantages, planted.advantages_ignoring_truncation)
def test_truncated_rollouts_follow_the_declared_mode(estimate) -> None:
    """Trap D-13."""
    group = GroupReturns([1.0, 0.0, 0.0], [False, False, True])
    by_mode = {
        "include": ([1.0, -0.5, -0.5], [True, True, True], 0),
        "exclude_from_loss": ([1.0, -0.5, 0.0], [True, True, False], 1),
        "exclude": ([1.0, -1.0, 0.0], [True, True, False], 1),
    }
    for mode, (advantages, trained, excluded) in by_mode.items():
        (got,) = estimate([group], AdvantageConfig(truncated=mode))
        assert got.advantages.tolist() == advantages, mode
        assert got.is_trained.tolist() == trained
        assert got.num_truncated_excluded == excluded


@trap(group_advantages, planted.advantages_with_nan_as_zero)
def test_missing_and_broken_rewards_are_excluded_and_counted(estimate) -> None:
    """Trap D-16."""
    (got,) = estimate([whole(1.0, None, 0.5, math.nan, math.inf)], AdvantageConfig())
    assert got.advantages.tolist() == [0.5, 0.0, -0.5, 0.0, 0.0]
    assert got.is_trained.tolist() == [True, False, True, False, False]
    assert (got.num_missing, got.num_nonfinite) == (1, 2)


def test_a_group_whose_members_all_failed_has_no_signal() -> None:
    (got,) = group_advantages([whole(None, None)], AdvantageConfig())
    assert not got.has_signal
    assert not got.is_trained.any()


def test_maxrl_refuses_negative_returns() -> None:
    with pytest.raises(ConfigError, match="got a return of -1"):
        advantages_of(whole(-1.0, 1.0), estimator="maxrl")


@pytest.mark.usefixtures("unchecked")
def test_unknown_options_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected one of leave_one_out"):
        AdvantageConfig(estimator="grpo")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="expected include"):
        AdvantageConfig(truncated="drop")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="2 returns but 1 truncation"):
        GroupReturns([1.0, 0.0], [False])
