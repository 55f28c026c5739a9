"""Discrete soft actor-critic on a chain whose soft values are known, by the updates that the trainer makes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel

from agentgym.errors import ContractError
from agentgym.trajectory import FINAL_ACTIONS
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.critic.network import TurnCritic
from agentgym_rl.hierarchical.entropy_temperature import EntropyTemperature
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.listed import actor as soft_actor
from agentgym_rl.hierarchical.listed import choices, discrete_sac
from agentgym_rl.hierarchical.listed import critic as soft_critic
from agentgym_rl.hierarchical.listed.actor import PolicyStep, SoftActorUpdates
from agentgym_rl.hierarchical.listed.choices import (
    ActionLists,
    Choices,
    ListPolicy,
    StateActions,
    read_actions,
    states_of_actions,
)
from agentgym_rl.hierarchical.listed.critic import SoftCriticUpdates, SoftTransitions
from agentgym_rl.hierarchical.listed.discrete_sac import action_logprobs, soft_values
from agentgym_rl.hierarchical.options import CriticStepConfig, EntropyConfig, SoftCriticConfig, SoftCriticOptions
from agentgym_rl.hierarchical.transitions import CUT, TERMINAL, turn_transitions
from tests.trainers.rl.hierarchical.tables import DISCOUNT, PACKING, OneHot, Table, chain
from tests.trainers.rl.planted import noticed, parametrised, swapped

ALPHA = 0.2
COST = 0.3
"""Of a turn: values are below 0, so that probability which leaves the list would pay."""


class TableModel(PreTrainedModel):
    """A language model with a row of logits for each token: what it says depends on the last token alone."""

    config_class = PretrainedConfig
    base_model_prefix = "model"

    def __init__(self, size: int) -> None:
        super().__init__(PretrainedConfig(vocab_size=size, hidden_size=size))
        self.model, self.head = OneHot(size), nn.Linear(size, size, bias=False)
        nn.init.zeros_(self.head.weight)

    def forward(self, input_ids: torch.Tensor, **_: object) -> SimpleNamespace:
        return SimpleNamespace(logits=self.head(self.model(input_ids).last_hidden_state))

    def get_output_embeddings(self) -> nn.Linear:
        return self.head


def table() -> Table:
    """The chain, at a cost a turn."""
    plain = chain()
    return replace(plain, rewards=plain.rewards - COST)


def soft_q(of: Table) -> np.ndarray:
    """Soft values of both actions of each state, by iteration of their definition."""
    q = np.zeros(of.following.shape)
    for _ in range(400):
        v = ALPHA * np.log(np.exp(q / ALPHA).sum(1))
        q = of.rewards + DISCOUNT * np.where(of.is_end, 0.0, v[of.following])
    return q


def listed_batch(of: Table, num_episodes: int, max_turns: int) -> TrainBatch:
    """Random episodes whose turns say that both actions are legal; one of three states lists a third, which is none."""
    batch = of.batch(num_episodes, max_turns, list(range(of.num_states)))
    for trajectory in batch.trajectories:
        for turn in trajectory.turns:
            turn.legal_actions = ("0", "1")
        trajectory.metadata[FINAL_ACTIONS] = ["0", "1"]
    return batch


class Updates:
    """Critic, policy and alpha of a table, updated as in training."""

    def __init__(self, entropy: EntropyConfig | None = None, tower: bool = False) -> None:
        torch.manual_seed(0)
        self.table, self.batch = table(), listed_batch(table(), 20, 3)
        size = self.table.vocabulary
        model = PolicyModel(TableModel(size))
        entropy = entropy or EntropyConfig(alpha=ALPHA)
        critic = SoftCriticConfig(width=24, polyak=0.3)
        options = SoftCriticOptions(
            discount=DISCOUNT, network=critic, optimiser=CriticStepConfig(learning_rate=1e-2, max_grad_norm=10.0)
        )
        self.model, self.critic = model, TurnCritic(size, critic, OneHot(size) if tower else None)
        self.policy = ListPolicy(model, ActionLists(self.ids, PACKING))
        self.entropy = EntropyTemperature(entropy)
        step = PolicyStep(torch.optim.Adam([model.causal_lm.head.weight], lr=0.1), 10.0, lambda: None)
        self.critic_updates = SoftCriticUpdates(self.policy, self.critic, options, self.entropy)
        self.actor_updates = SoftActorUpdates(self.policy, self.critic, self.entropy, step)
        turns = turn_transitions(self.batch)
        self.one = Experience(self.batch, turns, np.full((1, turns.num_turns), 1 / turns.num_turns))
        self.many = replace(self.one, weights=np.repeat(self.one.weights, 16, axis=0))

    def ids(self, text: str) -> np.ndarray:
        return np.array([self.table.num_states + int(text)], np.int32)

    def every_action(self) -> Choices:
        """Both actions of all five states."""
        states = {}
        for number in range(self.one.turns.num_turns):
            segment = self.batch.segments[self.one.turns.segment[number]]
            [at] = np.flatnonzero(segment.completion_mask & (segment.turn_index == self.one.turns.turn[number]))
            states[int(segment.tokens[at - 1])] = StateActions(
                segment, int(at), int(self.one.turns.turn[number]), [self.ids("0"), self.ids("1")]
            )
        return Choices.of([states[state] for state in range(5)], PACKING.micro_batch_tokens)

    @torch.no_grad()
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """Min Q and the policy of each state and action."""
        everything = self.every_action()
        readings = read_actions(self.model, everything, PACKING)
        policy = action_logprobs(everything.padded(readings.scores), everything.is_available).exp()
        states = states_of_actions(self.critic.online, everything, PACKING, self.model)
        q = self.critic.online(states).q.min(0).values
        return everything.padded(q).numpy(), policy.numpy()


def test_the_soft_values_of_a_chain_and_their_policy_are_found() -> None:
    """Off policy, from random episodes of at most three turns, most of which a limit cuts."""
    updates = Updates()
    for _ in range(30):
        updates.critic_updates.learn(updates.many)
        for _ in range(2):
            metrics = updates.actor_updates.learn(updates.one)
    q, policy = updates.values()
    best = soft_q(updates.table)
    assert np.abs(q - best).max() < 0.05
    assert np.abs(policy - np.exp(best / ALPHA) / np.exp(best / ALPHA).sum(1, keepdims=True)).max() < 0.05
    assert metrics["actor/num_actions"] == 2


def test_turns_are_valued_by_the_expectation_over_their_lists() -> None:
    """V and Q - V of every turn, by loops over states and actions."""
    updates = Updates()
    with torch.no_grad():
        updates.model.causal_lm.head.weight.normal_(generator=torch.Generator().manual_seed(1))
    found = updates.critic_updates.value(updates.batch, updates.one.turns)
    q, policy = updates.values()
    v = (policy * (q - ALPHA * np.log(policy))).sum(1)
    turns = updates.one.turns
    for number in range(turns.num_turns):
        segment = updates.batch.segments[turns.segment[number]]
        [at] = np.flatnonzero(segment.completion_mask & (segment.turn_index == turns.turn[number]))
        state, action = int(segment.tokens[at - 1]), int(segment.tokens[at]) - updates.table.num_states
        assert found.state[number] == pytest.approx(v[state], abs=1e-5)
        assert found.advantage[number] == pytest.approx(q[state, action] - v[state], abs=1e-5)


# One target, to the digit


def sampled_actions(logprobs, q, alpha):
    """An action that is drawn, in the place of the expectation over all."""
    drawn = torch.distributions.Categorical(logits=logprobs).sample()[:, None]
    return (q.min(0).values - alpha * logprobs).gather(1, drawn).squeeze(1)


def best_actions(logprobs, q, alpha):
    """The maximum of plain Q-learning."""
    return q.min(0).values.masked_fill(logprobs == -torch.inf, -torch.inf).max(-1).values


def without_entropy(logprobs, q, alpha):
    """The entropy is forgotten in the target."""
    return soft_values(logprobs, q, 0.0)


def mean_of_the_heads(logprobs, q, alpha):
    """The mean of both heads, in the place of the lesser."""
    return soft_values(logprobs, q.mean(0, keepdim=True).expand(2, -1, -1), alpha)


@parametrised(soft_values, sampled_actions, best_actions, without_entropy, mean_of_the_heads)
def test_a_target_is_the_expectation_over_the_list_with_its_entropy(implementation, is_bug: bool) -> None:
    updates = Updates()
    with torch.no_grad():
        updates.model.causal_lm.head.weight.normal_(generator=torch.Generator().manual_seed(1))
    assert_targets(updates, implementation, is_bug, soft_critic, "soft_values")


def normalised_over_the_vocabulary(scores, is_available, temperature=1.0):
    """Log-probabilities among all messages, in the place of those among the list."""
    return (scores / temperature).masked_fill(~is_available, -torch.inf)


@parametrised(action_logprobs, normalised_over_the_vocabulary)
def test_a_policy_is_normalised_over_the_list(implementation, is_bug: bool) -> None:
    updates = Updates()
    with torch.no_grad():
        updates.model.causal_lm.head.weight.normal_(generator=torch.Generator().manual_seed(1))
    assert_targets(updates, implementation, is_bug, choices, "action_logprobs")


def assert_targets(updates: Updates, implementation: Any, is_bug: bool, place: Any, name: str) -> None:
    """The targets of all turns, by loops over states and actions."""
    with torch.no_grad():
        everything = updates.every_action()
        readings = read_actions(updates.model, everything, PACKING)
        states = states_of_actions(updates.critic.target, everything, PACKING, updates.model)
        q = updates.critic.target(states).q.reshape(2, 5, 2).min(0).values.numpy()
        scores = readings.scores.reshape(5, 2).numpy()
    wanted = []
    for trajectory in updates.batch.trajectories:
        for turn, reward in zip(trajectory.turns, trajectory.step_rewards(), strict=True):
            following = updates.table.following[turn.prompt_ids[-1], turn.action_ids[0] - 5]
            odds = np.exp(scores[following] - scores[following].max())
            policy = odds / odds.sum()
            value = float((policy * (q[following] - ALPHA * np.log(policy))).sum())
            is_end = updates.table.is_end[turn.prompt_ids[-1], turn.action_ids[0] - 5]
            wanted.append(reward + DISCOUNT * (0.0 if is_end else value))
    with swapped(place, name, implementation), noticed(is_bug):
        drawn = SoftTransitions.of(updates.one, updates.policy.lists)
        logprobs, states = updates.critic_updates._following(drawn.listed)
        found = updates.critic_updates._targets(drawn, 0, logprobs, states)
        np.testing.assert_allclose(found.numpy(), wanted, atol=1e-5)


# What follows a turn


def truncation_as_an_end(batch):
    """D-13: a time limit treated as an end."""
    turns = turn_transitions(batch)
    return replace(turns, successor=np.where(turns.successor == CUT, TERMINAL, turns.successor))


@parametrised(turn_transitions, truncation_as_an_end)
def test_a_cut_episode_goes_on_from_its_final_observation(implementation, is_bug: bool) -> None:
    """Traps D-13 and D-27: by the actions that were legal there; nothing follows an end."""
    updates = Updates()
    experience = replace(updates.one, turns=implementation(updates.batch))
    for trajectory in updates.batch.trajectories:
        if trajectory.outcome.kind == "terminated":
            del trajectory.metadata[FINAL_ACTIONS]  # never read
    drawn = SoftTransitions.of(experience, updates.policy.lists)
    cut = [each for each in updates.batch.trajectories if each.outcome.kind == "truncated"]
    with noticed(is_bug):
        assert drawn.listed.num_states == len(
            np.unique(updates.one.turns.successor[updates.one.turns.successor >= 0])
        ) + len(cut)
        assert int(drawn.is_terminal.sum()) == len(updates.batch.trajectories) - len(cut)


@pytest.mark.parametrize("tower", [False, True])
def test_an_update_reads_what_follows_the_turns_that_it_drew_and_no_more(tower: bool) -> None:
    """With a tower of its own the critic encodes the states of an update alone, and comes to the same."""
    updates = Updates(tower=tower)
    weights = np.zeros((2, updates.one.turns.num_turns))
    weights[0, :4], weights[1, 4:9] = 0.25, 0.2
    report = updates.critic_updates.learn(replace(updates.one, weights=weights))
    assert np.isfinite(report.td_errors[0, :4]).all()
    assert np.isnan(report.td_errors[0, 4:]).all()
    assert np.isfinite(report.td_errors[1, 4:9]).all()
    assert report.metrics["critic/q_loss"] > 0
    assert ("critic/grad_norm_tower" in report.metrics) == False  # noqa: E712 - one-hot states have no weights


def test_turns_without_a_list_are_refused() -> None:
    updates = Updates()
    updates.batch.trajectories[0].turns[1].legal_actions = None
    with pytest.raises(ContractError, match="turn 1 of 'e0' was recorded without its legal actions"):
        updates.critic_updates.learn(updates.one)


# The policy


def uphill(logprobs, q, alpha, weights):
    """The sign of the policy's loss."""
    return -discrete_sac.soft_policy_loss(logprobs, q, alpha, weights)


