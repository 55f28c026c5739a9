"""Offline learners on problems whose values are known: one token for each state and action, one-hot hidden states."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel

from agentgym.config import Source
from agentgym.policies.sampler import Continuation, Fork
from agentgym.policies.torch.steering import SteeredHead
from agentgym.policy import Reply, Request, Sampling
from agentgym.trajectory import Trajectory
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.models import PolicyModel, frozen_copy, trainable_groups
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.learners import kind_of
from tests.trainers.rl.hierarchical.tables import DISCOUNT, OneHot, Table

STARTS = [0, 1, 2, 3, 4]
MAX_TURNS = 3
_NEVER = -20.0


class OneHotPolicy(PreTrainedModel):
    """A language model that sees the last token alone; at first all actions are alike, and nothing else is said."""

    config_class = PretrainedConfig
    base_model_prefix = "model"

    def __init__(self, table: Table) -> None:
        super().__init__(PretrainedConfig(vocab_size=table.vocabulary, hidden_size=table.vocabulary))
        self.model = OneHot(table.vocabulary)
        self.head: nn.Module = nn.Linear(table.vocabulary, table.vocabulary, bias=False)
        with torch.no_grad():
            self.head.weight.zero_()
            self.head.weight[: table.num_states] = _NEVER

    def forward(self, input_ids: torch.Tensor, **_: object) -> SimpleNamespace:
        return SimpleNamespace(logits=self.head(self.model(input_ids).last_hidden_state))

    def get_output_embeddings(self) -> nn.Module:
        return self.head

    def set_output_embeddings(self, new_embeddings: nn.Module) -> None:
        self.head = new_embeddings


class Branching:
    """Samples actions in states within episodes, as a policy with weights does."""

    name, uses_tokens, concurrency = "table", True, 1
    tokenizer, max_context, version = None, 64, 0

    def __init__(self, model: OneHotPolicy) -> None:
        self.model, self.branches = model, self

    def generate(self, requests: Sequence[Request], *, keeps_states: bool = True) -> list[Reply]:
        raise AssertionError("nothing is played")

    def forget(self, episode: str) -> None:
        """Nothing is kept."""

    def sample(
        self, prompts: Sequence[np.ndarray], forks: Sequence[Sequence[Fork]], sampling: Sampling
    ) -> list[list[Continuation]]:
        chances = self.model.head.weight.detach().T.softmax(-1).double().numpy()
        return [
            [self._message(chances[tokens[fork.start - 1]], fork.seed) for fork in mine]
            for tokens, mine in zip(prompts, forks, strict=True)
        ]

    def load_weights(self, model: object, version: int) -> None:
        """It reads the model that is trained."""

    def _message(self, chances: np.ndarray, seed: int) -> Continuation:
        token = np.random.default_rng(seed).choice(len(chances), p=chances / chances.sum())
        return Continuation(np.array([token], np.int32), np.zeros(1, np.float32))


class Episodes:
    """All of them in every draw."""

    def __init__(self, trajectories: list[Trajectory]) -> None:
        self.trajectories, self.num_episodes, self.total = trajectories, len(trajectories), len(trajectories)

    def draw(self, count: int) -> list[Trajectory]:
        return self.trajectories

    def metrics(self) -> dict[str, float]:
        return {}


def config_of(algorithm: dict[str, Any], **tables: Any) -> TrainConfig:
    """Of a learner of one table; nothing of it is read from a disk."""
    base = {
        "run": {"suite": "toys/arms", "iterations": 1000},
        "algorithm": {**algorithm, "replay": {"runs": ["none"]}},
        "packing": {"row_length": 64, "micro_batch_tokens": 8192},
        "optimiser": {"learning_rate": 2e-2, "betas": [0.9, 0.999], "max_grad_norm": 100.0},
    }
    return config_from_tables({**base, **tables}, Source())


def place_of(table: Table, config: TrainConfig) -> Any:
    """What a learner of a table works with."""
    torch.manual_seed(0)
    causal_lm, options = OneHotPolicy(table), config.algorithm
    reference = PolicyModel(frozen_copy(causal_lm))
    kind_of(config).prepare_model(causal_lm, options)
    model = PolicyModel(causal_lm)
    optimiser = torch.optim.Adam(trainable_groups(model)["policy"], lr=config.optimiser.learning_rate)
    return SimpleNamespace(
        config=config, model=model, policy=Branching(causal_lm), optimiser=optimiser, reference=reference
    )


def random_play(table: Table, num_episodes: int, seed: int = 0) -> list[Trajectory]:
    """Episodes of at most three turns, so that a limit cuts most; each third turn lies in a segment of its own."""
    records = table.batch(num_episodes, MAX_TURNS, STARTS, seed).trajectories
    for record in records:
        for turn in record.turns[2:]:
            turn.opens_segment = True
    return records


def returns_that_followed(records: Sequence[Trajectory]) -> list[float]:
    """Of each turn, by a slow loop, with limits as ends."""
    found: list[float] = []
    for record in records:
        mine, following = [], 0.0
        for reward in reversed(record.step_rewards().tolist()):
            following = reward + DISCOUNT * following
            mine.append(following)
        found += reversed(mine)
    return found


def mean_returns(table: Table, records: Sequence[Trajectory]) -> tuple[np.ndarray, np.ndarray]:
    """What followed each action in each state, and each state, in the mean."""
    turns = [turn for record in records for turn in record.turns]
    places = [(int(turn.prompt_ids[-1]), int(turn.action_ids[0]) - table.num_states) for turn in turns]
    sums, counts = np.zeros(table.following.shape), np.zeros(table.following.shape)
    for at, value in zip(places, returns_that_followed(records), strict=True):
        sums[at] += value
        counts[at] += 1
    assert counts.min() > 0
    return sums / counts, sums.sum(1) / counts.sum(1)


def lowest_q(table: Table, model: PolicyModel) -> np.ndarray:
    """min(Q_1, Q_2) of each action in each state."""
    head = model.causal_lm.get_output_embeddings()
    assert isinstance(head, SteeredHead)
    with torch.no_grad():
        q = head.q(torch.eye(table.vocabulary)[: table.num_states]).min(0).values
    return q[:, table.num_states :].numpy()


def chances(table: Table, model: PolicyModel) -> np.ndarray:
    """Probability of each action in each state."""
    weight = model.causal_lm.get_output_embeddings().weight
    return weight.detach().T.softmax(-1)[: table.num_states, table.num_states :].numpy()
