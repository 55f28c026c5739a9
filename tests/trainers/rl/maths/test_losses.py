from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from agentgym.errors import ConfigError, ContractError
from agentgym.trajectory import Segment
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.logprobs import token_logprobs
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.packing import pack
from agentgym_rl.maths.aggregation import count_totals, token_weights
from agentgym_rl.maths.importance import importance_weights
from agentgym_rl.maths.loss_metrics import LossMetrics
from agentgym_rl.maths.losses import TokenStreams, policy_loss
from agentgym_rl.maths.options import (
    CispoLoss,
    ClippedLoss,
    DppoLoss,
    Importance,
    NoImportance,
    PolicyLoss,
    RatioLevel,
    ReinforceLoss,
    SequenceMasked,
    UnclippedLoss,
)
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap
from tests.trainers.rl.tiny import gradient, hidden_states, random_segments, tiny_llama

PACKED = PackingConfig(row_length=64, micro_batch_tokens=128)
LOG2 = math.log(2.0)
LOSSES = {
    "clipped": ClippedLoss,
    "unclipped": UnclippedLoss,
    "reinforce": ReinforceLoss,
    "cispo": CispoLoss,
    "dppo": DppoLoss,
}


def streams_of(log_ratios: list[float], advantages: list[float], **extra) -> TokenStreams:
    """Each token a sequence of its own, with a given log-ratio."""
    policy = torch.tensor(log_ratios, dtype=torch.float64).sub(2.0).requires_grad_()
    index = torch.arange(len(log_ratios))
    return TokenStreams(
        policy_logprobs=policy,
        prox_logprobs=torch.full_like(policy, -2.0).detach(),
        advantages=torch.tensor(advantages, dtype=torch.float64),
        sequence_index=index,
        turn_index=torch.zeros_like(index),
        **extra,
    )


def loss_and_gradient(streams: TokenStreams, config: PolicyLoss) -> tuple[float, list[float]]:
    loss, _ = policy_loss(streams, torch.ones(len(streams.advantages)), config)
    (slope,) = torch.autograd.grad(loss, streams.policy_logprobs)
    return loss.item(), slope.tolist()


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "slope"),
    [
        (1.0, 2.0, -2.0, -2.0),
        (1.1, 2.0, -2.2, -2.2),
        (1.5, 2.0, -1.28 * 2, 0.0),
        (0.5, 2.0, -1.0, -1.0),
        (0.5, -2.0, 1.6, 0.0),
        (1.5, -2.0, 3.0, 3.0),
        (4.0, -2.0, 6.0, 0.0),
    ],
)
def test_clipped_surrogate_follows_worked_numbers(ratio: float, advantage: float, loss: float, slope: float) -> None:
    got_loss, (got_slope,) = loss_and_gradient(streams_of([math.log(ratio)], [advantage]), ClippedLoss())
    assert got_loss == pytest.approx(loss)
    assert got_slope == pytest.approx(slope)


def test_without_a_dual_clip_a_large_ratio_keeps_its_gradient() -> None:
    loss, (slope,) = loss_and_gradient(streams_of([2 * LOG2], [-2.0]), ClippedLoss(dual_clip=None))
    assert (loss, slope) == (pytest.approx(8.0), pytest.approx(8.0))


@pytest.mark.parametrize(
    ("surrogate", "slopes"),
    [
        ("unclipped", [-2.0, 0.5]),
        ("reinforce", [-1.0, 1.0]),
        ("cispo", [-1.5, 0.5]),
        # The first token's probability fell by 0.07 from 0.14 and rose to 0.27: inside the limit of 0.2.
        ("dppo", [-2.0 + 2e-3 * LOG2, 0.5 - 2e-3 * LOG2]),
    ],
)
def test_other_surrogates_have_their_declared_slopes(surrogate: str, slopes: list[float]) -> None:
    config = CispoLoss(max_ratio=1.5) if surrogate == "cispo" else LOSSES[surrogate]()
    _, got = loss_and_gradient(streams_of([LOG2, -LOG2], [1.0, -1.0]), config)
    assert got == pytest.approx(slopes)


