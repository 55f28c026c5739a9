"""Actor-critics on toys: a trainer with a store, which replay reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym.store import RunStore
from agentgym.suite import Suite
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.learner import ActorCriticLearner
from agentgym_rl.run.setup import reference_of
from agentgym_rl.run.trainer import Trainer
from tests.trainers.rl import vocabulary
from tests.trainers.rl.toys import Recorder, install, toy_config


class ToyRun(Trainer):
    """Has an actor-critic, and a journal that remembers."""

    learner: ActorCriticLearner
    journal: Recorder
    goal: float | None = None
    """The success over three iterations with which learning is shown and the run ends, after five at least."""

    def is_over(self) -> bool:
        is_shown = self.goal is not None and len(self.journal.rows) >= 5 and self.success(3) > self.goal
        return is_shown or super().is_over()

    def success(self, last: int = 5) -> float:
        """Mean success of the last iterations."""
        return float(np.mean(self.journal.curve("success/mean")[-last:]))


def make_run(config: TrainConfig, suite: Suite, folder: Path) -> ToyRun:
    """A run with a store of its own, which whoever asked for it closes."""
    tokenizer = build_tokenizer(vocabulary.texts(), numbers=vocabulary.NUMBERS)
    model = PolicyModel(build_tiny_model(tokenizer, config.model.size, config.run.seed))
    return ToyRun(
        config,
        suite,
        model.train(),
        TorchPolicy(model.causal_lm, tokenizer, name="policy"),
        reference=reference_of(model, config),
        store=RunStore.create(folder, {"suite": suite.name}),
        folder=folder,
        journal=Recorder(folder),
    )


def actor_critic(folder: Path, name: str, *, task_config: Mapping[str, Any] | None = None, **tables: Any) -> ToyRun:
    """A run on a toy; small updates unless tables say otherwise."""
    suite = install(folder, name, 16, task_config)
    return make_run(toy_config(name, **tables), suite, folder / "run")