@parametrised(discrete_sac.soft_policy_loss, uphill)
def test_an_update_of_the_policy_raises_its_soft_value(implementation, is_bug: bool) -> None:
    updates = Updates()
    with swapped(soft_actor, "soft_policy_loss", implementation):
        first = updates.actor_updates.learn(updates.one)["actor/value"]
        for _ in range(20):
            last = updates.actor_updates.learn(updates.one)["actor/value"]
    with noticed(is_bug):
        assert last > first


def without_weights(logprobs, q, alpha, weights):
    """Every state counts alike, however often it was drawn."""
    return discrete_sac.soft_policy_loss(logprobs, q, alpha, torch.ones_like(weights) / len(weights))


@parametrised(discrete_sac.soft_policy_loss, without_weights)
def test_states_count_as_often_as_they_were_drawn(implementation, is_bug: bool) -> None:
    updates = Updates()
    weights = np.zeros((1, updates.one.turns.num_turns))
    weights[0, :2] = 1.0, 1e-12
    with swapped(soft_actor, "soft_policy_loss", implementation):
        updates.actor_updates.learn(replace(updates.one, weights=weights))
    moved = updates.model.causal_lm.head.weight.grad.abs().sum(0)
    states = [int(updates.batch.trajectories[0].turns[turn].prompt_ids[-1]) for turn in range(2)]
    assert states[0] != states[1]
    with noticed(is_bug):
        assert moved[states[1]] < 1e-6 < moved[states[0]]