def test_dppo_stops_tokens_whose_probability_moved_far_in_the_wanted_direction() -> None:
    config = DppoLoss(max_shift=0.1, penalty=0.0)
    _, got = loss_and_gradient(streams_of([LOG2, LOG2], [1.0, -1.0]), config)
    assert got == pytest.approx([0.0, 2.0])


@pytest.mark.parametrize("level", ["token", "turn", "sequence"])
@pytest.mark.parametrize("surrogate", ["clipped", "unclipped", "cispo", "dppo"])
@pytest.mark.parametrize("has_prox", [True, False])
def test_first_step_is_plain_reinforce(level: RatioLevel, surrogate: str, has_prox: bool) -> None:
    """Trap D-18: ratio exactly 1, nothing clipped, the gradient that of REINFORCE."""
    generator = torch.Generator().manual_seed(0)
    policy = torch.randn(12, generator=generator, dtype=torch.float64).requires_grad_()
    streams = TokenStreams(
        policy_logprobs=policy,
        prox_logprobs=policy.detach().clone() if has_prox else None,
        advantages=torch.randn(12, generator=generator, dtype=torch.float64),
        sequence_index=torch.arange(12) // 5,
        turn_index=torch.arange(12) % 2,
    )
    weights = torch.rand(12, generator=generator)
    loss, metrics = policy_loss(streams, weights, LOSSES[surrogate](ratio_level=level))
    (slope,) = torch.autograd.grad(loss, policy)
    torch.testing.assert_close(slope, -weights.double() * streams.advantages)
    summary = metrics.summarise()
    assert (summary["ratio_mean"], summary["ratio_std"]) == (1.0, 0.0)
    assert summary["clip_high"] == summary["clip_low"] == summary["dual_clip"] == 0.0


def test_importance_kl_and_entropy_add_up_with_their_signs() -> None:
    streams = streams_of(
        [LOG2],
        [1.0],
        importance=torch.tensor([0.5], dtype=torch.float64),
        reference_logprobs=torch.tensor([-2.0], dtype=torch.float64),
        entropy=torch.tensor([3.0], dtype=torch.float64),
    )
    config = UnclippedLoss(kl_coefficient=0.1, entropy_coefficient=0.01)
    loss, _ = loss_and_gradient(streams, config)
    assert loss == pytest.approx(-0.5 * 2.0 + 0.1 * LOG2**2 / 2 - 0.01 * 3.0)
    corrected, _ = loss_and_gradient(streams, replace(config, use_kl_ratio=True))
    assert corrected == pytest.approx(-0.5 * 2.0 + 2.0 * 0.1 * LOG2**2 / 2 - 0.01 * 3.0)


def test_metrics_count_clips_by_sign() -> None:
    streams = streams_of([LOG2, 0.0, -LOG2, 2 * LOG2], [1.0, 1.0, -1.0, -1.0])
    _, metrics = policy_loss(streams, torch.ones(4), ClippedLoss())
    summary = metrics.summarise()
    assert (summary["clip_high"], summary["clip_low"], summary["dual_clip"]) == (0.5, 0.5, 0.5)
    assert summary["ratio_mean"] == pytest.approx((2 + 1 + 0.5 + 4) / 4)
    assert summary["tokens"] == 4


def test_metrics_of_pieces_add_up_to_those_of_the_whole() -> None:
    log_ratios, advantages = np.random.default_rng(0).normal(0.0, 0.6, (2, 20))
    whole = policy_loss(streams_of(log_ratios.tolist(), advantages.tolist()), torch.ones(20), ClippedLoss())[1]
    total = LossMetrics.zero()
    for part in (slice(0, 3), slice(3, 3), slice(3, 20)):
        piece = streams_of(log_ratios[part].tolist(), advantages[part].tolist())
        total = total + policy_loss(piece, torch.ones(len(advantages[part])), ClippedLoss())[1]
    assert total.summarise() == pytest.approx(whole.summarise())


def test_metrics_move_to_the_device_of_the_micro_batch() -> None:
    assert (LossMetrics.zero() + LossMetrics.zero("meta")).sums.device.type == "meta"


