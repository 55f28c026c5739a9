"""Small decision problems with known values, told in tokens: one for each state, one for each action."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel

from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.trajectory import FINAL_PROMPT, Trajectory, Turn
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.positions import TurnPositions
from agentgym_rl.hierarchical import actor_losses, transitions
from agentgym_rl.hierarchical.critic import losses as critic_losses
from agentgym_rl.hierarchical.critic import targets, valuation
from agentgym_rl.hierarchical.critic.network import TurnCritic, TurnStates, as_values
from agentgym_rl.hierarchical.critic.step import critic_optimiser, critic_step
from agentgym_rl.hierarchical.critic.valuation import encode_actions, encode_prompts, stored_actions
from agentgym_rl.hierarchical.options import AwrConfig, CriticConfig, CriticStepConfig

PACKING = PackingConfig(row_length=64, micro_batch_tokens=8192)
DISCOUNT = 0.9


@dataclass(frozen=True)
class Table:
    """What each action does in each state; arrays of [S, A]."""

    following: np.ndarray
    rewards: np.ndarray
    is_end: np.ndarray

    @property
    def num_states(self) -> int:
        return len(self.following)

    @property
    def vocabulary(self) -> int:
        return sum(self.following.shape)

    def best_q(self) -> np.ndarray:
        q = np.zeros(self.following.shape)
        for _ in range(300):
            q = self.rewards + DISCOUNT * np.where(self.is_end, 0.0, q.max(1)[self.following])
        return q

    def episode(self, name: str, start: int, max_turns: int, rng: np.random.Generator, policy=None) -> Trajectory:
        """An episode of random actions, or of the best ones of a table of preferences."""
        state, turns, events, is_over = start, [], [], False
        while not is_over and len(turns) < max_turns:
            action = int(rng.integers(self.following.shape[1]) if policy is None else policy[state].argmax())
            turns.append(one_token_turn(len(turns), state, self.num_states + action))
            events.append(
                RewardEvent(
                    len(turns) - 1, len(turns) - 1, "agent", "r", float(self.rewards[state, action]), "environment"
                )
            )
            is_over, state = bool(self.is_end[state, action]), int(self.following[state, action])
        outcome = Outcome("terminated") if is_over else Outcome("truncated", "turns")
        record = Trajectory(name, "task", turns=turns, events=events, weights={"r": 1.0}, outcome=outcome)
        record.metadata[FINAL_PROMPT] = [state]
        return record

    def batch(self, num_episodes: int, max_turns: int, starts: list[int], seed: int = 0) -> TrainBatch:
        rng = np.random.default_rng(seed)
        records = [self.episode(f"e{i}", starts[i % len(starts)], max_turns, rng) for i in range(num_episodes)]
        return TrainBatch.of_trajectories(records)


def one_token_turn(index: int, prompt: int, action: int) -> Turn:
    logprobs = np.full(1, -np.log(2), np.float32)
    message = {"role": "assistant", "content": ""}
    ids = [np.array([token], np.int32) for token in (prompt, action)]
    return Turn(index, [], message, "", prompt_ids=ids[0], action_ids=ids[1], behaviour_logprobs=logprobs, version=0)


def chain() -> Table:
    """Five states in a row, left and right; right in the last one ends it with reward 1."""
    places = np.arange(5)
    following = np.stack([np.maximum(places - 1, 0), np.minimum(places + 1, 4)], axis=1)
    is_end = np.zeros((5, 2), dtype=bool)
    is_end[4, 1] = True
    return Table(following, is_end.astype(float), is_end)


def key_door() -> Table:
    """Six cells, with the key (6 to 11) and without (0 to 5): it lies in cell 0, the door that it opens in cell 5."""
    following, is_end = np.zeros((12, 2), dtype=int), np.zeros((12, 2), dtype=bool)
    for state in range(12):
        for action, step in enumerate((-1, 1)):
            cell = min(5, max(0, state % 6 + step))
            following[state, action] = cell + (6 if state >= 6 or cell == 0 else 0)
            is_end[state, action] = following[state, action] == 11
    return Table(following, is_end.astype(float), is_end)


class OneHot(PreTrainedModel):
    """A tower whose hidden state is the token itself."""

    config_class = PretrainedConfig

    def __init__(self, size: int) -> None:
        super().__init__(PretrainedConfig(vocab_size=size))
        self.embedding = nn.Embedding.from_pretrained(torch.eye(size))

    def forward(self, input_ids: torch.Tensor, **_: object) -> SimpleNamespace:
        return SimpleNamespace(last_hidden_state=self.embedding(input_ids))


def numbered_turns(turn_of_token: list[int]) -> TurnPositions:
    """Turns of which only the tokens matter."""
    tokens = torch.tensor(turn_of_token, dtype=torch.int64)
    none = torch.arange(len(set(turn_of_token)))
    return TurnPositions(none, none, none, none, none, none, tokens)


class Learner:
    """A critic on the turns of a batch, and a table of preferences as the actor."""

    def __init__(
        self, table: Table, batch: TrainBatch, seed: int = 0, *, value_range=None, polyak: float = 0.2
    ) -> None:
        torch.manual_seed(seed)
        self.table, self.batch = table, batch
        config = CriticConfig(width=24, polyak=polyak, value_range=value_range)
        self.critic = TurnCritic(table.vocabulary, config, OneHot(table.vocabulary))
        self.step_config = CriticStepConfig(learning_rate=5e-3, max_grad_norm=10.0)
        self.optimiser = critic_optimiser(self.critic, self.step_config)
        self.turns = transitions.turn_transitions(batch)
        self.states = self.read_states()
        self.actions = self.states.action.argmax(-1) - table.num_states
        self.weights = torch.full((self.turns.num_turns,), 1 / self.turns.num_turns)
        self.preferences = torch.zeros(table.following.shape, requires_grad=True)
        self.actor = torch.optim.Adam([self.preferences], lr=0.1)

    def read_states(self) -> TurnStates:
        network, segments = self.critic.online, self.batch.segments
        with torch.no_grad():
            action = encode_actions(network, stored_actions(segments), PACKING, None)
            return TurnStates(encode_prompts(network, segments, PACKING, None), action)

    def with_actions(self, actions: torch.Tensor) -> TurnStates:
        onehot = torch.eye(self.table.vocabulary)[self.table.num_states + actions]
        return TurnStates(self.states.state, onehot)

    def q_targets(self) -> torch.Tensor:
        """r + gamma V(s') of the lagging copy."""
        network, span = self.critic.target, self.critic.config.value_range
        _, values = valuation.value_turns(network, self.batch.segments, PACKING, None, span)
        ends = valuation.value_ends(network, self.batch, PACKING, None, span)
        following = targets.next_values(values, ends[:, self.turns.trajectory], self.turns.successor)
        return torch.from_numpy(targets.one_step_targets(self.turns.rewards, following, DISCOUNT))

    def sample(self) -> tuple[torch.Tensor, torch.Tensor]:
        """An action of the present actor at each state, and its log-probability."""
        logits = self.preferences[self.states.state.argmax(-1)]
        actions = logits.detach().softmax(-1).multinomial(1).squeeze(-1)
        return actions, logits.log_softmax(-1).gather(-1, actions[:, None]).squeeze(-1)

    def critic_round(self, num_steps: int = 8, *, expectile: float | None = None) -> None:
        """Targets once, then some steps towards them; V towards Q of the copy at actions of now, or of the data."""
        span, y = self.critic.config.value_range, self.q_targets()
        for _ in range(num_steps):
            actions = self.actions if expectile else self.sample()[0]
            with torch.no_grad():
                target_q = as_values(self.critic.target(self.with_actions(actions)).q, span)
            outputs = self.critic.online(self.states)
            loss = critic_losses.critic_loss(outputs.q, y, self.weights, span)
            if expectile:
                loss = loss + critic_losses.expectile_loss(outputs.v, target_q, self.weights, expectile, span)
            else:
                loss = loss + critic_losses.critic_loss(outputs.v, target_q, self.weights, span)
            critic_step(self.critic, self.optimiser, [loss], self.step_config)

    def advantages(self, actions: torch.Tensor) -> torch.Tensor:
        span = self.critic.config.value_range
        with torch.no_grad():
            outputs = self.critic.online(self.with_actions(actions))
        return actor_losses.turn_advantages(as_values(outputs.q, span), as_values(outputs.v, span))

    def actor_step(self) -> None:
        actions, logprobs = self.sample()
        turns = numbered_turns(list(range(len(actions))))
        self._step(actor_losses.resampled_loss(logprobs, self.advantages(actions), turns, self.weights))

    def cloning_step(self, config: AwrConfig) -> None:
        logits = self.preferences[self.states.state.argmax(-1)]
        logprobs = logits.log_softmax(-1).gather(-1, self.actions[:, None]).squeeze(-1)
        worth = actor_losses.awr_weights(self.advantages(self.actions), config)
        turns = numbered_turns(list(range(len(logprobs))))
        self._step(actor_losses.weighted_cloning_loss(logprobs, worth, turns, self.weights))

    def _step(self, loss: torch.Tensor) -> None:
        self.actor.zero_grad()
        loss.backward()
        self.actor.step()

    def q_error(self) -> float:
        """Largest error of min(Q_1, Q_2) over all states and actions."""
        states, actions = (torch.from_numpy(each) for each in np.indices(self.table.following.shape).reshape(2, -1))
        eye = torch.eye(self.table.vocabulary)
        with torch.no_grad():
            outputs = self.critic.online(TurnStates(eye[states], eye[self.table.num_states + actions]))
        q = as_values(outputs.q, self.critic.config.value_range).min(0).values.reshape(self.table.following.shape)
        return float(np.abs(q.numpy() - self.table.best_q()).max())
