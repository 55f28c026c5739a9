from __future__ import annotations

import math

import pytest
import torch

from agentgym.errors import ConfigError
from agentgym_rl.maths.kl import kl_estimate
from agentgym_rl.maths.options import KlEstimator
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap

LOGITS = torch.tensor([0.3, -1.0, 0.8], dtype=torch.float64)
REFERENCE = torch.log_softmax(torch.tensor([-0.5, 0.4, 0.1], dtype=torch.float64), 0)


def exact_kl(policy: torch.Tensor) -> torch.Tensor:
    return (policy.exp() * (policy - REFERENCE)).sum()


def expected_gradient(estimate) -> torch.Tensor:
    """The gradient that samples of the policy give in the mean: arms are drawn, so their odds carry no gradient."""
    logits = LOGITS.clone().requires_grad_()
    policy = torch.log_softmax(logits, 0)
    (policy.detach().exp() * estimate(policy, REFERENCE)).sum().backward()
    assert logits.grad is not None
    return logits.grad


def exact_gradient() -> torch.Tensor:
    logits = LOGITS.clone().requires_grad_()
    exact_kl(torch.log_softmax(logits, 0)).backward()
    assert logits.grad is not None
    return logits.grad


def kl_in_loss_by_k2(policy: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    return kl_estimate(policy, reference, "k2")


def kl_in_loss_by_k3_plus(policy: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    return kl_estimate(policy, reference, "k3+")


@trap(kl_in_loss_by_k2, planted.kl_in_loss_by_k1, planted.kl_in_loss_by_k3)
def test_gradient_of_the_default_is_that_of_the_reverse_kl(estimate) -> None:
    """Trap D-17."""
    torch.testing.assert_close(expected_gradient(estimate), exact_gradient())


@trap(kl_in_loss_by_k3_plus, planted.kl_in_loss_by_k3)
def test_k3_plus_has_the_gradient_of_k2(estimate) -> None:
    """Trap D-17."""
    torch.testing.assert_close(expected_gradient(estimate), exact_gradient())


def test_gradient_of_k1_in_the_loss_is_zero_in_the_mean() -> None:
    torch.testing.assert_close(expected_gradient(planted.kl_in_loss_by_k1), torch.zeros(3, dtype=torch.float64))


@pytest.mark.parametrize("estimator", ["k1", "k3", "k3+"])
def test_unbiased_estimators_have_the_kl_as_their_mean(estimator: KlEstimator) -> None:
    policy = torch.log_softmax(LOGITS, 0)
    mean = (policy.exp() * kl_estimate(policy, REFERENCE, estimator)).sum()
    torch.testing.assert_close(mean, exact_kl(policy))


@pytest.mark.parametrize(
    ("estimator", "value"), [("k1", 1.0), ("k2", 0.5), ("k3", math.exp(-1)), ("k3+", math.exp(-1))]
)
def test_estimators_follow_a_worked_example(estimator: KlEstimator, value: float) -> None:
    # d = -2 - (-1) = -1; k3 = e^-1 + 1 - 1.
    got = kl_estimate(torch.tensor([-1.0]), torch.tensor([-2.0]), estimator)
    assert got.item() == pytest.approx(value, rel=1e-6)


def test_estimates_of_extreme_tokens_are_finite() -> None:
    assert torch.isfinite(kl_estimate(torch.tensor([-500.0]), torch.tensor([0.0]), "k3")).all()


@pytest.mark.usefixtures("unchecked")
def test_unknown_estimator_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected k1, k2, k3 or k3"):
        kl_estimate(torch.zeros(1), torch.zeros(1), "k4")  # type: ignore[arg-type]
