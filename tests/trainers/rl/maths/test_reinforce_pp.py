from __future__ import annotations

import numpy as np
import pytest

from agentgym_rl.maths.advantages import AdvantageConfig, GroupReturns, group_advantages
from agentgym_rl.maths.reinforce_pp import token_returns_to_go, whiten


def test_returns_to_go_follow_a_worked_example() -> None:
    got = token_returns_to_go(1.0, np.array([0.2, 0.0, -0.4]), 3, beta=0.5, gamma=0.5)
    # Rewards -0.1, 0, 1.2; from the back: 1.2, 0.6, 0.2.
    np.testing.assert_allclose(got, [0.2, 0.6, 1.2])


@pytest.mark.parametrize("gamma", [0.0, 0.9, 1.0])
def test_returns_to_go_equal_a_slow_loop(gamma: float) -> None:
    kl = np.random.default_rng(0).normal(size=7)
    rewards = -0.3 * kl + np.eye(7)[6] * 2.0
    expected = [sum(gamma ** (j - k) * rewards[j] for j in range(k, 7)) for k in range(7)]
    np.testing.assert_allclose(token_returns_to_go(2.0, kl, 7, beta=0.3, gamma=gamma), expected)


def test_returns_to_go_of_nothing_are_empty() -> None:
    assert token_returns_to_go(1.0, None, 0).shape == (0,)


def test_whitened_values_have_mean_zero_and_variance_one() -> None:
    whitened = whiten(np.random.default_rng(0).normal(3.0, 5.0, 500))
    assert whitened.mean() == pytest.approx(0.0, abs=1e-12)
    assert whitened.std() == pytest.approx(1.0)


@pytest.mark.parametrize("level", [0.0, 0.1, 1e6])
def test_whitening_equal_values_gives_zero(level: float) -> None:
    noise = level * 1e-12 * np.arange(5)
    assert whiten(np.full(5, level) + noise).tolist() == [0.0] * 5


def test_whitening_per_rollout_with_counts_equals_whitening_every_token() -> None:
    counts = np.array([3.0, 1.0, 6.0])
    (group,) = group_advantages([GroupReturns([1.0, 0.0, 0.5], [False] * 3)], AdvantageConfig("mean_centred"))
    per_rollout = whiten(group.advantages, counts)
    per_token = whiten(np.repeat(group.advantages, counts.astype(int)))
    np.testing.assert_allclose(np.repeat(per_rollout, counts.astype(int)), per_token)
