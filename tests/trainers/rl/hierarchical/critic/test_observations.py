"""What is seen now: the tokens since the last message, read apart from the history."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from agentgym.trajectory import FINAL_PROMPT, Segment
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.critic import valuation
from agentgym_rl.hierarchical.critic.frozen import FrozenPolicy
from agentgym_rl.hierarchical.critic.network import CriticNetwork, TurnCritic, TurnStates
from agentgym_rl.hierarchical.critic.observations import encode_observations, final_observation, observations
from agentgym_rl.hierarchical.critic.pooling import ObservationPooling, Observed
from agentgym_rl.hierarchical.critic.valuation import encode_prompts, encode_seen, value_turns
from agentgym_rl.hierarchical.options import CriticConfig
from tests.trainers.rl.planted import noticed, parametrised, swapped, trap
from tests.trainers.rl.tiny import random_segments, tiny_llama

PACKING = PackingConfig(row_length=64, micro_batch_tokens=128)


def network(**options) -> CriticNetwork:
    return CriticNetwork(16, CriticConfig(**{"width": 8, "reads": "observation", **options})).double().eval()


def by_turn_index(segment: Segment) -> list[list[int]]:
    """The tokens that lead to each turn and were not sampled, as the segment itself numbers them."""
    turns = np.unique(segment.turn_index[segment.completion_mask])
    is_prompt = ~segment.completion_mask
    return [segment.tokens[is_prompt & (segment.turn_index == turn)].tolist() for turn in turns]


def with_the_last_message(segments):
    """Off by the message before: it is no part of what is seen."""
    found = []
    for segment in segments:
        starts = np.flatnonzero(np.diff(segment.completion_mask.astype(int)) == 1) + 1
        found += [segment.tokens[earlier:start] for earlier, start in zip([0, *starts], starts, strict=False)]
    return found


def without_the_last_token(segments):
    """Off by one at the end: what the message follows is left out."""
    return [ids[:-1] if len(ids) > 1 else ids for ids in observations(segments)]


def with_the_first_sampled_token(segments):
    """Off by one at the other end: V would see how the message begins."""
    found = []
    for segment in segments:
        sampled = np.flatnonzero(segment.completion_mask)
        seen = 0
        for mine in np.split(sampled, np.flatnonzero(np.diff(segment.turn_index[sampled])) + 1):
            found.append(segment.tokens[seen : mine[0] + 1])
            seen = int(mine[-1]) + 1
    return found


def whole_prompts(segments):
    """The history again."""
    found = []
    for segment in segments:
        sampled = np.flatnonzero(segment.completion_mask)
        turns = np.split(sampled, np.flatnonzero(np.diff(segment.turn_index[sampled])) + 1)
        found += [segment.tokens[: mine[0]] for mine in turns]
    return found


def of_the_turn_before(segments):
    """A turn late: what the message before was said to."""
    found = []
    for segment in segments:
        own = observations([segment])
        found += [own[max(0, place - 1)] for place in range(len(own))]
    return found


BUGS = (
    with_the_last_message,
    without_the_last_token,
    with_the_first_sampled_token,
    whole_prompts,
    of_the_turn_before,
)


@trap(observations, *BUGS)
def test_an_observation_is_what_came_since_the_last_message(read) -> None:
    segments = random_segments(9)
    expected = [ids for segment in segments for ids in by_turn_index(segment)]
    assert [ids.tolist() for ids in read(segments)] == expected


@parametrised(observations, *BUGS)
def test_values_are_of_the_tokens_that_are_seen(implementation, is_bug: bool) -> None:
    """The whole way to V and Q: no other token of an episode changes them, and each token of the observation does."""
    wanted = (each for each in random_segments(30) if len(by_turn_index(each)) == 3)
    segment = next(each for each in wanted if len(by_turn_index(each)[-1]) > 2)
    policy, made = PolicyModel(tiny_llama()), network()
    turn = int(segment.turn_index[-1])
    seen = np.flatnonzero(~segment.completion_mask & (segment.turn_index == turn))

    def values(tokens: np.ndarray) -> np.ndarray:
        _, v = value_turns(made, [replace(segment, tokens=tokens)], PACKING, policy)
        return v[:, -1]

    with swapped(valuation, "observations", implementation), noticed(is_bug):
        before = values(segment.tokens)
        for place in range(segment.num_tokens):
            tokens = segment.tokens.copy()
            tokens[place] = 1 + tokens[place] % 50
            is_same = np.allclose(values(tokens), before, atol=1e-9)
            assert is_same == (place not in seen), f"token {place} of turn {segment.turn_index[place]}"


def in_their_history(made, segments, policy) -> list[torch.Tensor]:
    """Hidden states of the same tokens in a pass over the whole episode."""
    found = []
    for segment in segments:
        tokens = torch.from_numpy(segment.tokens.astype(np.int64))[None]
        hidden = policy.hidden_states(tokens, torch.arange(tokens.shape[1])[None], None)[0]
        for turn in np.unique(segment.turn_index[segment.completion_mask]):
            mine = ~segment.completion_mask & (segment.turn_index == turn)
            found.append(hidden[torch.from_numpy(mine)])
    return found


def by_themselves(made, segments, policy) -> list[torch.Tensor]:
    """Those that the critic reads."""
    seen = encode_seen(made, segments, PACKING, policy)
    return [seen.tokens[row][seen.is_token[row]] for row in seen.row]


@trap(by_themselves, in_their_history)
@torch.no_grad()
def test_observations_are_read_by_themselves(read) -> None:
    segments, policy = random_segments(9), PolicyModel(tiny_llama())
    found = read(network(), segments, policy)
    wanted = observations(segments)
    assert len(found) == len(wanted)
    for states, ids in zip(found, wanted, strict=True):
        tokens = torch.from_numpy(ids.astype(np.int64))[None]
        alone = policy.hidden_states(tokens, torch.arange(tokens.shape[1])[None], None)[0]
        torch.testing.assert_close(states, alone)


@torch.no_grad()
def test_alike_observations_pass_through_a_frozen_policy_once() -> None:
    frozen, rows = FrozenPolicy(PolicyModel(tiny_llama())), list[int]()
    hidden_states = frozen.hidden_states
    frozen.hidden_states = lambda tokens, *rest: rows.append(len(tokens)) or hidden_states(tokens, *rest)  # type: ignore[method-assign]
    wanted = [np.array(ids, np.int32) for ids in ([1, 2], [3], [1, 2], [3], [4, 5, 6])]
    first = encode_observations(network(), wanted, wanted, PACKING, frozen)
    again = encode_observations(network(), wanted[::-1], wanted, PACKING, frozen)
    assert rows == [1, 1, 1]
    torch.testing.assert_close(first.mean()[first.row], again.mean()[again.row].flip(0))


@torch.no_grad()
def test_an_episode_that_looks_like_an_observation_is_read_as_an_episode() -> None:
    """The message is one token, the last of its prompt: an observation is read with such a token behind it."""
    ids, mask = np.array([1, 2, 3, 3], np.int32), np.array([False, False, False, True])
    nothing, zeros = np.full(4, np.nan, np.float32), np.zeros(4, np.int32)
    episode, policy = Segment(ids, mask, zeros, nothing, zeros, "agent"), PolicyModel(tiny_llama())
    frozen = FrozenPolicy(policy)
    encode_observations(network(), [ids[:3]], [ids[:3]], PACKING, frozen)
    both = network(reads="both")
    assert torch.equal(
        encode_prompts(both, [episode], PACKING, frozen), encode_prompts(both, [episode], PACKING, policy)
    )


@torch.no_grad()
def test_a_history_that_is_not_read_passes_through_no_model() -> None:
    assert encode_prompts(network(), random_segments(4), PACKING, None).shape[1] == 0


# Final observations


def as_it_was_recorded(batch, trajectory):
    """The whole final prompt."""
    return np.asarray(batch.trajectories[trajectory].metadata[FINAL_PROMPT], np.int32)


def cut_episode(final: list[int] | None) -> TrainBatch:
    [segment] = random_segments(1)
    metadata = {} if final is None else {FINAL_PROMPT: [*segment.tokens.tolist(), *final]}
    record = SimpleNamespace(metadata=metadata)
    return TrainBatch(groups=[], trajectories=[record], segments=[segment], owner=np.zeros(1, np.int64))


@trap(final_observation, as_it_was_recorded)
def test_the_final_observation_is_what_followed_the_last_message(read) -> None:
    assert read(cut_episode([7, 8, 9]), 0).tolist() == [7, 8, 9]


def test_a_final_prompt_that_leaves_turns_out_is_seen_whole() -> None:
    batch = cut_episode([7])
    batch.trajectories[0].metadata[FINAL_PROMPT] = [5, 6]
    assert final_observation(batch, 0).tolist() == [5, 6]


def test_the_last_observation_stands_in_for_a_final_one_that_was_not_recorded() -> None:
    batch = cut_episode(None)
    assert final_observation(batch, 0).tolist() == observations(batch.segments)[-1].tolist()


# Pooling


def observed(lengths: list[int], padding: float = 0.0) -> Observed:
    tokens = torch.full((len(lengths), 7, 4), padding)
    is_token = torch.arange(7) < torch.tensor(lengths)[:, None]
    tokens[is_token] = torch.randn(sum(lengths), 4, generator=torch.Generator().manual_seed(0))
    return Observed(tokens, is_token, torch.arange(len(lengths)))


@pytest.mark.parametrize("pooling", ["mean", "attention"])
def test_pooled_features_do_not_depend_on_longer_company(pooling) -> None:
    pool, seen = ObservationPooling(4, pooling), observed([2, 7, 3])
    pool.fit(seen)
    alone = Observed(seen.tokens[:1, :2], seen.is_token[:1, :2], torch.tensor([0]))
    torch.testing.assert_close(pool(seen)[:1], pool(alone))


def test_attention_learns_which_tokens_matter() -> None:
    """The one token that says which turns are worth something stands among others, at another place each time."""
    generator = torch.Generator().manual_seed(0)
    tokens = 0.3 * torch.randn(64, 9, 8, generator=generator)
    worth, place = (torch.arange(64) % 2).float(), torch.randint(9, (64,), generator=generator)
    tokens[torch.arange(64), place, 0], tokens[torch.arange(64), place, 1] = 3.0, 2 * worth - 1
    seen = Observed(tokens, torch.ones(64, 9, dtype=torch.bool), torch.arange(64))
    torch.manual_seed(0)
    critic = TurnCritic(8, CriticConfig(width=16, reads="observation", pooling="attention"))
    states = TurnStates(torch.zeros(64, 0), torch.zeros(64, 8), seen)
    critic.standardise(states)
    optimiser = torch.optim.Adam([each for group in critic.trainable_groups().values() for each in group], lr=1e-2)
    for _ in range(60):
        loss = (critic.online(states).v - worth).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert float(loss.detach()) < 0.02


# What is read


@pytest.mark.parametrize(
    ("reads", "by_history", "by_observation"),
    [("history", True, False), ("observation", False, True), ("both", True, True)],
)
def test_v_and_q_see_what_was_chosen(reads, by_history: bool, by_observation: bool) -> None:
    made = CriticNetwork(4, CriticConfig(width=8, reads=reads, has_layer_norm=True, ensemble=3))
    state = torch.randn(3, 4 if by_history else 0)
    base = TurnStates(state, torch.randn(3, 4), observed([2, 7, 3]) if by_observation else None)
    assert made(base).v.shape == made(base).q.shape == (3, 3)
    if by_history:
        other = made(replace(base, state=state + 1))
        assert (other.v != made(base).v).all()
        assert (other.q != made(base).q).all()
    if by_observation:
        other = made(replace(base, seen=replace(base.seen, tokens=base.seen.tokens + base.seen.is_token[..., None])))
        assert (other.v != made(base).v).all()
        assert (other.q != made(base).q).all()