def test_missing_inputs_and_impossible_options_are_refused() -> None:
    with pytest.raises(ContractError, match="no reference log-probabilities"):
        loss_and_gradient(streams_of([0.0], [1.0]), ClippedLoss(kl_coefficient=0.1))
    with pytest.raises(ContractError, match="no entropies"):
        loss_and_gradient(streams_of([0.0], [1.0]), ClippedLoss(entropy_coefficient=0.1))
    derived = replace(streams_of([0.0, 0.0], [1.0, 1.0]), prox_logprobs=torch.tensor([-1.0, math.nan]).double())
    with pytest.raises(ContractError, match="1 of 2 tokens have no log-probability"):
        loss_and_gradient(derived, ClippedLoss())
    with pytest.raises(ConfigError, match=r"must be above 1, got 1.0"):
        ClippedLoss(dual_clip=1.0)
    with pytest.raises(ConfigError, match="eps_low must be from 0 to 1"):
        ClippedLoss(eps_low=-0.1)


# A whole update over a model: what a training step does, with the pieces under test as parameters.


def update_gradient(
    segments: list[Segment],
    config: PackingConfig = PACKED,
    *,
    mode: str = "token_mean",
    pack_rows=pack,
    weigh=token_weights,
    loss: PolicyLoss | None = None,
    importance: Importance | None = None,
) -> torch.Tensor:
    """Gradient of one update; episode i has advantage (-1)^i (i + 1) by its trajectory id."""
    batches = pack_rows(segments, config)
    totals = count_totals(
        torch.cat([b.sequence_index for b in batches]), 1 + max(int(b.sequence_index.max()) for b in batches)
    )
    numbers = [int(s.trajectory_id.rsplit("-", 1)[1]) for s in segments]
    for batch in batches:
        head = tiny_llama().lm_head.weight
        logprobs, _ = token_logprobs(hidden_states(batch), head, batch.tokens, batch.completion_mask)
        behaviour = batch.flatten([s.behaviour_logprobs for s in segments], torch.float64)
        streams = TokenStreams(
            policy_logprobs=logprobs,
            prox_logprobs=behaviour,
            advantages=batch.flatten([(-1.0) ** n * (n + 1) for n in numbers], torch.float64),
            sequence_index=batch.sequence_index,
            turn_index=batch.turn_index,
            importance=importance_weights(logprobs, behaviour, batch.sequence_index, importance or NoImportance()),
        )
        weights = weigh(mode, batch.sequence_index, totals, max_tokens=50 if mode == "dr_grpo" else None)
        policy_loss(streams, weights, loss or ClippedLoss())[0].backward()
    return gradient()


def split_by_turn(segment: Segment) -> list[Segment]:
    """The same episode in one segment per turn: the same contexts, and each sampled token trained once."""
    parts = []
    for turn in np.unique(segment.turn_index):
        end = int(np.flatnonzero(segment.turn_index == turn)[-1]) + 1
        mask = segment.completion_mask[:end] & (segment.turn_index[:end] == turn)
        parts.append(
            Segment(
                segment.tokens[:end],
                mask,
                segment.turn_index[:end],
                segment.behaviour_logprobs[:end],
                segment.versions[:end],
                segment.trajectory_id,
            )
        )
    return parts


def split_training_every_turn_again(segment: Segment) -> list[Segment]:
    """D-6: later rows train the turns of earlier rows once more."""
    parts = split_by_turn(segment)
    for part in parts:
        part.completion_mask[:] = segment.completion_mask[: len(part.completion_mask)]
    return parts


@trap(pack, planted.pack_counting_rows_as_sequences)
def test_a_split_episode_counts_once(pack_rows) -> None:
    """Trap D-6: one segment or one per turn, every aggregation, every ratio level."""
    segments = random_segments(6)
    parts = [part for segment in segments for part in split_by_turn(segment)]
    assert len(parts) > len(segments)
    config = PackingConfig(64, 256, keep_sequences_whole=True)
    for mode in ("token_mean", "seq_mean_token_mean", "seq_mean_token_sum", "dr_grpo"):
        for level in ("token", "turn", "sequence"):
            loss = ClippedLoss(ratio_level=level)
            whole = update_gradient(segments, config, mode=mode, loss=loss)
            split = update_gradient(parts, config, mode=mode, loss=loss, pack_rows=pack_rows)
            torch.testing.assert_close(split, whole, rtol=0.0, atol=1e-6)


