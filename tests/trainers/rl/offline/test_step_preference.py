from __future__ import annotations

import math

import pytest
import torch

from agentgym_rl.offline.step_preference import step_preference_loss
from tests.trainers.rl.planted import trap

ONE = torch.ones(1)


def without_the_reference(expert, own, reference_expert, reference_own, weights, beta=0.1):
    """Compares probabilities, not how they changed."""
    zero = torch.zeros_like(expert)
    return step_preference_loss(expert, own, zero, zero, weights, beta)


def own_over_the_expert(expert, own, reference_expert, reference_own, weights, beta=0.1):
    """The preference turned round."""
    return step_preference_loss(own, expert, reference_own, reference_expert, weights, beta)


@trap(step_preference_loss, without_the_reference, own_over_the_expert)
def test_the_margin_is_that_of_changes_against_the_reference(loss) -> None:
    got = loss(*(torch.tensor([x]) for x in (-1.0, -2.0, -3.0, -2.5)), ONE, 0.5)
    # (-1 + 3) - (-2 + 2.5) = 1.5
    assert got.item() == pytest.approx(math.log1p(math.exp(-0.75)))


def test_where_both_say_the_same_nothing_is_learnt() -> None:
    logits = torch.zeros(3, requires_grad=True)
    same = logits.log_softmax(0)[1:2]
    step_preference_loss(same, same, same.detach(), same.detach(), ONE, beta=0.1).backward()
    assert logits.grad is not None
    assert not logits.grad.any()


@trap(step_preference_loss, own_over_the_expert)
def test_the_expert_is_followed(loss) -> None:
    """A bandit of three arms: the expert pulls the second, the agent what it likes."""
    logits = torch.zeros(3, requires_grad=True)
    reference = torch.full((12,), 1 / 3).log()
    optimiser = torch.optim.Adam([logits], lr=0.1)
    generator = torch.Generator().manual_seed(0)
    for _ in range(60):
        logprobs = logits.log_softmax(0)
        own = torch.multinomial(logprobs.detach().exp(), 12, replacement=True, generator=generator)
        optimiser.zero_grad()
        loss(logprobs[1].expand(12), logprobs[own], reference, reference, torch.full((12,), 1 / 12), 1.0).backward()
        optimiser.step()
    assert logits.detach().softmax(0)[1] > 0.9
