"""The options of learners that learn from stored runs alone: one table `[algorithm]` for each of them.

The runs are those of `[algorithm.replay]`; what is done with them is in the files of the learners.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, get_args

from agentgym.errors import ConfigError
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
from agentgym_rl.replay.options import StoredBufferOptions, StoredRuns, StoredUniform


@dataclass(frozen=True)
class IlqlConfig:
    """Weights of the loss."""

    expectile: float = 0.8
    """tau: 0.5 values the policy of the data, a number towards 1 its best actions."""
    cql_weight: float = 0.1
    """Weight of the cross-entropy that keeps Q of tokens which the data lacks low."""

    def __post_init__(self) -> None:
        if not 0 < self.expectile < 1 or self.cql_weight < 0:
            raise ConfigError(
                f"ilql.expectile is {self.expectile}, ilql.cql_weight {self.cql_weight}; expected a number between "
                "0 and 1, and at least 0"
            )


AlolRatio = Literal["turn", "token", "none"]


@dataclass(frozen=True)
class AlolConfig:
    """The ratio to the reference."""

    ratio: AlolRatio = "turn"
    """turn: of the whole answer (A-LoL); token: of each token (A-LoL seq.); none: 1 (A-LoL ref-free)."""
    clip: float = 0.9
    """The ratio counts within 1 - clip and 1 + clip."""

    def __post_init__(self) -> None:
        if self.ratio not in get_args(AlolRatio):
            raise ConfigError(f"algorithm.ratio is {self.ratio!r}; expected turn, token or none")
        if not 0 <= self.clip <= 1:
            raise ConfigError(f"algorithm.clip is {self.clip}; expected 0 to 1")


@dataclass(frozen=True)
class EpisodeOptions(LearnerOptions):
    """What learners from whole stored episodes have in common."""

    collects: ClassVar[bool] = False

    replay: StoredRuns = field(default_factory=StoredRuns)
    """The runs that are learnt from."""
    updates: int = 20
    """Updates per iteration."""
    batch: int = 32
    """Episodes that are drawn for each update, uniformly with replacement."""

    def __post_init__(self) -> None:
        if self.updates < 1 or self.batch < 1:
            raise ConfigError(
                f"algorithm.updates is {self.updates}, algorithm.batch {self.batch}; expected at least 1 each"
            )

    @property
    def runs(self) -> tuple[str, ...]:
        """Folders of the runs that are learnt from."""
        return self.replay.runs

    @property
    def least_quantile(self) -> float:
        """The quantile of all returns that an episode must reach to be learnt from."""
        return 0.0


def _require_quantile(quantile: float) -> None:
    if not 0 <= quantile < 1:
        raise ConfigError(f"algorithm.quantile is {quantile}; expected at least 0 and less than 1")


@dataclass(frozen=True)
class CloningOptions(EpisodeOptions):
    """Behaviour cloning of whole episodes, all of them or the best."""

    learner: Literal["cloning"] = "cloning"
    """The kind of learner."""
    quantile: float = 0.0
    """Learn only from episodes whose return reaches this quantile of all returns; 0 learns from all. If the lowest
    return reaches it, only those that return more are taken."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_quantile(self.quantile)

    @property
    def least_quantile(self) -> float:
        """The quantile that is set."""
        return self.quantile


@dataclass(frozen=True)
class SteeredOptions(EpisodeOptions):
    """What policies that a critic over the vocabulary steers have in common: a clone of all episodes, and Q."""

    discount: float = 0.99
    """gamma of a sampled token."""
    beta: float = 4.0
    """How far Q tilts the logits of the clone."""
    width: int = 256
    """Units of the hidden layers of each head."""
    cql_weight: float = IlqlConfig.cql_weight
    """Weight of the loss that keeps Q of tokens which the data lacks low (CQL)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.discount <= 1 or self.beta < 0 or self.width < 1 or self.cql_weight < 0:
            raise ConfigError(
                f"algorithm.discount is {self.discount}, algorithm.beta {self.beta}, algorithm.width {self.width}, "
                f"algorithm.cql_weight {self.cql_weight}; expected 0 to 1, at least 0, 1 and 0"
            )


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
    expectile: float = IlqlConfig.expectile
    """tau of V: 0.5 values the policy of the data, a number towards 1 its best actions."""
    polyak: float = 0.005
    """The share of the way that the copy of Q goes after each update."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loss  # noqa: B018 - refuses an expectile out of range
        if not 0 < self.polyak <= 1:
            raise ConfigError(f"algorithm.polyak is {self.polyak}; expected above 0 to 1")

    @property
    def loss(self) -> IlqlConfig:
        """Weights of the critic's loss."""
        return IlqlConfig(self.expectile, self.cql_weight)


@dataclass(frozen=True)
class AlolOptions(EpisodeOptions):
    """Learning from the messages that beat the starting policy (A-LoL)."""

    learner: Literal["a_lol"] = "a_lol"
    """The kind of learner."""
    discount: float = 0.99
    """gamma of a turn."""
    width: int = 256
    """Units of the hidden layers of each head of V."""
    warmup: int = 2
    """First iterations in which only V of the starting policy is fitted."""
    value_learning_rate: float = 1e-3
    """Learning rate of V."""
    ratio: AlolRatio = AlolConfig.ratio
    """The ratio to the starting policy. turn: of the whole message (A-LoL); token: of each token (A-LoL seq.);
    none: 1 (A-LoL ref-free)."""
    clip: float = AlolConfig.clip
    """The ratio counts within 1 - clip and 1 + clip."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loss  # noqa: B018 - refuses a clip out of range
        if not 0 <= self.discount <= 1 or self.width < 1 or self.warmup < 0 or self.value_learning_rate <= 0:
            raise ConfigError(
                f"algorithm.discount is {self.discount}, algorithm.width {self.width}, algorithm.warmup {self.warmup}, "
                f"algorithm.value_learning_rate {self.value_learning_rate}; expected 0 to 1, at least 1, at least 0, "
                "and more than 0"
            )

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
    quantile: float = 0.0
    """Learn only from episodes whose return reaches this quantile of all returns; 0 learns from all. If the lowest
    return reaches it, only those that return more are taken."""
    beta: float = 0.1
    """A smaller beta lets the policy go further from the starting one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_quantile(self.quantile)
        if self.beta <= 0:
            raise ConfigError(f"algorithm.beta is {self.beta}; expected more than 0")

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
