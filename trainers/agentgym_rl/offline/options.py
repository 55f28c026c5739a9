"""The options of learners that learn from stored runs alone: one table `[algorithm]` for each of them.

The runs are those of `[algorithm.replay]`; what is done with them is in the files of the learners.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

from agentgym.ranges import POSITIVE, POSITIVE_SHARE, SHARE, Range, Ranged
from agentgym_rl.core.config.train import LearnerOptions
from agentgym_rl.hierarchical.options import (
    ActorOptions,
    CriticOptions,
    ResampledActor,
    SoftActorOptions,
    SoftCriticOptions,
    UnderSoftCritic,
    UnderTurnCritic,
)
from agentgym_rl.maths.options import AlolConfig, AlolRatio
from agentgym_rl.replay.options import StoredBufferOptions, StoredRuns, StoredUniform


@dataclass(frozen=True)
class IlqlConfig(Ranged):
    """Weights of the loss."""

    expectile: Annotated[float, Range(above=0, below=1)] = 0.8
    """tau: 0.5 values the policy of the data, a number towards 1 its best actions."""
    cql_weight: Annotated[float, Range(0)] = 0.1
    """Weight of the cross-entropy that keeps Q of tokens which the data lacks low."""


@dataclass(frozen=True)
class EpisodeOptions(LearnerOptions):
    """What learners from whole stored episodes have in common."""

    collects: ClassVar[bool] = False

    replay: StoredRuns = field(default_factory=StoredRuns)
    """The runs that are learnt from."""
    updates: Annotated[int, Range(1)] = 20
    """Updates per iteration."""
    batch: Annotated[int, Range(1)] = 32
    """Episodes that are drawn for each update, uniformly with replacement."""

    @property
    def runs(self) -> tuple[str, ...]:
        """Folders of the runs that are learnt from."""
        return self.replay.runs

    @property
    def least_quantile(self) -> float:
        """The quantile of all returns that an episode must reach to be learnt from."""
        return 0.0


@dataclass(frozen=True)
class CloningOptions(EpisodeOptions):
    """Behaviour cloning of whole episodes, all of them or the best."""

    learner: Literal["cloning"] = "cloning"
    """The kind of learner."""
    quantile: Annotated[float, Range(0, below=1)] = 0.0
    """Learn only from episodes whose return reaches this quantile of all returns; 0 learns from all. If the lowest
    return reaches it, only those that return more are taken."""

    @property
    def least_quantile(self) -> float:
        """The quantile that is set."""
        return self.quantile


@dataclass(frozen=True)
class SteeredOptions(EpisodeOptions):
    """What policies that a critic over the vocabulary steers have in common: a clone of all episodes, and Q."""

    discount: Annotated[float, SHARE] = 0.99
    """gamma of a sampled token."""
    beta: Annotated[float, Range(0)] = 4.0
    """How far Q tilts the logits of the clone."""
    width: Annotated[int, Range(1)] = 256
    """Units of the hidden layers of each head."""
    cql_weight: Annotated[float, Range(0)] = IlqlConfig.cql_weight
    """Weight of the loss that keeps Q of tokens which the data lacks low (CQL)."""


@dataclass(frozen=True)
class MonteCarloOptions(SteeredOptions):
    """A clone steered by Q that is fitted to the returns which followed."""

    learner: Literal["monte_carlo"] = "monte_carlo"
    """The kind of learner."""


@dataclass(frozen=True)
class IlqlOptions(SteeredOptions):
    """A clone steered by implicit language Q-learning."""

    learner: Literal["ilql"] = "ilql"
    """The kind of learner."""
    expectile: Annotated[float, Range(above=0, below=1)] = IlqlConfig.expectile
    """tau of V: 0.5 values the policy of the data, a number towards 1 its best actions."""
    polyak: Annotated[float, POSITIVE_SHARE] = 0.005
    """The share of the way that the copy of Q goes after each update."""

    @property
    def loss(self) -> IlqlConfig:
        """Weights of the critic's loss."""
        return IlqlConfig(self.expectile, self.cql_weight)


@dataclass(frozen=True)
class AlolOptions(EpisodeOptions):
    """Learning from the messages that beat the starting policy (A-LoL)."""

    learner: Literal["a_lol"] = "a_lol"
    """The kind of learner."""
    discount: Annotated[float, SHARE] = 0.99
    """gamma of a turn."""
    width: Annotated[int, Range(1)] = 256
    """Units of the hidden layers of each head of V."""
    warmup: Annotated[int, Range(0)] = 2
    """First iterations in which only V of the starting policy is fitted."""
    value_learning_rate: Annotated[float, POSITIVE] = 1e-3
    """Learning rate of V."""
    ratio: AlolRatio = AlolConfig.ratio
    """The ratio to the starting policy. turn: of the whole message (A-LoL); token: of each token (A-LoL seq.);
    none: 1 (A-LoL ref-free)."""
    clip: Annotated[float, SHARE] = AlolConfig.clip
    """The ratio counts within 1 - clip and 1 + clip."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loss  # noqa: B018 - refuses an unknown ratio

    @property
    def loss(self) -> AlolConfig:
        """The ratio and its clip."""
        return AlolConfig(self.ratio, self.clip)

    @property
    def needs_reference(self) -> bool:
        """The policy is compared with itself at the start."""
        return True

    def without_warmup(self) -> AlolOptions:
        """The same, with the policy learning from the first iteration on."""
        return replace(self, warmup=0)


@dataclass(frozen=True)
class StepPreferenceOptions(EpisodeOptions):
    """Learning to prefer an expert's message to the policy's own in the same state (StepAgent)."""

    learner: Literal["step_preference"] = "step_preference"
    """The kind of learner."""
    quantile: Annotated[float, Range(0, below=1)] = 0.0
    """Learn only from episodes whose return reaches this quantile of all returns; 0 learns from all. If the lowest
    return reaches it, only those that return more are taken."""
    beta: Annotated[float, POSITIVE] = 0.1
    """A smaller beta lets the policy go further from the starting one."""

    @property
    def least_quantile(self) -> float:
        """The quantile that is set."""
        return self.quantile

    @property
    def needs_reference(self) -> bool:
        """The policy is compared with itself at the start."""
        return True


@dataclass(frozen=True)
class OfflineActorCriticOptions(UnderTurnCritic):
    """Learning from stored runs alone, under a critic of turns."""

    collects: ClassVar[bool] = False

    learner: Literal["offline_actor_critic"] = "offline_actor_critic"
    """The kind of learner."""
    replay: StoredBufferOptions = field(default_factory=StoredUniform)
    """What is drawn from."""
    critic: CriticOptions = field(default_factory=CriticOptions)
    """The critic of turns."""
    actor: ActorOptions = field(default_factory=ResampledActor)
    """How the policy learns from it."""


@dataclass(frozen=True)
class OfflineSoftActorCriticOptions(UnderSoftCritic):
    """Learning which listed action to pick, from stored runs alone."""

    collects: ClassVar[bool] = False

    learner: Literal["offline_soft_actor_critic"] = "offline_soft_actor_critic"
    """The kind of learner."""
    replay: StoredBufferOptions = field(default_factory=StoredUniform)
    """What is drawn from."""
    critic: SoftCriticOptions = field(default_factory=SoftCriticOptions)
    """The critic of turns."""
    actor: SoftActorOptions = field(default_factory=SoftActorOptions)
    """How the policy learns from it."""
