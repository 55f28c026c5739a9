"""What heads read: histories up to the action, and actions by themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.critic import valuation
from agentgym_rl.hierarchical.critic.network import CriticNetwork
from agentgym_rl.hierarchical.critic.valuation import action_states, encode_actions, encode_prompts, stored_actions
from agentgym_rl.hierarchical.options import CriticConfig
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.tiny import random_segments, tiny_llama

PACKING = PackingConfig(row_length=64, micro_batch_tokens=128)
ONE_EACH = replace(PACKING, is_packed=False)


def network() -> CriticNetwork:
    return CriticNetwork(16, CriticConfig(width=8)).double()


def naive_actions(segments, policy: PolicyModel) -> torch.Tensor:
    """A row for each action."""
    means = []
    for segment in segments:
        for turn in np.unique(segment.turn_index[segment.completion_mask]):
            sampled = np.flatnonzero(segment.completion_mask & (segment.turn_index == turn))
            tokens = torch.from_numpy(segment.tokens[sampled[0] - 1 : sampled[-1] + 1].astype(np.int64))[None]
            means.append(policy.hidden_states(tokens, torch.arange(tokens.shape[1])[None], None)[0, 1:].mean(0))
    return torch.stack(means)


def with_the_prompt(hidden, batch, positions):
    """The last prompt token counts as one of the action's."""
    own = batch.completion_mask.clone()
    own[positions.row, positions.state] = True
    rows = [
        hidden[r][batch.block_index[r] == batch.block_index[r, c]].mean(0)
        for r, c in zip(positions.row, positions.state, strict=True)
    ]
    return torch.stack(rows)


def at_the_last_token(hidden, batch, positions):
    """What has seen the whole action, but says mostly what comes after it."""
    return hidden[positions.row, positions.action]


@parametrised(action_states, with_the_prompt, at_the_last_token)
@pytest.mark.parametrize("packing", [PACKING, ONE_EACH])
def test_actions_are_read_by_themselves(implementation, is_bug: bool, packing: PackingConfig) -> None:
    segments, policy = random_segments(9), PolicyModel(tiny_llama())
    with torch.no_grad(), swapped(valuation, "action_states", implementation):
        found = encode_actions(network(), stored_actions(segments), packing, policy)
        with noticed(is_bug):
            torch.testing.assert_close(found, naive_actions(segments, policy))


def test_what_came_before_changes_no_action() -> None:
    [segment], policy = random_segments(1), PolicyModel(tiny_llama())
    first = int(np.flatnonzero(segment.completion_mask)[0])
    assert first > 1
    other = replace(segment, tokens=segment.tokens.copy())
    other.tokens[: first - 1] += 1
    with torch.no_grad():
        one, two = (encode_actions(network(), stored_actions([each]), PACKING, policy) for each in (segment, other))
        before, after = (encode_prompts(network(), [each], PACKING, policy) for each in (segment, other))
    torch.testing.assert_close(one, two)
    assert not torch.allclose(before, after)


def test_equal_actions_are_read_once() -> None:
    segments, policy = random_segments(5), PolicyModel(tiny_llama())
    seen, hidden_states = [], policy.hidden_states
    policy.hidden_states = lambda tokens, *rest: seen.append(tokens.shape) or hidden_states(tokens, *rest)  # type: ignore[method-assign]
    actions = stored_actions(segments)
    with torch.no_grad():
        once = encode_actions(network(), actions, ONE_EACH, policy)
        num_rows = sum(shape[0] for shape in seen)
        thrice = encode_actions(network(), [*actions, *reversed(actions), *actions], ONE_EACH, policy)
    assert sum(shape[0] for shape in seen) == 2 * num_rows <= 2 * len(actions)
    torch.testing.assert_close(thrice, torch.cat([once, once.flip(0), once]))


def test_prompts_are_read_before_the_action_begins() -> None:
    segments, policy = random_segments(9), PolicyModel(tiny_llama())
    expected = []
    with torch.no_grad():
        for segment in segments:
            hidden = policy.hidden_states(
                torch.from_numpy(segment.tokens.astype(np.int64))[None], torch.arange(segment.num_tokens)[None], None
            )[0]
            for turn in np.unique(segment.turn_index[segment.completion_mask]):
                first = np.flatnonzero(segment.completion_mask & (segment.turn_index == turn))[0]
                expected.append(hidden[first - 1])
        torch.testing.assert_close(encode_prompts(network(), segments, PACKING, policy), torch.stack(expected))
