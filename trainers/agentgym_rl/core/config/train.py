"""A training run's whole configuration: the shared tables, and the options of its learner under `algorithm`.

Which learners there are is in agentgym_rl/run/learners.py; how a file becomes a configuration in run/config.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeAlias, TypeVar

from agentgym.errors import ConfigError
from agentgym.policy import Sampling
from agentgym.ranges import Ranged
from agentgym.rollout import RolloutSettings
from agentgym_rl.core.config.curriculum import CurriculumConfig
from agentgym_rl.core.config.tables import (
    CheckpointConfig,
    GroupConfig,
    ModelConfig,
    OptimiserConfig,
    PackingConfig,
    RunConfig,
    ValidationConfig,
    WarmStartConfig,
    WatchConfig,
)
from agentgym_rl.core.roles import RolesConfig


@dataclass(frozen=True)
class LearnerOptions(Ranged):
    """The common part of all learners' options, and what the loop asks of them.

    A learner derives its own options from this: a field `learner` with its name as the only value, fields for its
    keys, and the properties in which it differs.
    """

    preset: str = ""
    """The preset, whose values apply where the file sets none; see `agentgym train --describe`."""
    learner: str = ""
    """The kind of learner, which decides the other keys of this table."""

    collects: ClassVar[bool] = True
    """Whether the loop plays episodes to learn from."""
    compares_groups: ClassVar[bool] = False
    """Whether the episodes of a group are compared, so that a group of equal returns teaches nothing."""
    has_critic: ClassVar[bool] = False
    """Whether there is a critic of turns."""
    picks_legal_actions: ClassVar[bool] = False
    """Whether the policy chooses among the actions that the environment lists, instead of writing messages."""

    @property
    def runs(self) -> tuple[str, ...]:
        """Folders of the stored runs that are learned from."""
        return ()

    @property
    def has_value_head(self) -> bool:
        """Whether the model gets a value head."""
        return False

    @property
    def head_learning_rate(self) -> float | None:
        """The learning rate of the value head; None without a value head."""
        return None

    @property
    def needs_behaviour_logprobs(self) -> bool:
        """Whether a loss needs the log-probabilities of the policy that sampled; derived episodes have none."""
        return False

    @property
    def needs_reference(self) -> bool:
        """Whether a frozen copy of the starting weights is kept."""
        return False

    @property
    def bootstraps(self) -> bool:
        """Whether a critic values the state after a truncated episode, so that this state must be recorded."""
        return self.has_value_head or self.has_critic

    @property
    def fate_of_truncated(self) -> str:
        """How truncated episodes are treated, in a few words."""
        return "valued at the last observation" if self.bootstraps else "include"

    def without_warmup(self) -> LearnerOptions:
        """The same, with the policy learning from the first iteration on."""
        return self


A_co = TypeVar("A_co", bound=LearnerOptions, covariant=True)


@dataclass(frozen=True)
class ConfigOf(Generic[A_co]):
    """The configuration of a training run whose learner has options of type A."""

    run: RunConfig
    model: ModelConfig = field(default_factory=ModelConfig)
    warm_start: WarmStartConfig = field(default_factory=WarmStartConfig)
    group: GroupConfig = field(default_factory=GroupConfig)
    rollout: RolloutSettings = field(default_factory=RolloutSettings)
    curriculum: CurriculumConfig = field(default_factory=CurriculumConfig)
    algorithm: A_co = field(kw_only=True)
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    packing: PackingConfig = field(default_factory=lambda: PackingConfig(row_length=512, micro_batch_tokens=16384))
    validation: ValidationConfig = field(default_factory=ValidationConfig)
    watch: WatchConfig = field(default_factory=WatchConfig)
    roles: RolesConfig = field(default_factory=RolesConfig)
    checkpoint: CheckpointConfig = field(default_factory=CheckpointConfig)

    def __post_init__(self) -> None:
        _check_sampling(self.rollout.sampling)

    def longest_context(self, of_policy: int) -> int:
        """Most tokens of a segment: the least of the row length, the policy's context and the configured context."""
        limits = (self.rollout.max_context, of_policy, self.packing.row_length)
        return min(limit for limit in limits if limit is not None)


TrainConfig: TypeAlias = ConfigOf[LearnerOptions]
"""The configuration of a run of any learner."""


def _check_sampling(sampling: Sampling) -> None:
    if sampling.top_p != 1.0:
        raise ConfigError(
            f"rollout.sampling.top_p is {sampling.top_p}; training needs 1.0, where the recorded log-probabilities are "
            f"those of the whole distribution"
        )
    if sampling.temperature == 0:
        raise ConfigError("rollout.sampling.temperature is 0; training needs sampled messages, such as 1.0")
