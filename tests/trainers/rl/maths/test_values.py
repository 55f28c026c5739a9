from __future__ import annotations

import torch

from agentgym_rl.maths.values import value_loss

WEIGHTS = torch.tensor([0.5, 0.5, 0.0])
TARGETS = torch.tensor([1.0, 2.0, 9.0])


def test_value_loss_follows_a_worked_example() -> None:
    loss = value_loss(torch.tensor([0.0, 4.0, 0.0]), TARGETS, WEIGHTS)
    assert loss.item() == 0.5 * (0.5 * 1.0 + 0.5 * 4.0)


def test_value_loss_trains_only_weighted_positions_towards_their_targets() -> None:
    values = torch.tensor([0.0, 4.0, 0.0], requires_grad=True)
    value_loss(values, TARGETS, WEIGHTS).backward()
    assert values.grad is not None
    assert values.grad.tolist() == [-0.5, 1.0, 0.0]


def test_clipped_value_loss_stops_moving_once_the_change_is_large() -> None:
    values = torch.tensor([0.5, 0.1], requires_grad=True)
    old, targets = torch.zeros(2), torch.tensor([0.2, 1.0])
    loss = value_loss(values, targets, torch.ones(2), old_values=old, clip=0.2)
    # Held value 0.2 hits the first target, so the free error of 0.3 counts; the second is inside the clip.
    torch.testing.assert_close(loss, torch.tensor(0.5 * (0.3**2 + 0.9**2)))
    held = torch.tensor([0.9], requires_grad=True)
    value_loss(held, torch.tensor([1.0]), torch.ones(1), old_values=torch.zeros(1), clip=0.2).backward()
    assert held.grad is not None
    assert held.grad.item() == 0.0


def test_value_loss_of_no_tokens_is_zero_with_a_gradient() -> None:
    values = torch.zeros(3, requires_grad=True)
    none = torch.zeros(0)
    value_loss(values[:0], none, none).backward()
    assert values.grad is not None
    assert values.grad.tolist() == [0.0] * 3
