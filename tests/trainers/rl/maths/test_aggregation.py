from __future__ import annotations

import pytest
import torch

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.maths.aggregation import count_totals, token_weights
from agentgym_rl.maths.options import AggregationMode
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap

MODES: tuple[AggregationMode, ...] = ("token_mean", "seq_mean_token_mean", "seq_mean_token_sum", "dr_grpo")
# Three sequences with 3, 1 and 2 tokens, interleaved as packing may leave them; a fourth is not trained on.
SEQUENCES = torch.tensor([0, 2, 0, 1, 2, 0])
LOSSES = torch.tensor([1.0, 20.0, 2.0, 300.0, 40.0, 6.0], dtype=torch.float64)


def limit(mode: AggregationMode) -> int | None:
    return 10 if mode == "dr_grpo" else None


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("token_mean", 369 / 6),
        ("seq_mean_token_mean", (9 / 3 + 300 / 1 + 60 / 2) / 3),
        ("seq_mean_token_sum", 369 / 3),
        ("dr_grpo", 369 / 3 / 10),
        ("local_token_mean", 369 / 6),
    ],
)
def test_weights_follow_a_worked_example(mode: AggregationMode, expected: float) -> None:
    weights = token_weights(mode, SEQUENCES, count_totals(SEQUENCES, 4), max_tokens=limit(mode))
    assert (weights.double() * LOSSES).sum().item() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("mode", ["token_mean", "seq_mean_token_mean"])
def test_weights_of_means_sum_to_one(mode: AggregationMode) -> None:
    assert token_weights(mode, SEQUENCES, count_totals(SEQUENCES, 4)).sum().item() == pytest.approx(1.0)


@trap(token_weights, planted.weights_of_local_mean)
def test_micro_batches_add_up_to_the_whole(weigh) -> None:
    """Trap D-7: eight pieces of unequal size, some empty, against one."""
    totals = count_totals(SEQUENCES, 4)
    for mode in MODES:
        whole = (weigh(mode, SEQUENCES, totals, max_tokens=limit(mode)).double() * LOSSES).sum()
        for cuts in ([1, 2, 3, 4, 5], [4], [0, 3, 3]):
            pieces = zip(SEQUENCES.tensor_split(cuts), LOSSES.tensor_split(cuts), strict=True)
            parts = [
                (weigh(mode, s, totals, max_tokens=limit(mode)).double() * part).sum() for s, part in pieces if len(s)
            ]
            torch.testing.assert_close(torch.stack(parts).sum(), whole, rtol=1e-6, atol=0.0)


def declared_coefficients(weigh, mode: AggregationMode) -> float:
    """How much more a token of a rollout of 10 weighs than one of a rollout of 100, both with advantage 1."""
    sequences = torch.tensor([0] * 10 + [1] * 100)
    weights = weigh(mode, sequences, count_totals(sequences, 2), max_tokens=limit(mode))
    return float(weights[0] / weights[-1])


@trap(token_weights, planted.weights_of_sequence_mean, planted.weights_of_token_mean)
def test_length_bias_is_that_of_the_declared_mode(weigh) -> None:
    """Trap D-9."""
    expected = {"token_mean": 1.0, "seq_mean_token_sum": 1.0, "dr_grpo": 1.0, "seq_mean_token_mean": 10.0}
    for mode in MODES:
        assert declared_coefficients(weigh, mode) == pytest.approx(expected[mode]), mode


def weights_of_all(sequence_index: torch.Tensor, importance: torch.Tensor) -> torch.Tensor:
    return token_weights("token_mean", sequence_index, count_totals(sequence_index, int(sequence_index.max()) + 1))


@trap(weights_of_all, planted.weights_after_rejection)
def test_rejecting_tokens_leaves_the_weight_of_the_others(weigh) -> None:
    """Trap D-8."""
    accepted = torch.ones(6)
    half = torch.tensor([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    before, after = weigh(SEQUENCES, accepted) * accepted, weigh(SEQUENCES, half) * half
    torch.testing.assert_close(after[half > 0], before[half > 0])


def test_untrained_sequences_count_nowhere() -> None:
    totals = count_totals(SEQUENCES, 4)
    assert (totals.num_tokens, totals.num_sequences) == (6, 3)


def test_weights_of_an_empty_micro_batch_are_empty() -> None:
    assert len(token_weights("token_mean", SEQUENCES[:0], count_totals(SEQUENCES, 4))) == 0


def test_inapplicable_options_are_refused() -> None:
    totals = count_totals(SEQUENCES, 4)
    with pytest.raises(ConfigError, match="dr_grpo needs it"):
        token_weights("dr_grpo", SEQUENCES, totals)
    with pytest.raises(ConfigError, match="no other takes it"):
        token_weights("token_mean", SEQUENCES, totals, max_tokens=5)
    with pytest.raises(ContractError, match="beyond the 2 sequences"):
        count_totals(SEQUENCES, 2)


@pytest.mark.usefixtures("unchecked")
def test_unknown_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected one of token_mean"):
        token_weights("bnpo", SEQUENCES, count_totals(SEQUENCES, 4))  # type: ignore[arg-type]
