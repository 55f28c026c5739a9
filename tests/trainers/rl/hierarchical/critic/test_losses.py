from __future__ import annotations

import pytest
import torch

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.hierarchical.critic.losses import critic_loss, expectile_loss
from agentgym_rl.hierarchical.critic.network import as_values
from tests.trainers.rl.planted import trap

WEIGHTS = torch.tensor([0.5, 0.5])


def test_squares_follow_a_worked_example() -> None:
    outputs = torch.tensor([[0.0, 2.0], [1.0, 1.0]], requires_grad=True)
    loss = critic_loss(outputs, torch.tensor([[1.0, 2.0], [1.0, 3.0]]), WEIGHTS)
    assert loss.item() == 0.5 * 1 + 0.5 * 4
    loss.backward()
    assert outputs.grad is not None
    assert outputs.grad.tolist() == [[-1.0, 0.0], [0.0, -2.0]]


def fitted(loss, steps: int = 400) -> torch.Tensor:
    outputs = torch.zeros(1, 1, requires_grad=True)
    optimiser = torch.optim.Adam([outputs], lr=0.05)
    for _ in range(steps):
        optimiser.zero_grad()
        loss(outputs).backward()
        optimiser.step()
    return outputs.detach()


def test_cross_entropy_fits_the_mean_return_in_the_range() -> None:
    """Returns of -1 and 1, three in four of them 1: V = 0.5."""
    span, returns = (-1.0, 1.0), torch.tensor([[1.0, 1.0, 1.0, -1.0]])
    outputs = fitted(lambda out: critic_loss(out.expand(1, 4), returns, torch.full((4,), 0.25), span))
    assert as_values(outputs, span).item() == pytest.approx(0.5, abs=0.01)


def test_a_target_beyond_the_range_counts_as_its_edge() -> None:
    outputs, span = torch.tensor([[0.3]]), (0.0, 1.0)
    beyond, edge = (critic_loss(outputs, torch.tensor([[y]]), torch.ones(1), span) for y in (1.7, 1.0))
    assert torch.equal(beyond, edge)


def expectile_the_wrong_way(outputs, target_q, weights, expectile=0.9, value_range=None):
    """1 - tau where tau belongs: V becomes the minimum."""
    return expectile_loss(outputs, target_q, weights, 1 - expectile, value_range)


def expectile_as_a_mean(outputs, target_q, weights, expectile=0.9, value_range=None):
    """No asymmetry: V is the mean of the data's policy."""
    return expectile_loss(outputs, target_q, weights, 0.5, value_range)


@trap(expectile_loss, expectile_the_wrong_way, expectile_as_a_mean)
def test_v_is_the_expectile_of_q_over_the_actions_in_the_data(loss) -> None:
    """0.9 (1 - v) = 0.1 v: v = 0.9 of two actions worth 0 and 1; the optimistic one of two heads is not believed."""
    target_q = torch.tensor([[0.0, 5.0], [3.0, 1.0]])
    value = fitted(lambda out: loss(out.expand(1, 2), target_q, WEIGHTS, 0.9)).item()
    assert value == pytest.approx(0.9, abs=0.01)


def test_a_bounded_head_compares_values_not_logits() -> None:
    target_q, span = torch.tensor([[0.2, 0.8], [0.2, 0.8]]), (0.0, 1.0)
    value = as_values(fitted(lambda out: expectile_loss(out.expand(1, 2), target_q, WEIGHTS, 0.99, span), 600), span)
    assert 0.75 < value.item() < 0.8


def test_targets_are_constants() -> None:
    targets = torch.ones(1, 2, requires_grad=True)
    critic_loss(torch.zeros(1, 2, requires_grad=True), targets, WEIGHTS).backward()
    assert targets.grad is None


def test_targets_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ContractError, match="1 of 2 targets of the critic are no finite numbers"):
        critic_loss(torch.zeros(1, 2), torch.tensor([[torch.nan, 1.0]]), WEIGHTS)
    with pytest.raises(ConfigError, match="expectile is 1"):
        expectile_loss(torch.zeros(1, 2), torch.zeros(2, 2), WEIGHTS, 1.0)


def test_no_turns_give_zero_with_a_gradient() -> None:
    outputs = torch.zeros(2, 3, requires_grad=True)
    critic_loss(outputs[:, :0], torch.zeros(2, 0), torch.zeros(0)).backward()
    assert outputs.grad is not None
    assert not outputs.grad.any()
