from __future__ import annotations

import math

import pytest
import torch

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.maths.importance import importance_weights
from agentgym_rl.maths.options import (
    GeometricGate,
    IcePop,
    Importance,
    NoImportance,
    SequenceMasked,
    SequenceTruncated,
    TokenMasked,
    TokenTruncated,
)
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap

SEQUENCES = torch.tensor([0, 0, 1, 1])
WEIGHTS = torch.tensor([4.0, 0.25, 0.5, 1.6], dtype=torch.float64)
BEHAVIOUR = torch.full((4,), -1.0, dtype=torch.float64)
PROX = BEHAVIOUR + WEIGHTS.log()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (NoImportance(), [1.0, 1.0, 1.0, 1.0]),
        (TokenTruncated(max_weight=2.0), [2.0, 0.25, 0.5, 1.6]),
        (SequenceTruncated(max_weight=0.9), [0.9, 0.9, 0.8, 0.8]),
        (TokenMasked(max_weight=2.0), [0.0, 0.25, 0.5, 1.6]),
        (SequenceMasked(min_weight=0.9, max_weight=2.0), [1.0, 1.0, 0.0, 0.0]),
        (IcePop(min_weight=0.4, max_weight=5.0), [4.0, 0.0, 0.5, 1.6]),
        (GeometricGate(max_weight=2.0, min_gate=0.95, max_gate=1.05), [2.0, 0.25, 0.0, 0.0]),
    ],
    ids=lambda value: getattr(value, "mode", ""),
)
def test_weights_follow_a_worked_example(config: Importance, expected: list[float]) -> None:
    got = importance_weights(PROX, BEHAVIOUR, SEQUENCES, config)
    torch.testing.assert_close(got, torch.tensor(expected, dtype=torch.float64))


@trap(importance_weights, planted.importance_of_recomputed_samples)
def test_replayed_samples_give_an_unbiased_estimate_of_the_return(weigh) -> None:
    """Trap D-18: a bandit small enough to enumerate; samples of old weights estimate the return of new ones."""
    rewards = torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64)
    old = torch.log_softmax(torch.tensor([0.5, 0.2, -0.3], dtype=torch.float64), 0)
    new = torch.log_softmax(torch.tensor([-0.4, 0.1, 0.6], dtype=torch.float64), 0)
    arms = torch.arange(3)
    unbounded = weigh(new, old, arms, TokenTruncated(max_weight=1e9))
    exact = (new.exp() * rewards).sum()
    torch.testing.assert_close((old.exp() * unbounded * rewards).sum(), exact)
    truncated = weigh(new, old, arms, TokenTruncated(max_weight=1.5))
    assert (old.exp() * truncated * rewards).sum() < exact


def test_truncation_is_inactive_on_samples_of_the_same_weights() -> None:
    got = importance_weights(BEHAVIOUR, BEHAVIOUR, SEQUENCES, SequenceTruncated())
    assert got.tolist() == [1.0] * 4


def test_weights_carry_no_gradient() -> None:
    prox = PROX.clone().requires_grad_()
    assert not importance_weights(prox, BEHAVIOUR, SEQUENCES, TokenTruncated()).requires_grad


def test_long_sequences_keep_finite_weights() -> None:
    prox, behaviour = torch.zeros(5000), torch.full((5000,), -1.0)
    got = importance_weights(prox, behaviour, torch.zeros(5000, dtype=torch.long), SequenceTruncated(max_weight=9e9))
    assert got[0].item() == pytest.approx(math.exp(20), rel=1e-5)


@pytest.mark.parametrize("config", [TokenTruncated(), SequenceMasked(), GeometricGate()])
def test_tokens_without_behaviour_logprobs_are_refused(config: Importance) -> None:
    behaviour = torch.tensor([-1.0, math.nan, -1.0, -1.0], dtype=torch.float64)
    with pytest.raises(ContractError, match="1 of 4 have none"):
        importance_weights(PROX, behaviour, SEQUENCES, config)
    assert importance_weights(PROX, behaviour, SEQUENCES, NoImportance()).tolist() == [1.0] * 4


def test_impossible_bands_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"band is \[3"):
        TokenMasked(min_weight=3.0, max_weight=2.0)
    with pytest.raises(ConfigError, match="two edges"):
        IcePop()
