from __future__ import annotations

import numpy as np
import pytest

from agentgym_rl.hierarchical.critic.targets import (
    episode_successors,
    monte_carlo_targets,
    next_values,
    one_step_targets,
)
from agentgym_rl.hierarchical.transitions import CUT, TERMINAL
from agentgym_rl.maths.gae import GaeConfig, gae
from tests.trainers.rl.planted import trap

SUCCESSOR = np.array([1, TERMINAL, 3, CUT])
REWARDS = np.array([0.0, 1.0, 0.5, 0.25])
VALUES = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
FINALS = np.array([[np.nan, np.nan, 10.0, 10.0], [np.nan, np.nan, 20.0, 20.0]])


def following_a_terminal_state(values, final_values, successor):
    """D-27: the state after an end is encoded, and counts as long as the mask multiplies it by 0."""
    return final_values * (successor < 0) + next_values(values, final_values, successor) * (successor >= 0)


def following_without_bootstrap(values, final_values, successor):
    """D-13: a time limit treated as an end."""
    return next_values(values, final_values, np.where(successor == CUT, TERMINAL, successor))


def following_of_the_same_state(values, final_values, successor):
    """The value of the state itself in place of its successor's."""
    return np.where(successor >= 0, values, next_values(values, final_values, successor))


def following_across_episodes(values, final_values, successor):
    """The next entry, whichever episode it is of."""
    return np.append(values[:, 1:], final_values[:, -1:], axis=1)


@trap(
    next_values,
    following_a_terminal_state,
    following_without_bootstrap,
    following_of_the_same_state,
    following_across_episodes,
)
def test_targets_bootstrap_at_truncation_and_never_after_an_end(following) -> None:
    """Traps D-13 and D-27: NaN stands where a terminal state would be encoded."""
    got = one_step_targets(REWARDS, following(VALUES, FINALS, SUCCESSOR), 0.5)
    np.testing.assert_allclose(got, [[1.0, 1.0, 2.5, 5.25], [3.0, 1.0, 4.5, 10.25]])


def test_one_step_targets_are_those_of_gae_without_trace() -> None:
    rng = np.random.default_rng(0)
    rewards, values = rng.normal(size=6), rng.normal(size=6)
    successor = episode_successors(np.array([6]), np.array([True]))
    got = one_step_targets(rewards, next_values(values[None], np.full((1, 6), 2.0), successor), 0.9)
    np.testing.assert_allclose(got[0], gae(rewards, values, 2.0, GaeConfig(0.9, 0.0)).value_targets)


def returns_across_episodes(rewards, successor, final_values, discount):
    """The return runs on into the next episode."""
    one = np.append(np.arange(1, len(rewards)), successor[-1])
    return monte_carlo_targets(rewards, one, final_values, discount)


def returns_without_bootstrap(rewards, successor, final_values, discount):
    """D-13 again, of returns."""
    return monte_carlo_targets(rewards, successor, np.zeros_like(final_values), discount)


@trap(monte_carlo_targets, returns_across_episodes, returns_without_bootstrap)
def test_monte_carlo_targets_follow_a_worked_example(returns) -> None:
    got = returns(REWARDS, SUCCESSOR, np.array([np.nan, np.nan, 10.0, 10.0]), 0.5)
    np.testing.assert_allclose(got, [0.5, 1.0, 0.5 + 0.5 * 5.25, 5.25])


def test_episodes_that_lie_one_after_the_other_have_their_own_ends() -> None:
    got = episode_successors(np.array([2, 0, 1, 3]), np.array([False, True, True, False]))
    assert got.tolist() == [1, TERMINAL, CUT, 4, 5, TERMINAL]
    assert len(episode_successors(np.zeros(0, np.int64), np.zeros(0, bool))) == 0


def value_of_the_loop(following) -> float:
    """V of one state that pays 1 a step for ever, from episodes that a limit cuts after 5 steps."""
    value, successor = 0.0, episode_successors(np.array([5]), np.array([True]))
    for _ in range(300):
        ahead = following(np.full((1, 5), value), np.full((1, 5), value), successor)
        value = float(one_step_targets(np.ones(5), ahead, 0.9).mean())
    return value


@trap(next_values, following_without_bootstrap)
def test_the_value_of_a_loop_is_that_of_going_on(following) -> None:
    """Trap D-13: 1 / (1 - 0.9) = 10, and 4.1 or less if the limit were an end."""
    assert value_of_the_loop(following) == pytest.approx(10.0, rel=1e-3)
