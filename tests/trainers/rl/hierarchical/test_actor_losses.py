from __future__ import annotations

import numpy as np
import pytest
import torch

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.hierarchical.actor_losses import (
    awr_weights,
    in_sample_loss,
    leave_one_out_advantages,
    resampled_loss,
    scale_of_states,
    token_baseline_loss,
    turn_advantages,
    weighted_cloning_loss,
)
from agentgym_rl.hierarchical.options import AwrConfig
from agentgym_rl.maths.options import NoImportance, SequenceTruncated, TokenTruncated
from tests.trainers.rl.hierarchical.tables import numbered_turns
from tests.trainers.rl.planted import trap

TURNS = numbered_turns([0, 0, 0, 1])
ONES = torch.ones(2)
NONE = NoImportance()
TURN_RATIO = SequenceTruncated(max_weight=10.0)


def mean_over_tokens(logprobs, advantages, turns, weights, baselines=None):
    """A mean over the tokens of an action, which favours short ones."""
    lengths = torch.bincount(turns.turn_of_token)
    return resampled_loss(logprobs, advantages, turns, weights / lengths, baselines)


def with_the_wrong_sign(logprobs, advantages, turns, weights, baselines=None):
    """Worse actions are made more likely."""
    return -resampled_loss(logprobs, advantages, turns, weights, baselines)


def baseline_added(logprobs, advantages, turns, weights, baselines=None):
    """A + b in place of A - b."""
    return resampled_loss(logprobs, advantages, turns, weights, None if baselines is None else -baselines)


def baseline_with_gradient(logprobs, advantages, turns, weights, baselines=None):
    """The baseline is trained by the policy's loss."""
    extra = 0.0 if baselines is None else (baselines * logprobs).sum()
    return resampled_loss(logprobs, advantages, turns, weights) + extra


@trap(resampled_loss, mean_over_tokens, with_the_wrong_sign, baseline_added, baseline_with_gradient)
def test_each_token_gets_the_advantage_of_its_turn_less_its_baseline(loss) -> None:
    logprobs = torch.full((4,), -1.0, requires_grad=True)
    baselines = torch.tensor([0.5, 0.0, 0.0, 1.0], requires_grad=True)
    loss(logprobs, torch.tensor([2.0, -3.0]), TURNS, ONES).backward()
    assert logprobs.grad is not None
    assert logprobs.grad.tolist() == [-2.0, -2.0, -2.0, 3.0]
    logprobs.grad = None
    loss(logprobs, torch.tensor([2.0, -3.0]), TURNS, ONES, baselines).backward()
    assert logprobs.grad.tolist() == [-1.5, -2.0, -2.0, 4.0]
    assert baselines.grad is None


def test_baselines_regress_to_the_advantage_of_their_turn() -> None:
    baselines = torch.tensor([0.0, 1.0, 2.0, -3.0], requires_grad=True)
    loss = token_baseline_loss(baselines, torch.tensor([2.0, -3.0]), TURNS, torch.tensor([0.5, 0.5]))
    assert loss.item() == 0.5 * (4 + 1)


def test_advantages_take_the_lesser_of_two_heads_and_stop_gradients() -> None:
    q = torch.tensor([[1.0, 2.0], [3.0, 0.0]], requires_grad=True)
    got = turn_advantages(q, torch.tensor([[0.5, 1.0], [2.0, -1.0]]))
    assert got.tolist() == [0.5, 1.0]
    assert not got.requires_grad


def replayed_as_if_new(logprobs, behaviour, advantages, turns, weights, importance):
    """D-18: stored actions are taken for ones that this policy sampled."""
    return in_sample_loss(logprobs, logprobs.detach(), advantages, turns, weights, importance)


def weighed_by_token(logprobs, behaviour, advantages, turns, weights, importance):
    """The ratio of each token in place of that of the action."""
    return in_sample_loss(logprobs, behaviour, advantages, turns, weights, TokenTruncated(10.0))


@trap(in_sample_loss, replayed_as_if_new, weighed_by_token)
def test_stored_actions_give_the_gradient_of_new_ones(loss) -> None:
    """Trap D-18: the expectation over stored actions of two tokens is the exact gradient under the present policy."""
    behaviour, policy = torch.tensor([0.7, 0.3]), torch.tensor([0.4, 0.6], requires_grad=True)
    worth = torch.tensor([[1.0, 0.0], [0.0, 3.0]])
    exact = torch.autograd.grad(-(policy[:, None] * policy[None] * worth).sum(), policy)[0]
    estimate = torch.zeros(2)
    for first in range(2):
        for second in range(2):
            tokens = torch.tensor([first, second])
            arguments = (behaviour[tokens].log(), worth[first, second][None], numbered_turns([0, 0]), torch.ones(1))
            value = loss(policy[tokens].log(), *arguments, TURN_RATIO)
            estimate += behaviour[first] * behaviour[second] * torch.autograd.grad(value, policy)[0]
    torch.testing.assert_close(estimate, exact)


