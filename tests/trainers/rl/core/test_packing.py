from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.errors import ConfigError, ContextOverflowError, ContractError
from agentgym.trajectory import Segment, Trajectory, Turn
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.logprobs import token_logprobs
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.packing import number_sequences, pack
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap
from tests.trainers.rl.tiny import gradient, hidden_states, random_segment, random_segments, tiny_llama

PACKED = PackingConfig(row_length=64, micro_batch_tokens=128)


def logprobs_by_segment(batches: list[MicroBatch]) -> dict[int, np.ndarray]:
    """Log-probabilities of sampled tokens per segment; NaN elsewhere. Gradients of their sum are left in the model."""
    collected: dict[int, np.ndarray] = {}
    for batch in batches:
        head = tiny_llama().lm_head.weight
        logprobs, _ = token_logprobs(hidden_states(batch), head, batch.tokens, batch.completion_mask)
        logprobs.sum().backward()
        collected.update(batch.unflatten(logprobs))
    return collected


@trap(pack, planted.pack_with_running_positions, planted.pack_with_plain_causal_attention)
def test_packed_segments_give_the_logprobs_and_gradients_of_segments_alone(pack_rows) -> None:
    """Trap D-20: alone, padded beside others, and packed into rows with others."""
    segments = random_segments(9)
    alone: dict[int, np.ndarray] = {}
    for i, segment in enumerate(segments):
        alone[i] = logprobs_by_segment(pack([segment], PackingConfig(64, 64)))[0]
    expected = gradient()
    padded = PackingConfig(row_length=64, micro_batch_tokens=1024, is_packed=False)
    for config in (padded, PACKED, PackingConfig(64, 64, is_trimmed=False)):
        packed = logprobs_by_segment(pack_rows(segments, config))
        assert sorted(packed) == list(range(len(segments)))
        for i, values in packed.items():
            np.testing.assert_allclose(values, alone[i], atol=1e-6)
        torch.testing.assert_close(gradient(), expected, rtol=0.0, atol=1e-6)


def test_packing_saves_most_of_the_padding() -> None:
    segments = random_segments(60)
    shapes = [batch.tokens.shape for batch in pack(segments, PACKED)]
    num_real = sum(len(segment.tokens) for segment in segments)
    assert sum(rows * length for rows, length in shapes) < 1.1 * num_real


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(2, 20), min_size=1, max_size=30), st.booleans(), st.booleans(), st.integers(1, 4))
def test_every_segment_is_placed_once_without_overlap(
    lengths: list[int], is_packed: bool, keep_whole: bool, num_rows: int
) -> None:
    rng = np.random.default_rng(0)
    segments = [random_segment(rng, f"e{i}", [(1, length - 1)]) for i, length in enumerate(lengths)]
    config = PackingConfig(20, 20 * num_rows, is_packed=is_packed, keep_sequences_whole=keep_whole)
    batches = pack(segments, config)
    assert sorted(place.segment for batch in batches for place in batch.placements) == list(range(len(segments)))
    for batch in batches:
        assert batch.tokens.numel() <= config.micro_batch_tokens
        for block, place in enumerate(batch.placements, start=1):
            span = batch.block_index[place.row, place.start : place.start + place.length]
            assert span.tolist() == [block] * place.length
            tokens = batch.tokens[place.row, place.start : place.start + place.length]
            assert tokens.tolist() == segments[place.segment].tokens.tolist()


def test_short_rows_fill_the_token_budget() -> None:
    rng = np.random.default_rng(0)
    segments = [random_segment(rng, f"e{i}", [(2, 3)]) for i in range(40)]
    (batch,) = pack(segments, PackingConfig(row_length=100, micro_batch_tokens=200, is_packed=False))
    assert batch.tokens.shape == (40, 5)


def test_packing_is_deterministic_and_ties_keep_their_order() -> None:
    rng = np.random.default_rng(0)
    segments = [random_segment(rng, f"e{i}", [(2, 2)]) for i in range(5)]
    first, second = (pack(segments, PackingConfig(8, 16)) for _ in range(2))
    assert [batch.placements for batch in first] == [batch.placements for batch in second]
    assert [place.segment for batch in first for place in batch.placements] == [0, 1, 2, 3, 4]


