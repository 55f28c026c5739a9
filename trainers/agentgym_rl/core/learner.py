"""How an iteration learns from the collected groups; the loop around it is in `trainer.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import torch

from agentgym.policies.sampler import Sampler
from agentgym.store import RunStore
from agentgym.suite import Suite
from agentgym.trajectory import Group
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.config.train import ConfigOf, LearnerOptions
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.part_state import Part

A_co = TypeVar("A_co", bound=LearnerOptions, covariant=True)


@dataclass(frozen=True)
class Workplace(Generic[A_co]):
    """What a learner with options of type A works with.

    Attributes:
        config: The run's configuration; its `algorithm` are the learner's own options.
        suite: The suite that is trained on.
        model: The model that is trained, possibly sharded.
        policy: Samples from the weights that were published last.
        optimiser: The model's optimiser; the loop sets its learning rate.
        reference: The frozen reference policy, if the algorithm has one.
        store: The run's database; None on ranks other than 0.
        runs: Folders of the stored runs that are also learned from: the configured ones, with recordings as rendered.
    """

    config: ConfigOf[A_co]
    suite: Suite
    model: PolicyModel
    policy: Sampler
    optimiser: torch.optim.Optimizer
    reference: PolicyModel | None
    store: RunStore | None
    runs: tuple[str, ...] = ()


class Learner(Protocol):
    """Improves the policy with the collected groups; the loop publishes the weights afterwards."""

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """Learn from the groups of an iteration, which are already in the store.

        Args:
            groups: Sealed groups of train tasks.
            state: The state of the run; `state.iteration` is the current iteration, counted from 0.

        Returns:
            The metrics to log.
        """
        ...

    def parts(self) -> Mapping[str, Part]:
        """What a checkpoint keeps besides the model and its optimiser, by name."""
        ...

    def close(self) -> None:
        """Close what it opened itself, such as earlier runs; calling it twice is harmless."""
        ...
