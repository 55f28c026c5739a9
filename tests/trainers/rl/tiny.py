"""A two-layer model from a configuration and random episodes: what the tests of the trainer run on."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from agentgym.trajectory import Segment
from agentgym_rl.core.micro_batch import MicroBatch

VOCABULARY = 61


@lru_cache
def tiny_llama() -> LlamaForCausalLM:
    """A Llama of two layers in float64, the same model in every call: a test that moves its weights takes a copy."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            initializer_range=0.3,
        )
        return LlamaForCausalLM(config).double().eval()


def hidden_states(batch: MicroBatch) -> torch.Tensor:
    """Last hidden states of a micro-batch."""
    return (
        tiny_llama()
        .model(
            input_ids=batch.tokens,
            position_ids=batch.position_ids,
            attention_mask=batch.attention_mask(),
            use_cache=False,
        )
        .last_hidden_state
    )


def gradient() -> torch.Tensor:
    """All gradients of the model as one vector, which are then cleared."""
    model = tiny_llama()
    flat = torch.cat(
        [(torch.zeros_like(p) if p.grad is None else p.grad).flatten().clone() for p in model.parameters()]
    )
    model.zero_grad()
    return flat


def random_segment(rng: np.random.Generator, trajectory_id: str, turn_lengths: list[tuple[int, int]]) -> Segment:
    """A segment with (prompt, sampled) tokens for each turn."""
    mask = np.concatenate([np.repeat([False, True], pair) for pair in turn_lengths])
    turns = np.repeat(np.arange(len(turn_lengths)), [sum(pair) for pair in turn_lengths])
    behaviour = np.where(mask, rng.normal(-3.0, 0.3, len(mask)), np.nan)
    return Segment(
        tokens=rng.integers(1, VOCABULARY, len(mask)).astype(np.int32),
        completion_mask=mask,
        turn_index=turns.astype(np.int32),
        behaviour_logprobs=behaviour.astype(np.float32),
        versions=np.where(mask, 0, -1).astype(np.int32),
        trajectory_id=trajectory_id,
    )


def random_segments(num_episodes: int, seed: int = 0) -> list[Segment]:
    """Episodes of one to three turns and unequal lengths, one segment each."""
    rng = np.random.default_rng(seed)
    return [
        random_segment(rng, f"episode-{i}", [tuple(rng.integers(1, 7, 2)) for _ in range(rng.integers(1, 4))])  # type: ignore[misc]
        for i in range(num_episodes)
    ]
