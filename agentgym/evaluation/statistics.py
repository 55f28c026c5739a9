"""Numbers with their uncertainty: intervals clustered by task, pass@k, pass^k, paired differences, sample sizes.

Pure functions over arrays. Which episodes go in is decided by `agentgym.evaluation.result`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym.errors import ConfigError

LEVEL = 0.95
NUM_RESAMPLES = 4000
_NORMAL = NormalDist()
_CHUNK = 1_000_000
_FEW = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its interval; NaN where there is nothing to tell.

    Attributes:
        mean: The mean over tasks of each task's mean.
        low, high: Ends of the interval.
        num_tasks: Tasks that it rests on.
    """

    mean: float
    low: float
    high: float
    num_tasks: int

    def to_json(self) -> dict[str, Any]:
        """`mean`, `low` and `high`; null where they are NaN."""
        fields = {"mean": self.mean, "low": self.low, "high": self.high}
        return {key: None if math.isnan(value) else value for key, value in fields.items()}


def task_means(values: ArrayLike, tasks: Sequence[Hashable]) -> tuple[list[Hashable], NDArray[np.float64]]:
    """The mean value of each task.

    Args:
        values: float[N], one for each episode.
        tasks: Task of each episode.

    Returns:
        The tasks in order of first appearance, and float64[number of tasks] their means.
    """
    order: dict[Hashable, int] = {}
    index = np.array([order.setdefault(task, len(order)) for task in tasks], np.int64)
    sums = np.bincount(index, np.asarray(values, np.float64), len(order))
    return list(order), sums / np.maximum(np.bincount(index, minlength=len(order)), 1)


def mean_interval(
    means: ArrayLike,
    *,
    bounds: tuple[float, float] | None = None,
    level: float = LEVEL,
    num_resamples: int = NUM_RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The mean over tasks with an interval that treats tasks, not episodes, as the independent draws.

    Expanded percentile bootstrap over tasks: quantiles of the resampled means, taken further out so that small samples
    are covered as by Student's t (Hesterberg 2014, arXiv 1411.5279). Attempts at one task are correlated
    (Miller 2024, arXiv 2411.00640), so resampling episodes would give an interval that is too narrow.

    Where all tasks agree the bootstrap has nothing to resample: with `bounds`, at most a share z^2 / (n + z^2) of tasks
    may lie elsewhere (Wilson 1927, for no deviating task among n), anywhere within the bounds. For rates of 0 or 1 this
    is Wilson's interval itself. Without bounds the interval is the point for several tasks and NaN for one.

    Differs: where up to three tasks are off a bound that all others sit on, resampling them still tells too little; the
    ends are then at least as far out as Wilson's for the mean over n tasks.

    Args:
        means: float[N], a mean for each task, such as from `task_means`.
        bounds: Smallest and largest value possible, (0, 1) for rates; None where unknown.
        level: Confidence level.
        num_resamples: Bootstrap resamples.
        seed: Seed of the resampling.

    Returns:
        The estimate; all NaN for no tasks.
    """
    array = np.asarray(means, np.float64)
    n = len(array)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = float(array.mean())
    if np.ptp(array) == 0:
        return Estimate(mean, *_interval_of_agreement(float(array[0]), n, bounds, level), n)
    tail = _NORMAL.cdf(-math.sqrt(n / (n - 1)) * _student_quantile((1 + level) / 2, n - 1))
    resampled = _resampled_means(array, num_resamples, np.random.default_rng(seed))
    low, high = (float(end) for end in np.quantile(resampled, [tail, 1 - tail]))
    if bounds is not None and num_apart(array, bounds) is not None:
        wilson = _wilson(mean, n, bounds, level)
        low, high = min(low, wilson[0]), max(high, wilson[1])
    return Estimate(mean, low, high, n)


def num_apart(means: ArrayLike, bounds: tuple[float, float] = (0.0, 1.0)) -> int | None:
    """How many tasks are off the bound that all others sit on, where those few make `mean_interval` wide; else None.

    Args:
        means: float[N], a mean for each task.
        bounds: Smallest and largest value possible.
    """
    array = np.asarray(means, np.float64)
    count = min(int(np.count_nonzero(array != bound)) for bound in bounds)
    return count if 0 < count <= _FEW and count < len(array) else None


def _interval_of_agreement(
    value: float, n: int, bounds: tuple[float, float] | None, level: float
) -> tuple[float, float]:
    if bounds is None:
        return (value, value) if n > 1 else (math.nan, math.nan)
    z2 = _NORMAL.inv_cdf((1 + level) / 2) ** 2
    share = z2 / (n + z2)
    return value - share * (value - bounds[0]), value + share * (bounds[1] - value)


def _wilson(mean: float, n: int, bounds: tuple[float, float], level: float) -> tuple[float, float]:
    """Wilson's score interval for a mean of n values within bounds, scaled to them; Wilson 1927, JASA 22."""
    width = bounds[1] - bounds[0]
    rate, z2 = (mean - bounds[0]) / width, _NORMAL.inv_cdf((1 + level) / 2) ** 2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * rate * (1 - rate) / n + z2**2 / (4 * n**2)) / (1 + z2 / n)
    return bounds[0] + width * (centre - half), bounds[0] + width * (centre + half)


