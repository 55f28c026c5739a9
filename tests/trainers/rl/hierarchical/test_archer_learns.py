"""ArCHer on problems whose best values are known; every part of it as the trainer uses it, on one-hot hidden states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agentgym.trajectory import FINAL_PROMPT
from agentgym_rl.core.scoring import final_probe
from agentgym_rl.hierarchical import actor_losses, transitions
from agentgym_rl.hierarchical.critic import targets, valuation
from agentgym_rl.hierarchical.critic.network import CriticNetwork
from agentgym_rl.hierarchical.options import AwrConfig, CriticConfig
from agentgym_rl.hierarchical.transitions import CUT, TERMINAL
from tests.trainers.rl.hierarchical.tables import PACKING, Learner, OneHot, chain, key_door
from tests.trainers.rl.planted import noticed, parametrised, swapped, trap

pytestmark = pytest.mark.slow
STARTS = [0, 1, 2, 3, 4]


def play(learner: Learner, start: int, max_turns: int) -> bool:
    """Whether the actor's best actions reach the end."""
    preferences = learner.preferences.detach().numpy()
    record = learner.table.episode("played", start, max_turns, np.random.default_rng(0), preferences)
    return record.outcome is not None and record.outcome.kind == "terminated"


turn_transitions, value_ends, next_values = transitions.turn_transitions, valuation.value_ends, targets.next_values


def truncation_as_an_end(batch):
    """D-13: a time limit treated as an end."""
    turns = turn_transitions(batch)
    return replace(turns, successor=np.where(turns.successor == CUT, TERMINAL, turns.successor))


def ends_that_are_encoded(batch):
    """D-27: the state after an end is valued, as if a limit had cut there."""
    for record in batch.trajectories:
        record.outcome = replace(record.outcome, kind="truncated", cause="turns")
    return turn_transitions(batch)


@parametrised(turn_transitions, truncation_as_an_end, ends_that_are_encoded)
def test_the_critic_finds_the_best_values_of_a_chain(implementation, is_bug: bool) -> None:
    """Trap D-27: off policy, from random episodes of at most three turns, two of three of which a limit cuts."""
    with swapped(transitions, "turn_transitions", implementation):
        learner = Learner(chain(), chain().batch(30, 3, STARTS), polyak=0.3)
        for _ in range(44):
            learner.critic_round()
            for _ in range(3):
                learner.actor_step()
    with noticed(is_bug):
        assert learner.q_error() < 0.05
        assert all(play(learner, start, 5) for start in STARTS)


def flipped_advantages(q, v):
    """The sign of the advantage."""
    return v.min(dim=0).values - q.min(dim=0).values


def advantages_of_the_state(q, v):
    """Credit without the action: every action of a state alike."""
    return v.min(dim=0).values


turn_advantages = actor_losses.turn_advantages


@parametrised(turn_advantages, flipped_advantages, advantages_of_the_state)
def test_key_and_door_are_learnt_from_random_episodes(implementation, is_bug: bool) -> None:
    """Trap D-35: the key lies behind the start, the reward six steps away, and comes in few of the episodes."""
    with swapped(actor_losses, "turn_advantages", implementation):
        learner = Learner(
            key_door(), key_door().batch(60, 8, [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]), polyak=0.3, value_range=(0.0, 1.0)
        )
        for _ in range(30):
            learner.critic_round()
            for _ in range(3):
                learner.actor_step()
    with noticed(is_bug):
        assert play(learner, 1, 6)


def uniform_weights(advantages, config):
    """Cloning of all actions alike."""
    return advantages * 0 + 1


def inverted_weights(advantages, config):
    """exp(-A / beta)."""
    return actor_weights(-advantages, config)


actor_weights = actor_losses.awr_weights


@parametrised(actor_weights, uniform_weights, inverted_weights)
def test_offline_learning_finds_values_and_policy_in_the_data_alone(implementation, is_bug: bool) -> None:
    """Expectiles for the critic, weighted cloning for the actor: nothing is sampled."""
    with swapped(actor_losses, "awr_weights", implementation):
        learner = Learner(chain(), chain().batch(30, 3, STARTS), polyak=0.3, value_range=(0.0, 1.0))
        for _ in range(36):
            learner.critic_round(expectile=0.95)
            for _ in range(2):
                learner.cloning_step(AwrConfig(temperature=0.05))
    with noticed(is_bug):
        assert learner.q_error() < 0.05
        chosen = learner.preferences.detach().softmax(-1)[:, 1]
        assert chosen.min() > 0.6


def ends_of_all(network, batch, packing, policy=None, value_range=None):
    """D-27: final states are encoded however the episode ended."""
    probes = [final_probe(batch, index, packing.row_length) for index in range(batch.num_sequences)]
    return valuation.value_turns(network, probes, packing, policy, value_range)[1]


@trap(value_ends, ends_of_all)
def test_a_terminal_state_is_never_encoded(ends_of) -> None:
    """Trap D-27: its tokens never reach the tower, and its value is NaN, which targets do not read."""
    table = chain()
    batch, poison = table.batch(20, 3, STARTS), table.vocabulary
    ended = [i for i, record in enumerate(batch.trajectories) if record.outcome.kind == "terminated"]
    assert 0 < len(ended) < 20
    for index in ended:
        batch.trajectories[index].metadata[FINAL_PROMPT] = [poison]
    network = CriticNetwork(poison + 1, CriticConfig(width=8), OneHot(poison + 1))
    seen: set[int] = set()
    network.tower.register_forward_pre_hook(
        lambda _, __, named: seen.update(named["input_ids"].unique().tolist()), with_kwargs=True
    )
    ends = ends_of(network, batch, PACKING)
    assert poison not in seen
    assert np.isnan(ends).all(0).nonzero()[0].tolist() == ended
    turns = turn_transitions(batch)
    assert np.isfinite(next_values(np.zeros((2, turns.num_turns)), ends[:, turns.trajectory], turns.successor)).all()


def test_a_truncated_episode_is_valued_at_its_final_observation() -> None:
    table = chain()
    batch = table.batch(10, 3, [0, 2])
    learner = Learner(table, batch)
    ends = valuation.value_ends(learner.critic.target, batch, PACKING)
    _, values = valuation.value_turns(learner.critic.target, batch.segments, PACKING)
    state_of_turn = learner.states.state.argmax(-1).numpy()
    value_of = {int(state): values[:, n] for n, state in enumerate(state_of_turn)}
    for index, record in enumerate(batch.trajectories):
        [final] = record.metadata[FINAL_PROMPT]
        if record.outcome.kind == "truncated" and final in value_of:
            np.testing.assert_allclose(ends[:, index], value_of[final], rtol=1e-5)