def test_alpha_moves_towards_the_share_of_entropy_that_is_asked_for() -> None:
    updates = Updates(EntropyConfig(alpha=0.1, target=0.5, learning_rate=0.1))
    even = updates.actor_updates.learn(updates.one)
    assert even["actor/entropy_share"] == pytest.approx(1.0)
    assert even["actor/alpha"] < 0.1
    with torch.no_grad():
        updates.model.causal_lm.head.weight[updates.table.num_states] += 9.0
    before = updates.entropy.alpha
    for _ in range(3):
        sharp = updates.actor_updates.learn(updates.one)
    assert sharp["actor/entropy_share"] < 0.1
    assert sharp["actor/alpha"] > before
    alpha = updates.entropy.alpha
    broken = replace(updates.one, weights=np.full_like(updates.one.weights, np.nan))
    assert updates.actor_updates.learn(broken)["updates"] == 0
    assert updates.actor_updates.learn(updates.one)["actor/alpha"] == pytest.approx(alpha, rel=0.2)
    fixed = Updates(EntropyConfig(alpha=0.1))
    assert fixed.actor_updates.learn(fixed.one)["actor/alpha"] == pytest.approx(0.1)


# The layout


def test_long_lists_stand_in_several_rows_and_are_scored_alike() -> None:
    updates = Updates()
    drawn = SoftTransitions.of(updates.one, updates.policy.lists).listed
    segment = next(each for each in updates.batch.segments if len(np.unique(each.turn_index)) == 3)
    states = [
        StateActions(segment, int(at), int(segment.turn_index[at]), [updates.ids("0"), updates.ids("1")])
        for at in np.flatnonzero(segment.completion_mask)
    ]
    wide, narrow = Choices.of(states, 10_000), Choices.of(states, segment.num_tokens + 4)
    assert (len(wide.segments), len(narrow.segments)) == (1, 3)
    with torch.no_grad():
        updates.model.causal_lm.head.weight.normal_()
    found = [read_actions(updates.model, each, PACKING).scores for each in (wide, narrow)]
    torch.testing.assert_close(found[0], found[1])
    part, mine = drawn.part(np.array([1, 3]))
    assert part.num_states == 2
    assert part.state.tolist() == [0, 0, 1, 1]
    assert [part.branches[i] for i in range(4)] == [drawn.branches[i] for i in mine]
    padded = Choices((), (), np.array([0, 1, 1]), np.array([0, 0, 1]), 2).padded(torch.tensor([1.0, 2.0, 3.0]))
    assert padded.tolist() == [[1.0, 0.0], [2.0, 3.0]]