def _resampled_means(array: NDArray[np.float64], count: int, generator: np.random.Generator) -> NDArray[np.float64]:
    n = len(array)
    rows = max(1, _CHUNK // n)
    parts = [
        array[generator.integers(0, n, (min(rows, count - start), n))].mean(axis=1) for start in range(0, count, rows)
    ]
    return np.concatenate(parts)


def _student_quantile(probability: float, freedom: int) -> float:
    """Quantile of Student's t: exact for 1 and 2 degrees of freedom, else Abramowitz and Stegun 1964, 26.7.5."""
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    if freedom == 2:
        return (2 * probability - 1) / math.sqrt(2 * probability * (1 - probability))
    z = _NORMAL.inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    correction: float = sum(term / freedom**power for power, term in enumerate(terms, start=1))
    return z + correction


def pass_at_k(num_attempts: ArrayLike, num_successes: ArrayLike, k: int) -> float:
    """Chance that at least one of k attempts succeeds, unbiased: mean over tasks of 1 - C(n - c, k) / C(n, k).

    Source: Chen et al. 2021, arXiv 2107.03374, eq. 1.

    Args:
        num_attempts: int[N], attempts n at each task.
        num_successes: int[N], those that succeeded, c.
        k: Attempts allowed, >= 1.

    Returns:
        Mean over the tasks with at least k attempts; NaN where there is none.
    """
    return _mean_over_tasks(num_attempts, num_successes, k, lambda n, c: 1 - math.comb(n - c, k) / math.comb(n, k))


def pass_hat_k(num_attempts: ArrayLike, num_successes: ArrayLike, k: int) -> float:
    """Chance that all of k attempts succeed, unbiased: mean over tasks of C(c, k) / C(n, k).

    Source: Yao et al. 2024, arXiv 2406.12045. Arguments and result as for `pass_at_k`.
    """
    return _mean_over_tasks(num_attempts, num_successes, k, lambda n, c: math.comb(c, k) / math.comb(n, k))


def _mean_over_tasks(
    num_attempts: ArrayLike, num_successes: ArrayLike, k: int, chance: Callable[[int, int], float]
) -> float:
    if k < 1:
        raise ConfigError(f"k must be at least 1: got {k}")
    pairs = zip(np.asarray(num_attempts).tolist(), np.asarray(num_successes).tolist(), strict=True)
    chances = [chance(n, c) for n, c in pairs if n >= k]
    return float(np.mean(chances)) if chances else math.nan


def tasks_needed(difference: float, deviation: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Number of tasks at which a paired comparison would show a difference: ((z_(1-alpha/2) + z_power) sd / d)^2.

    Source: Miller 2024, arXiv 2411.00640.

    Args:
        difference: The true mean difference to be shown; its sign does not matter.
        deviation: Standard deviation over tasks of the difference of a task's means.
        power: Chance of showing it.
        alpha: Chance of showing one where there is none, two-sided.

    Returns:
        A whole number, at least 2; infinity for no difference.
    """
    if difference == 0:
        return math.inf
    z = _NORMAL.inv_cdf(1 - alpha / 2) + _NORMAL.inv_cdf(power)
    # Rounded first: (z * sd / d)^2 that should be whole must not be lifted by a rounding error.
    return max(2, math.ceil(round((z * deviation / difference) ** 2, 9)))
