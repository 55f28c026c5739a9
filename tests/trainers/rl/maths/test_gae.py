from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import ConfigError, ContractError
from agentgym.reward import RewardEvent
from agentgym.trajectory import Trajectory, Turn
from agentgym_rl.maths.gae import GaeConfig, gae, rewards_at_turn_ends, token_gae, turn_gae, turn_starts
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap

CONFIG = GaeConfig(discount=0.9, lambda_=0.8)


def slow_gae(rewards: list[float], values: list[float], final_value: float, gamma: float, trace: float) -> list[float]:
    """A_k as the sum of discounted one-step errors, straight from the definition."""
    following = [*values[1:], final_value]
    errors = [r + gamma * v_next - v for r, v_next, v in zip(rewards, following, values, strict=True)]
    return [sum((gamma * trace) ** (j - k) * errors[j] for j in range(k, len(errors))) for k in range(len(errors))]


def test_gae_follows_a_worked_example() -> None:
    got = gae(np.array([0.0, 1.0]), np.array([0.5, 0.2]), None, CONFIG)
    # delta = 0.9 * 0.2 - 0.5 = -0.32 and 1 - 0.2 = 0.8; A_0 = -0.32 + 0.72 * 0.8.
    np.testing.assert_allclose(got.advantages, [0.256, 0.8])
    np.testing.assert_allclose(got.value_targets, [0.756, 1.0])


@pytest.mark.parametrize("final_value", [None, 3.0])
def test_gae_equals_a_slow_loop(final_value: float | None) -> None:
    rng = np.random.default_rng(0)
    rewards, values = rng.normal(size=9), rng.normal(size=9)
    expected = slow_gae(rewards.tolist(), values.tolist(), final_value or 0.0, 0.9, 0.8)
    np.testing.assert_allclose(gae(rewards, values, final_value, CONFIG).advantages, expected)


def test_gae_with_full_trace_is_the_return_minus_the_value() -> None:
    rewards, values = np.array([1.0, 0.0, 2.0]), np.array([5.0, -1.0, 0.5])
    got = gae(rewards, values, None, GaeConfig(1.0, 1.0))
    np.testing.assert_allclose(got.advantages, np.array([3.0, 2.0, 2.0]) - values)


def test_gae_of_nothing_is_empty() -> None:
    none = np.zeros(0)
    assert len(gae(none, none, 1.0, CONFIG).advantages) == 0
    assert len(turn_gae(none, none, np.zeros(0, np.int64), None, CONFIG).advantages) == 0


def learnt_value(estimate, num_sweeps: int = 400) -> float:
    """V of one state that pays 1 a step for ever, learnt from episodes that a time limit cuts after 5 steps."""
    value, steps = 0.0, np.arange(5)
    for _ in range(num_sweeps):
        got = estimate(np.ones(5), np.full(5, value), steps, value, GaeConfig(discount=0.9, lambda_=0.8))
        value += 0.2 * float((got.value_targets - value).mean())
    return value


@trap(turn_gae, planted.turn_gae_without_bootstrap)
def test_value_bootstraps_where_a_time_limit_cut(estimate) -> None:
    """Trap D-13: 1 / (1 - 0.9) = 10; without a bootstrap at most 4.1."""
    assert learnt_value(estimate) == pytest.approx(10.0, rel=1e-3)


def test_termination_has_no_future() -> None:
    """Trap D-13, the other side: the value of a terminal observation is never read."""
    got = turn_gae(np.array([1.0]), np.array([0.25, 9.0]), np.array([0, 0]), None, CONFIG)
    np.testing.assert_allclose(got.advantages, [0.75, 0.75])


@trap(token_gae, planted.token_gae_over_all_text, planted.token_gae_ending_in_padding)
def test_token_gae_on_text_equals_gae_on_the_compressed_sequence(estimate) -> None:
    """Trap D-14: garbage in the values of text that was not sampled, and any amount of it, changes nothing."""
    rng = np.random.default_rng(1)
    rewards, values = rng.normal(size=6), rng.normal(size=6)
    expected = gae(rewards, values, 2.5, CONFIG)
    for gap in (1, 50):
        mask = np.concatenate([np.zeros(gap), np.ones(2), np.zeros(gap), np.ones(4), np.zeros(gap)]).astype(bool)
        text_rewards, text_values = np.zeros(len(mask)), rng.normal(0.0, 1e3, len(mask))
        text_rewards[mask], text_values[mask] = rewards, values
        got = estimate(text_rewards, text_values, mask, 2.5, CONFIG)
        np.testing.assert_allclose(got.advantages[mask], expected.advantages)
        np.testing.assert_allclose(got.value_targets[mask], expected.value_targets)
        assert not got.advantages[~mask].any()


