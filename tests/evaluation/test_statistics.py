import math
from itertools import combinations

import numpy as np
import pytest

from agentgym.errors import ConfigError
from agentgym.evaluation import statistics


def test_task_means_weigh_tasks_alike():
    names, means = statistics.task_means([1, 0, 0, 0, 1], ["b", "b", "b", "b", "a"])
    assert names == ["b", "a"]
    np.testing.assert_allclose(means, [0.25, 1.0])
    assert statistics.mean_interval(means).mean == 0.625


def test_rate_of_zero_or_one_is_wilsons_interval():
    # Wilson for 0 of 20 at 95 %: z^2 / (20 + z^2) = 3.8415 / 23.8415
    zero = statistics.mean_interval([0.0] * 20, bounds=(0, 1))
    assert (zero.mean, zero.low) == (0.0, 0.0)
    assert zero.high == pytest.approx(0.16113, abs=1e-5)
    one = statistics.mean_interval([1.0] * 20, bounds=(0, 1))
    assert (one.low, one.high) == (pytest.approx(0.83887, abs=1e-5), 1.0)
    single = statistics.mean_interval([1.0], bounds=(0, 1))
    assert single.low == pytest.approx(1 - 3.8415 / 4.8415, abs=1e-4)


def test_agreeing_tasks_without_bounds_give_a_point_and_one_task_nothing():
    assert statistics.mean_interval([0.5, 0.5]).low == 0.5
    assert math.isnan(statistics.mean_interval([0.5]).low)
    empty = statistics.mean_interval([])
    assert empty.num_tasks == 0
    assert empty.to_json() == {"mean": None, "low": None, "high": None}


def test_interval_agrees_with_students_t_for_normal_values():
    values = np.random.default_rng(0).normal(3.0, 2.0, 15)
    estimate = statistics.mean_interval(values, num_resamples=40_000)
    half = 2.144787 * values.std(ddof=1) / math.sqrt(15)  # t quantile .975 with 14 degrees of freedom
    assert estimate.high - estimate.low == pytest.approx(2 * half, rel=0.03)
    assert estimate.mean == values.mean()


def test_interval_matches_a_slow_bootstrap():
    values = np.array([0.0, 0.25, 1.0, 0.5, 1.0, 1.0, 0.0, 0.75])
    generator = np.random.default_rng(1)
    slow = sorted(np.mean([values[generator.integers(8)] for _ in values]) for _ in range(20_000))
    n, t = 8, 2.364624
    tail = 0.5 * math.erfc(math.sqrt(n / (n - 1)) * t / math.sqrt(2))
    estimate = statistics.mean_interval(values, num_resamples=20_000)
    assert estimate.low == pytest.approx(slow[int(tail * 20_000)], abs=0.02)
    assert estimate.high == pytest.approx(slow[-int(tail * 20_000)], abs=0.02)


def test_interval_depends_on_its_seed_alone_and_not_on_chunks(monkeypatch):
    values = np.random.default_rng(0).random(50)
    first = statistics.mean_interval(values, seed=3)
    assert first == statistics.mean_interval(values, seed=3)
    assert first != statistics.mean_interval(values, seed=4)
    monkeypatch.setattr(statistics, "_CHUNK", 500)
    assert first == statistics.mean_interval(values, seed=3)


@pytest.mark.parametrize("num_tasks", [8, 40])
def test_interval_covers_the_truth_as_often_as_it_says(num_tasks):
    generator = np.random.default_rng(7)
    covered = 0
    for seed in range(600):
        chances = generator.beta(2, 1.5, num_tasks)  # attempts at one task are alike: the truth is 2 / 3.5
        means = generator.binomial(4, chances) / 4
        estimate = statistics.mean_interval(means, bounds=(0, 1), num_resamples=600, seed=seed)
        covered += estimate.low <= 2 / 3.5 <= estimate.high
    assert 0.92 <= covered / 600 <= 0.98


