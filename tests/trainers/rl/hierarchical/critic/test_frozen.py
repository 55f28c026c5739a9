"""What a policy that never changes has read is kept."""

from __future__ import annotations

from dataclasses import replace

import torch

from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.critic.frozen import FrozenPolicy
from agentgym_rl.hierarchical.critic.network import CriticNetwork
from agentgym_rl.hierarchical.critic.valuation import encode_prompts
from agentgym_rl.hierarchical.options import CriticConfig
from tests.trainers.rl.tiny import random_segments, tiny_llama

PACKING = PackingConfig(row_length=64, micro_batch_tokens=128)


def network() -> CriticNetwork:
    return CriticNetwork(16, CriticConfig(width=8)).double()


def counted(policy: FrozenPolicy) -> list[int]:
    """Rows that pass through it from now on, a number for each pass."""
    rows, hidden_states = list[int](), policy.hidden_states
    policy.hidden_states = lambda tokens, *rest: rows.append(len(tokens)) or hidden_states(tokens, *rest)  # type: ignore[method-assign]
    return rows


@torch.no_grad()
def test_kept_readings_are_those_of_the_policy() -> None:
    segments, policy = random_segments(9), PolicyModel(tiny_llama())
    frozen = FrozenPolicy(policy)
    expected = encode_prompts(network(), segments, PACKING, policy)
    for _ in range(2):
        torch.testing.assert_close(encode_prompts(network(), segments, PACKING, frozen), expected)


@torch.no_grad()
def test_a_segment_passes_through_it_once() -> None:
    segments, frozen = random_segments(6), FrozenPolicy(PolicyModel(tiny_llama()))
    rows = counted(frozen)
    encode_prompts(network(), segments[:4], PACKING, frozen)
    encode_prompts(network(), [*segments[2:], segments[0]], PACKING, frozen)
    assert rows == [1] * 6


@torch.no_grad()
def test_company_changes_no_reading() -> None:
    """A resumed run reads in another order and goes on with the same numbers, to the last digit."""
    segments, policy = random_segments(9), PolicyModel(tiny_llama())
    whole = encode_prompts(network(), segments, PACKING, FrozenPolicy(policy))
    fresh = FrozenPolicy(policy)
    encode_prompts(network(), segments[5:2:-1], PACKING, fresh)
    assert torch.equal(encode_prompts(network(), segments, PACKING, fresh), whole)


@torch.no_grad()
def test_the_same_tokens_under_another_mask_are_read_anew() -> None:
    [segment], frozen = random_segments(1), FrozenPolicy(PolicyModel(tiny_llama()))
    other = replace(segment, completion_mask=segment.completion_mask.copy())
    other.completion_mask[segment.completion_mask.argmax()] = False
    before = encode_prompts(network(), [segment], PACKING, frozen)
    after = encode_prompts(network(), [other], PACKING, frozen)
    assert before.shape != after.shape or not torch.equal(before, after)


@torch.no_grad()
def test_what_was_unused_for_longest_goes_when_the_room_is_full() -> None:
    segments = random_segments(3)
    sizes = [encode_prompts(network(), [each], PACKING, PolicyModel(tiny_llama())).numel() for each in segments]
    frozen = FrozenPolicy(PolicyModel(tiny_llama()), max_numbers=sizes[0] + max(sizes[1:]))
    rows = counted(frozen)
    for index in (0, 1, 0, 2, 0):
        encode_prompts(network(), [segments[index]], PACKING, frozen)
    assert sum(rows) == 3
    encode_prompts(network(), [segments[1]], PACKING, frozen)
    assert sum(rows) == 4