@trap(split_by_turn, split_training_every_turn_again)
def test_a_split_episode_trains_each_token_once(split) -> None:
    """Trap D-6."""
    segments = random_segments(6)
    parts = [part for segment in segments for part in split(segment)]
    torch.testing.assert_close(update_gradient(parts), update_gradient(segments), rtol=0.0, atol=1e-6)


@trap(token_weights, planted.weights_of_local_mean)
def test_gradient_does_not_depend_on_micro_batches(weigh) -> None:
    """Trap D-7: one pass over eight episodes of unequal length against eight passes, and packed ones."""
    segments = random_segments(8)
    for mode in ("token_mean", "seq_mean_token_mean", "dr_grpo"):
        whole = update_gradient(segments, PackingConfig(64, 64 * 8, is_packed=False), mode=mode, weigh=weigh)
        for config in (PackingConfig(64, 64, is_packed=False), PACKED):
            pieces = update_gradient(segments, config, mode=mode, weigh=weigh)
            torch.testing.assert_close(pieces, whole, rtol=1e-5, atol=1e-9)


def test_rejected_episodes_add_nothing_and_leave_the_others_as_they_were() -> None:
    """Trap D-8, at the level of gradients: what importance weights reject is simply absent."""
    segments = random_segments(6)
    far = [
        replace(s, behaviour_logprobs=s.behaviour_logprobs + (40.0 if i % 2 else 0.0)) for i, s in enumerate(segments)
    ]
    masked = SequenceMasked(1e-8, 1e9)
    accepted = replace(masked, min_weight=0.0, max_weight=1e9)
    loss = ReinforceLoss()
    kept = update_gradient(far, importance=masked, loss=loss)
    total_of = count_totals(torch.cat([b.sequence_index for b in pack(segments, PACKED)]), 6).num_tokens
    even = [s for i, s in enumerate(far) if i % 2 == 0]
    alone = update_gradient(even, importance=accepted, loss=loss)
    num_even = sum(int(s.completion_mask.sum()) for s in even)
    torch.testing.assert_close(kept, alone * num_even / total_of, rtol=1e-5, atol=1e-12)
    assert kept.abs().max() > 0


def test_more_text_of_others_changes_no_denominator() -> None:
    """Trap D-17, the mask's part: divergence, entropy and counts are over sampled tokens alone."""

    def measure(num_prompt_tokens: int) -> dict[str, float]:
        mask = torch.zeros(1, num_prompt_tokens + 4, dtype=torch.bool)
        mask[:, -4:] = True
        tokens = torch.full(mask.shape, 5)
        states = torch.randn(4, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        hidden = torch.cat([torch.ones(num_prompt_tokens - 1, 6, dtype=torch.float64), states, states[:1]])[None]
        head = torch.randn(9, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        logprobs, entropy = token_logprobs(hidden, head, tokens, mask)
        index = torch.zeros(4, dtype=torch.long)
        reference = logprobs.detach() + 0.3
        streams = TokenStreams(logprobs, torch.ones(4), index, index, reference_logprobs=reference, entropy=entropy)
        weights = token_weights("token_mean", index, count_totals(index, 1))
        return policy_loss(streams, weights, ClippedLoss(kl_coefficient=0.1))[1].summarise()

    assert measure(2) == pytest.approx(measure(52))


def test_an_empty_micro_batch_adds_zero_with_a_gradient() -> None:
    batch = MicroBatch.empty()
    head = tiny_llama().lm_head.weight
    logprobs, _ = token_logprobs(hidden_states(batch), head, batch.tokens, batch.completion_mask)
    streams = TokenStreams(logprobs, torch.zeros(0), batch.sequence_index, batch.turn_index)
    loss, metrics = policy_loss(streams, torch.zeros(0), ClippedLoss())
    loss.backward()
    assert not gradient().any()
    assert metrics.summarise() == {"loss": 0.0, "tokens": 0.0}
