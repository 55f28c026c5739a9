from __future__ import annotations

import numpy as np
import pytest
import torch

from agentgym.errors import ContractError
from agentgym.trajectory import Segment
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.logprobs import token_logprobs
from agentgym_rl.core.micro_batch import MicroBatch, pad_micro_batches
from agentgym_rl.core.packing import pack
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap
from tests.trainers.rl.tiny import gradient, hidden_states, random_segment, random_segments, tiny_llama

CONFIG = PackingConfig(row_length=64, micro_batch_tokens=128)


@trap(MicroBatch.flatten, planted.flatten_in_input_order)
def test_values_of_segments_meet_their_own_tokens(flatten) -> None:
    """Trap D-6: an advantage never lands on another episode's tokens, and none is lost."""
    segments = random_segments(12)
    advantages = [float(i + 1) for i in range(12)]
    for batch in pack(segments, CONFIG):
        stream = flatten(batch, advantages)
        assert stream.tolist() == [advantages[i] for i in batch.sequence_index.tolist()]
        assert len(stream) == int(batch.completion_mask.sum())
        assert (stream != 0).all()


def test_a_longer_neighbour_changes_no_stream() -> None:
    """Trap D-13: nothing is inferred from lengths, so padding and row mates move no advantage."""
    segments = random_segments(4)
    neighbour = random_segment(np.random.default_rng(9), "longer", [(20, 30)])
    advantages = [1.0, -2.0, 3.0, -4.0]

    def advantage_of_sequences(extra: list[Segment], config: PackingConfig) -> dict[int, set[float]]:
        seen: dict[int, set[float]] = {}
        for batch in pack([*segments, *extra], config):
            pairs = zip(batch.sequence_index.tolist(), batch.flatten([*advantages, 9.0]).tolist(), strict=True)
            for sequence, advantage in pairs:
                seen.setdefault(sequence, set()).add(advantage)
        return {sequence: values for sequence, values in seen.items() if sequence < len(segments)}

    alone = advantage_of_sequences([], PackingConfig(64, 64, is_packed=False))
    assert alone == {i: {advantage} for i, advantage in enumerate(advantages)}
    assert advantage_of_sequences([neighbour], CONFIG) == alone
    assert advantage_of_sequences([neighbour], PackingConfig(64, 640, is_packed=False)) == alone


def test_streams_keep_the_order_of_tokens_and_turns() -> None:
    segments = random_segments(12)
    ids = [segment.tokens.astype(np.float64) for segment in segments]
    turns = [segment.turn_index.astype(np.float64) for segment in segments]
    for batch in pack(segments, CONFIG):
        assert torch.equal(batch.flatten(ids).long(), batch.tokens[batch.completion_mask])
        assert torch.equal(batch.flatten(turns).long(), batch.turn_index)


def test_unflatten_inverts_flatten() -> None:
    segments = random_segments(12)
    seen: dict[int, np.ndarray] = {}
    for batch in pack(segments, CONFIG):
        seen.update(batch.unflatten(batch.flatten([s.behaviour_logprobs for s in segments])))
    for i, segment in enumerate(segments):
        np.testing.assert_array_equal(seen[i], segment.behaviour_logprobs)


def test_empty_micro_batch_runs_and_adds_no_gradient() -> None:
    batch = MicroBatch.empty()
    head = tiny_llama().lm_head.weight
    logprobs, _ = token_logprobs(hidden_states(batch), head, batch.tokens, batch.completion_mask)
    logprobs.sum().backward()
    assert not gradient().any()


def test_ranks_are_padded_to_the_same_number_of_micro_batches() -> None:
    batches = pack(random_segments(3), CONFIG)
    padded = pad_micro_batches(batches, len(batches) + 2)
    assert [batch.num_trained_tokens for batch in padded[len(batches) :]] == [0, 0]
    assert padded[: len(batches)] == batches


def test_streams_of_the_wrong_length_are_refused() -> None:
    segments = random_segments(2)
    (batch,) = pack(segments, CONFIG)
    with pytest.raises(ContractError, match="tokens but 3 values"):
        batch.flatten([np.zeros(3), np.zeros(3)])
    with pytest.raises(ContractError, match="a stream of 1 entries"):
        batch.unflatten(torch.zeros(1))