def test_token_gae_refuses_a_reward_that_would_be_lost() -> None:
    with pytest.raises(ContractError, match="would be lost"):
        token_gae(np.array([0.0, 1.0]), np.zeros(2), np.array([True, False]), None, CONFIG)


def test_turn_gae_equals_gae_over_turns() -> None:
    turn_index = np.array([0, 0, 0, 1, 2, 2])
    values = np.array([0.3, 99.0, 99.0, 0.1, -0.2, 99.0])
    rewards = np.array([0.0, 0.5, 1.0])
    per_turn = gae(rewards, values[[0, 3, 4]], 0.7, CONFIG)
    got = turn_gae(rewards, values, turn_index, 0.7, CONFIG)
    np.testing.assert_allclose(got.advantages, per_turn.advantages[turn_index])
    np.testing.assert_allclose(got.value_targets, per_turn.value_targets[turn_index])
    assert got.is_value_target.tolist() == [True, False, False, True, True, False]


@trap(rewards_at_turn_ends, planted.rewards_at_nonzero_turns, planted.rewards_at_last_turn)
def test_step_rewards_reach_their_own_turns(lay_rewards) -> None:
    """Trap D-24: what goes in per turn comes out per turn, zeros included."""
    turn_index = np.array([0, 0, 1, 2, 2, 2, 3])
    for rewards in ([0.0, 1.0, 0.0, 2.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]):
        laid = lay_rewards(np.array(rewards), turn_index)
        assert laid[[1, 2, 5, 6]].tolist() == rewards
        assert laid.sum() == sum(rewards)


def credit_of_branches(branch_rewards: list[list[float]]) -> list[np.ndarray]:
    """Each continuation of a shared first turn is an episode of its own."""
    return [turn_gae(np.array(r), np.zeros(2), np.array([0, 1]), None, CONFIG).advantages for r in branch_rewards]


@trap(credit_of_branches, planted.credit_across_branches)
def test_reward_in_one_branch_never_reaches_the_other(credit) -> None:
    """Trap D-24."""
    without, rewarded = credit([[0.0, 0.0], [0.0, 5.0]])
    assert without.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(rewarded, [0.72 * 5.0, 5.0])


def test_a_later_reward_never_reaches_an_earlier_turn_without_discount_of_credit() -> None:
    """Trap D-24: with trace 0 the reward of turn 2 moves the advantage of turn 2 alone."""
    turn_index, values = np.array([0, 1, 1, 2]), np.zeros(4)
    got = turn_gae(np.array([0.0, 0.0, 1.0]), values, turn_index, None, GaeConfig(1.0, 0.0))
    assert got.advantages.tolist() == [0.0, 0.0, 0.0, 1.0]


def invalid_action_episode() -> Trajectory:
    turns = [Turn(i, [], {"role": "assistant", "content": ""}, "", was_invalid=i == 1) for i in range(3)]
    events = [
        RewardEvent(turn=1, issued_at=1, role="agent", component="invalid", value=-0.1, source="environment"),
        RewardEvent(turn=2, issued_at=2, role="agent", component="solved", value=1.0, source="verifier"),
    ]
    return Trajectory("e", "t", turns=turns, events=events, weights={"invalid": 1.0, "solved": 1.0})


@trap(Trajectory.step_rewards, planted.step_rewards_with_penalty_twice)
def test_penalty_for_an_invalid_action_counts_once(step_rewards) -> None:
    """Trap D-32: the rewards that credit is computed from are the sum of the declared parts."""
    turn_index = np.array([0, 1, 1, 2])
    laid = rewards_at_turn_ends(step_rewards(invalid_action_episode()), turn_index)
    np.testing.assert_allclose(laid, [0.0, 0.0, -0.1, 1.0])
    assert laid.sum() == pytest.approx(0.9)


def test_turns_out_of_order_or_without_tokens_are_refused() -> None:
    with pytest.raises(ContractError, match="decreases"):
        turn_starts(np.array([0, 1, 0]))
    with pytest.raises(ContractError, match="turn 1 has reward 1 but no sampled token"):
        rewards_at_turn_ends(np.array([0.0, 1.0, 0.0]), np.array([0, 2]))
    with pytest.raises(ContractError, match="rewards of only 1 turns"):
        rewards_at_turn_ends(np.array([0.0]), np.array([0, 1]))


def test_discounts_outside_the_unit_interval_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"discount must be from 0 to 1, got 1.5"):
        GaeConfig(discount=1.5)
