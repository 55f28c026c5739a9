"""What an episode began with, read beside what is seen now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.critic import valuation
from agentgym_rl.hierarchical.critic.network import CriticNetwork
from agentgym_rl.hierarchical.critic.observations import observations, openings
from agentgym_rl.hierarchical.critic.valuation import encode_seen, value_turns
from agentgym_rl.hierarchical.options import CriticConfig
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.tiny import random_segments, tiny_llama

PACKING = PackingConfig(row_length=64, micro_batch_tokens=128)


def network(reads: str) -> CriticNetwork:
    return CriticNetwork(16, CriticConfig(width=8, reads=reads)).double().eval()  # type: ignore[arg-type]


def with_the_first_message(segments):
    """V would see what was said first."""
    found = []
    for segment in segments:
        first = segment.turn_index[segment.completion_mask][0]
        own = segment.tokens[segment.turn_index == first]
        found += [own] * len(observations([segment]))
    return found


def without_the_last_token(segments):
    """Off by one at the end."""
    return [ids[:-1] if len(ids) > 1 else ids for ids in openings(segments)]


def of_the_last_episode(segments):
    """Another episode's."""
    return openings(segments)[::-1]


@parametrised(openings, with_the_first_message, without_the_last_token)
def test_values_are_of_the_opening_and_of_what_is_seen(implementation, is_bug: bool) -> None:
    wanted = (each for each in random_segments(30) if len(observations([each])) == 3)
    segment = next(each for each in wanted if len(openings([each])[0]) > 2)
    policy, made = PolicyModel(tiny_llama()), network("opening")
    turns = segment.turn_index[segment.completion_mask]
    is_read = ~segment.completion_mask & np.isin(segment.turn_index, (turns[0], turns[-1]))

    def values(tokens: np.ndarray) -> np.ndarray:
        _, v = value_turns(made, [replace(segment, tokens=tokens)], PACKING, policy)
        return v[:, -1]

    with swapped(valuation, "openings", implementation), noticed(is_bug):
        before = values(segment.tokens)
        for place in range(segment.num_tokens):
            tokens = segment.tokens.copy()
            tokens[place] = 1 + tokens[place] % 50
            is_same = np.allclose(values(tokens), before, atol=1e-9)
            assert is_same != is_read[place], f"token {place} of turn {segment.turn_index[place]}"


@parametrised(openings, of_the_last_episode)
def test_turns_have_the_opening_of_their_own_episode(implementation, is_bug: bool) -> None:
    segments, policy = random_segments(5), PolicyModel(tiny_llama())
    with swapped(valuation, "openings", implementation), noticed(is_bug), torch.no_grad():
        together = encode_seen(network("opening"), segments, PACKING, policy)
        assert together is not None
        assert together.opening is not None
        means = together.mean()[together.opening]
        alone = []
        for segment in segments:
            first = encode_seen(network("observation"), [segment], PACKING, policy)
            assert first is not None
            alone += [first.mean()[first.row[0]]] * len(observations([segment]))
        torch.testing.assert_close(means, torch.stack(alone))


def test_all_is_what_the_others_are_together() -> None:
    sizes = {reads: network(reads).v_heads[0][0].in_features for reads in ("history", "observation", "opening", "all")}  # type: ignore[index, union-attr]
    assert sizes == {"history": 16, "observation": 16, "opening": 32, "all": 48}