def test_whole_sequences_share_a_micro_batch() -> None:
    rng = np.random.default_rng(0)
    segments = [random_segment(rng, f"e{i % 4}", [(3, 5)]) for i in range(12)]
    batches = pack(segments, PackingConfig(8, 32, keep_sequences_whole=True))
    homes = [set(batch.sequence_index.tolist()) for batch in batches]
    assert sum(len(home) for home in homes) == 4
    scattered = pack(segments, PackingConfig(8, 32))
    assert sum(len(set(batch.sequence_index.tolist())) for batch in scattered) > 4


def test_sequences_are_numbered_by_first_appearance() -> None:
    rng = np.random.default_rng(0)
    segments = [random_segment(rng, name, [(1, 1)]) for name in ("b", "a", "b", "c")]
    assert number_sequences(segments).tolist() == [0, 1, 0, 2]


def test_attention_mask_is_block_diagonal_causal_and_never_empty() -> None:
    rng = np.random.default_rng(0)
    segments = [random_segment(rng, f"e{i}", [(1, n)]) for i, n in enumerate((2, 1))]
    (batch,) = pack(segments, PackingConfig(6, 6, is_trimmed=False))
    mask = batch.attention_mask()
    assert mask is not None
    assert mask[0, 0].int().tolist() == [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [0, 0, 0, 1, 0, 0],
        [0, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 0, 1],
    ]
    assert batch.position_ids.tolist() == [[0, 1, 2, 0, 1, 0]]


def episode_with_forced_stops() -> tuple[Trajectory, int]:
    """Two turns; the harness appends a stop token after each, which arrives with the next prompt."""
    stop = 7
    sampled = [np.array([11, 12, 13], np.int32), np.array([14], np.int32), np.array([15, 16], np.int32)]
    prompts = [np.array([1, 2], np.int32), np.array([stop, 3], np.int32), np.array([stop, 4, 5], np.int32)]
    turns = [
        Turn(i, [], {"role": "assistant", "content": ""}, "", prompt_ids=prompt, action_ids=action)
        for i, (prompt, action) in enumerate(zip(prompts, sampled, strict=True))
    ]
    return Trajectory("e", "t", turns=turns), sum(len(ids) for ids in sampled)


@trap(Trajectory.segments, planted.segments_training_forced_tokens)
def test_trained_tokens_are_exactly_those_the_policy_sampled(linearise) -> None:
    """Trap D-3, the mask's part of it."""
    trajectory, num_sampled = episode_with_forced_stops()
    (batch,) = pack(linearise(trajectory), PACKED)
    assert batch.num_trained_tokens == num_sampled
    assert batch.tokens[batch.completion_mask].tolist() == [11, 12, 13, 14, 15, 16]


def test_segments_that_cannot_be_trained_on_are_refused() -> None:
    rng = np.random.default_rng(0)
    long = random_segment(rng, "long", [(60, 5)])
    with pytest.raises(ContextOverflowError, match="segment of long has 65 tokens, a row 64"):
        pack([long], PACKED)
    starting = random_segment(rng, "starting", [(0, 3)])
    with pytest.raises(ContractError, match="starts with a sampled token"):
        pack([starting], PACKED)
    short = random_segment(rng, "short", [(2, 2)])
    torn = Segment(
        short.tokens, short.completion_mask[:-1], short.turn_index, short.behaviour_logprobs, short.versions, "torn"
    )
    with pytest.raises(ContractError, match="4 tokens, 3 mask entries"):
        pack([torn], PACKED)
    parts = [random_segment(rng, "wide", [(30, 30)]) for _ in range(3)]
    with pytest.raises(ContextOverflowError, match="180 tokens in 3 segments"):
        pack(parts, PackingConfig(64, 128, keep_sequences_whole=True))
    with pytest.raises(ConfigError, match=r"micro_batch_tokens must be at least packing\.row_length, which is"):
        PackingConfig(64, 32)
