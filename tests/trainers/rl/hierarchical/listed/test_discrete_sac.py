from __future__ import annotations

import numpy as np
import pytest
import torch

from agentgym.errors import ContractError
from agentgym_rl.hierarchical.listed.discrete_sac import (
    action_logprobs,
    soft_policy_loss,
    soft_targets,
    soft_values,
    temperature_loss,
)
from tests.trainers.rl.hierarchical.tables import DISCOUNT, chain
from tests.trainers.rl.planted import trap

ALPHA = 0.1


def test_scores_become_a_policy_over_the_available_actions() -> None:
    is_available = torch.tensor([[True, True, False]])
    got = action_logprobs(torch.tensor([[2.0, 0.0, 50.0]]), is_available, temperature=2.0)
    torch.testing.assert_close(got.exp()[0, :2], torch.tensor([1.0, 0.0]).softmax(0))
    assert got[0, 2] == -torch.inf
    with pytest.raises(ContractError, match="no available action"):
        action_logprobs(torch.zeros(1, 2), torch.zeros(1, 2, dtype=torch.bool))


def test_actions_that_are_not_available_count_nothing_and_leave_gradients_finite() -> None:
    scores = torch.zeros(1, 3, requires_grad=True)
    logprobs = action_logprobs(scores, torch.tensor([[True, True, False]]))
    q = torch.tensor([[[1.0, 3.0, torch.nan]], [[2.0, 2.0, 9.0]]])
    assert soft_values(logprobs, q, 0.5).item() == pytest.approx(0.5 * (1 + 2) + 0.5 * np.log(2))
    soft_policy_loss(logprobs, q, 0.5, torch.ones(1)).backward()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()
    assert scores.grad[0, 2] == 0


def after_an_end(rewards, following, is_terminal, discount):
    """D-27: the state after an end, multiplied by 0."""
    return rewards + discount * (~is_terminal).float() * following


def always_bootstrapped(rewards, following, is_terminal, discount):
    """An end goes on."""
    return rewards + discount * following.nan_to_num()


@trap(soft_targets, after_an_end, always_bootstrapped)
def test_targets_read_nothing_after_an_end(targets) -> None:
    rewards, following = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([torch.nan, 4.0, 7.0])
    assert targets(rewards, following, torch.tensor([True, False, True]), 0.5).tolist() == [1.0, 4.0, 3.0]


def soft_chain() -> tuple[np.ndarray, np.ndarray]:
    """Soft values and policy of the chain by iteration of the definition."""
    table, q = chain(), np.zeros((5, 2))
    for _ in range(400):
        v = ALPHA * np.log(np.exp(q / ALPHA).sum(1))
        q = table.rewards + DISCOUNT * np.where(table.is_end, 0.0, v[table.following])
    return q, np.exp(q / ALPHA) / np.exp(q / ALPHA).sum(1, keepdims=True)


def without_entropy(logprobs, q, alpha):
    """The bonus for entropy is left out of the values."""
    return soft_values(logprobs, q, 0.0)


def with_the_wrong_entropy(logprobs, q, alpha):
    """+ alpha log pi: certainty is rewarded."""
    return soft_values(logprobs, q, -alpha)


@trap(soft_values, without_entropy, with_the_wrong_entropy)
def test_the_chain_is_solved_with_its_soft_values(values) -> None:
    table = chain()
    q, scores = torch.zeros(2, 5, 2), torch.zeros(5, 2, requires_grad=True)
    optimiser = torch.optim.Adam([scores], lr=0.1)
    everywhere, rewards = torch.ones(5, 2, dtype=torch.bool), torch.from_numpy(table.rewards).float().flatten()
    following, is_end = torch.from_numpy(table.following).flatten(), torch.from_numpy(table.is_end).flatten()
    for _ in range(150):
        logprobs = action_logprobs(scores, everywhere)
        ahead = values(logprobs.detach(), q, ALPHA)[following]
        q = q.lerp(soft_targets(rewards, ahead, is_end, DISCOUNT).reshape(5, 2).expand(2, 5, 2), 0.3)
        optimiser.zero_grad()
        soft_policy_loss(logprobs, q, ALPHA, torch.ones(5)).backward()
        optimiser.step()
    best_q, best_policy = soft_chain()
    assert np.abs(q[0].numpy() - best_q).max() < 0.05
    assert np.abs(scores.detach().softmax(-1).numpy() - best_policy).max() < 0.05


def uphill(logprobs, q, alpha, weights):
    """The sign of the policy's loss."""
    return -soft_policy_loss(logprobs, q, alpha, weights)


def gradient_into_q(logprobs, q, alpha, weights):
    """The policy's loss trains the critic."""
    return -(weights * soft_values(logprobs, q, alpha)).sum()


@trap(soft_policy_loss, uphill, gradient_into_q)
def test_the_policy_loss_pulls_towards_the_softmax_of_q_and_leaves_q(loss) -> None:
    scores, q = torch.zeros(1, 2, requires_grad=True), torch.tensor([[[0.0, 1.0]], [[0.5, 1.5]]], requires_grad=True)
    optimiser = torch.optim.Adam([scores], lr=0.05)
    for _ in range(200):
        optimiser.zero_grad()
        loss(action_logprobs(scores, torch.ones(1, 2, dtype=torch.bool)), q, 0.5, torch.ones(1)).backward()
        optimiser.step()
    assert scores.detach().softmax(-1)[0, 1].item() == pytest.approx(1 / (1 + np.exp(-2.0)), abs=0.02)
    assert q.grad is None


def cooling_the_wrong_way(log_alpha, logprobs, target_entropy, weights):
    """alpha falls where entropy is short."""
    return -temperature_loss(log_alpha, logprobs, target_entropy, weights)


@trap(temperature_loss, cooling_the_wrong_way)
def test_alpha_grows_while_entropy_is_short_of_its_target(loss) -> None:
    sharp, even = torch.tensor([[0.99, 0.01]]).log(), torch.tensor([[0.5, 0.5]]).log()
    slopes = []
    for logprobs in (sharp, even):
        log_alpha = torch.zeros((), requires_grad=True)
        loss(log_alpha, logprobs, 0.4, torch.ones(1)).backward()
        slopes.append(float(log_alpha.grad))
    assert slopes[0] < 0 < slopes[1]