@pytest.mark.parametrize("chance", [0.9, 0.03])
def test_interval_covers_rates_near_a_bound(chance):
    generator = np.random.default_rng(3)
    covered = 0
    for seed in range(800):
        means = generator.binomial(1, chance, 40).astype(float)
        estimate = statistics.mean_interval(means, bounds=(0, 1), num_resamples=600, seed=seed)
        covered += estimate.low <= chance <= estimate.high
    assert covered / 800 >= 0.945


def test_interval_hardly_jumps_where_tasks_stop_agreeing():
    # Wilson for 1 of 30: centre (1/30 + z2/60) / (1 + z2/30), with z2 = 3.8415
    agreed = statistics.mean_interval([0.0] * 30, bounds=(0, 1))
    nearly = statistics.mean_interval([0.0] * 29 + [1.0], bounds=(0, 1))
    assert nearly.high == pytest.approx(0.16670, abs=1e-4)
    assert agreed.high < nearly.high < agreed.high + 0.06
    barely = statistics.mean_interval([0.0] * 29 + [0.01], bounds=(0, 1))
    assert barely.high == pytest.approx(agreed.high, abs=0.002)


def test_interval_over_episodes_would_be_too_narrow():
    means = np.array([0.0, 1.0] * 10)
    clustered = statistics.mean_interval(means)
    pooled = statistics.mean_interval(np.repeat(means, 8))
    assert clustered.high - clustered.low > 2.5 * (pooled.high - pooled.low)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (9, 2.26216), (29, 2.04523), (1000, 1.96234)],
)
def test_student_quantile_is_close_to_the_tables(freedom, quantile):
    assert statistics._student_quantile(0.975, freedom) == pytest.approx(quantile, rel=5e-3)


def test_pass_at_k_and_pass_hat_k_worked():
    # n = 4, c = 2: pass@2 = 1 - C(2,2)/C(4,2) = 5/6, pass^2 = C(2,2)/C(4,2) = 1/6; c = 4: 1 and 1
    assert statistics.pass_at_k([4, 4], [2, 4], 2) == pytest.approx((5 / 6 + 1) / 2)
    assert statistics.pass_hat_k([4, 4], [2, 4], 2) == pytest.approx((1 / 6 + 1) / 2)


def test_pass_at_1_is_the_success_rate():
    assert statistics.pass_at_k([5, 5], [1, 4], 1) == statistics.pass_hat_k([5, 5], [1, 4], 1) == pytest.approx(0.5)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_pass_estimates_are_the_share_among_all_subsets(k):
    outcomes = [1, 0, 1, 0, 0, 1]
    subsets = list(combinations(outcomes, k))
    assert statistics.pass_at_k([6], [3], k) == pytest.approx(np.mean([any(subset) for subset in subsets]))
    assert statistics.pass_hat_k([6], [3], k) == pytest.approx(np.mean([all(subset) for subset in subsets]))


def test_tasks_with_too_few_attempts_are_left_out_of_pass_at_k():
    assert statistics.pass_at_k([2, 1], [2, 0], 2) == 1.0
    assert math.isnan(statistics.pass_at_k([1], [1], 2))
    with pytest.raises(ConfigError, match="k must be at least 1"):
        statistics.pass_at_k([1], [1], 0)


def test_tasks_needed_worked():
    # (1.95996 + 0.84162)^2 * (0.5 / 0.1)^2 = 7.8489 * 25 = 196.2
    assert statistics.tasks_needed(0.1, 0.5) == 197
    assert statistics.tasks_needed(-0.1, 0.5) == 197
    assert statistics.tasks_needed(0.0, 0.5) == math.inf
    assert statistics.tasks_needed(0.5, 0.0) == 2


def test_tasks_needed_shows_the_difference_as_often_as_promised():
    generator = np.random.default_rng(0)
    n = int(statistics.tasks_needed(0.2, 0.6))
    samples = generator.normal(0.2, 0.6, (2000, n))
    z = samples.mean(1) / (samples.std(1, ddof=1) / math.sqrt(n))
    assert np.mean(np.abs(z) > 1.96) == pytest.approx(0.8, abs=0.04)