def test_stored_actions_without_probabilities_are_refused_where_a_weight_needs_them() -> None:
    nans = torch.full((4,), torch.nan)
    with pytest.raises(ContractError, match="needs the behaviour log-probability"):
        in_sample_loss(torch.zeros(4), nans, ONES, TURNS, ONES, TURN_RATIO)
    assert in_sample_loss(torch.zeros(4), nans, ONES, TURNS, ONES, NONE).isfinite()
    assert weighted_cloning_loss(torch.full((4,), -1.0), ONES, TURNS, ONES).item() == 4.0


def test_weights_of_cloning_are_exponential_and_capped() -> None:
    got = awr_weights(torch.tensor([0.0, 0.5, -0.5, 100.0]), AwrConfig(temperature=0.5, max_weight=20.0))
    np.testing.assert_allclose(got, [1.0, np.e, 1 / np.e, 20.0], rtol=1e-6)
    with pytest.raises(ConfigError, match=r"temperature must be above 0"):
        AwrConfig(temperature=0.0)


def pulls_the_better_arm(loss) -> float:
    """Probability of the better arm after learning from sampled pulls; an action is two tokens, arm and full stop."""
    preferences = torch.zeros(2, requires_grad=True)
    optimiser = torch.optim.Adam([preferences], lr=0.1)
    generator = torch.Generator().manual_seed(0)
    for _ in range(60):
        arms = torch.multinomial(preferences.detach().softmax(0), 16, replacement=True, generator=generator)
        logprobs = preferences.log_softmax(0)[arms]
        tokens = torch.stack([logprobs, torch.zeros(16)], dim=1).flatten()
        turns = numbered_turns([n for n in range(16) for _ in range(2)])
        advantages = torch.where(arms == 1, 1.0, 0.2) - 0.6
        optimiser.zero_grad()
        loss(tokens, advantages, turns, torch.full((16,), 1 / 16)).backward()
        optimiser.step()
    return float(preferences.detach().softmax(0)[1])


@trap(resampled_loss, with_the_wrong_sign)
def test_a_bandit_is_learnt_from_new_actions(loss) -> None:
    assert pulls_the_better_arm(loss) > 0.95


# Several messages in a state


def against_all(q, states):
    """Each message is also compared with itself."""
    least = q.min(dim=0).values
    means = torch.stack([least[states == state].mean() for state in states])
    return least - means


def across_states(q, states):
    """Messages are compared with those of other states."""
    least = q.min(dim=0).values
    return least - (least.sum() - least) / (len(least) - 1)


@trap(leave_one_out_advantages, against_all, across_states)
def test_a_message_is_compared_with_the_others_of_its_state(implementation) -> None:
    q = torch.tensor([[1.0, 2.0, 5.0, 7.0, 9.0, 4.0], [3.0, 2.0, 3.0, 8.0, 9.0, 4.0]])
    states = torch.tensor([0, 0, 0, 1, 1, 2])
    torch.testing.assert_close(implementation(q, states), torch.tensor([-1.5, 0.0, 1.5, -2.0, 2.0, 0.0]))


def test_the_scale_is_that_of_a_state_and_grows_where_heads_disagree() -> None:
    states = torch.tensor([0, 0, 1, 1])
    agreed = torch.tensor([[0.0, 2.0, 10.0, 10.2], [0.0, 2.0, 10.0, 10.2]])
    torch.testing.assert_close(scale_of_states(agreed, states), torch.tensor([1.0, 1.0, 0.1, 0.1]))
    moved = agreed + torch.tensor([[0.0], [7.0]])  # heads that differ by a constant rank alike
    torch.testing.assert_close(scale_of_states(moved, states), scale_of_states(agreed, states), atol=1e-5, rtol=1e-4)
    doubted = agreed.clone()
    doubted[1, :2] = doubted[1, :2].flip(0)
    assert scale_of_states(doubted, states)[0] >= 1.0
    torch.testing.assert_close(scale_of_states(doubted, states)[2:], torch.tensor([0.1, 0.1]))


def test_a_temperature_in_spreads_grows_with_them() -> None:
    advantages = torch.tensor([0.1, -0.1])
    by_reward = awr_weights(advantages, AwrConfig(temperature=0.1))
    torch.testing.assert_close(awr_weights(advantages, AwrConfig(temperature=0.5, unit="spread"), 0.2), by_reward)
    torch.testing.assert_close(awr_weights(advantages, AwrConfig(temperature=0.1), 0.2), by_reward)
