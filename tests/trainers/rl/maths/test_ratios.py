from __future__ import annotations

import math

import pytest
import torch

from agentgym.errors import ConfigError
from agentgym_rl.maths.options import RatioLevel
from agentgym_rl.maths.ratios import log_ratios, unit_index

SEQUENCES = torch.tensor([0, 0, 0, 1, 1, 0])
TURNS = torch.tensor([0, 0, 1, 0, 0, 1])
DIFFERENCES = torch.tensor([0.1, 0.3, -0.2, 0.5, 0.1, 1.0], dtype=torch.float64)
LEVELS: tuple[RatioLevel, ...] = ("token", "turn", "sequence")


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("token", [0.1, 0.3, -0.2, 0.5, 0.1, 1.0]),
        ("turn", [0.2, 0.2, 0.4, 0.3, 0.3, 0.4]),
        ("sequence", [0.3, 0.3, 0.3, 0.3, 0.3, 0.3]),
    ],
)
def test_log_ratios_follow_a_worked_example(level: RatioLevel, expected: list[float]) -> None:
    got = log_ratios(DIFFERENCES, torch.zeros_like(DIFFERENCES), level, SEQUENCES, TURNS)
    torch.testing.assert_close(got, torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("level", LEVELS)
def test_log_ratios_equal_a_slow_loop(level: RatioLevel) -> None:
    generator = torch.Generator().manual_seed(0)
    differences = torch.randn(40, generator=generator, dtype=torch.float64)
    sequences, turns = (torch.randint(0, 3, (40,), generator=generator) for _ in range(2))
    got = log_ratios(differences, torch.zeros_like(differences), level, sequences, turns)
    keys = {
        "token": range(40),
        "turn": list(zip(sequences.tolist(), turns.tolist(), strict=True)),
        "sequence": sequences.tolist(),
    }
    for k, key in enumerate(keys[level]):
        members = [differences[j].item() for j, other in enumerate(keys[level]) if other == key]
        assert got[k].item() == pytest.approx(sum(members) / len(members))


@pytest.mark.parametrize("level", LEVELS)
def test_ratio_without_an_update_is_exactly_one(level: RatioLevel) -> None:
    """Trap D-18."""
    logprobs = torch.randn(6, generator=torch.Generator().manual_seed(0))
    assert log_ratios(logprobs, logprobs.clone(), level, SEQUENCES, TURNS).exp().tolist() == [1.0] * 6


def test_sequence_ratio_has_the_gradient_of_the_unit_where_weights_are_equal() -> None:
    def summed(straight_through: bool) -> torch.Tensor:
        logprobs = DIFFERENCES.clone().requires_grad_()
        if straight_through:
            ratio = log_ratios(logprobs, torch.zeros(6, dtype=torch.float64), "sequence", SEQUENCES, TURNS).exp()
        else:
            means = torch.stack([logprobs[i == SEQUENCES].mean() for i in (0, 1)])
            ratio = means.exp()[SEQUENCES]
        ratio.sum().backward()
        assert logprobs.grad is not None
        return logprobs.grad

    torch.testing.assert_close(summed(True), summed(False))


def test_log_ratios_are_clamped_and_then_carry_no_gradient() -> None:
    logprobs = torch.tensor([50.0, -50.0, 1.0], requires_grad=True)
    got = log_ratios(
        logprobs, torch.zeros(3), "token", torch.zeros(3, dtype=torch.long), torch.zeros(3, dtype=torch.long)
    )
    assert got.tolist() == [20.0, -20.0, 1.0]
    got.sum().backward()
    assert logprobs.grad is not None
    assert logprobs.grad.tolist() == [0.0, 0.0, 1.0]
    assert math.isfinite(got.exp().sum().item())


def test_empty_micro_batch_has_no_ratios() -> None:
    none, nowhere = torch.zeros(0), torch.zeros(0, dtype=torch.long)
    for level in LEVELS:
        assert len(log_ratios(none, none, level, nowhere, nowhere)) == 0


@pytest.mark.usefixtures("unchecked")
def test_unknown_level_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected token, turn or sequence"):
        unit_index("row", SEQUENCES, TURNS)  # type: ignore[arg-type]
