"""The options of replay and its weight: the table `[algorithm.replay]` of learners that replay.

There are several kinds, each with its own keys. A learner's options say which kinds it offers. `buffer` uses them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, cast

from agentgym.errors import ConfigError
from agentgym.ranges import POSITIVE, SHARE, Range, Ranged
from agentgym_rl.maths.options import CovarianceConfig, RatioLevel
from agentgym_rl.replay.tables import (
    Admitted,
    ClonedHindsight,
    HindsightConfig,
    ImitationConfig,
    PriorityConfig,
    ReplayConfig,
    Unit,
)


class Memory(Ranged):
    """The options that a replay buffer reads; these values hold if a kind has no key for them."""

    kind: str
    """How entries are drawn."""
    unit: Unit = "episode"
    """What one entry is."""
    capacity: Annotated[int | None, Range(1)] = None
    """Most turns that can be drawn; the oldest episodes go first, whole."""
    max_age: Annotated[int | None, Range(0)] = None
    """Iterations after which an episode can no longer be drawn."""
    max_lag: Annotated[int | None, Range(0)] = None
    """Updates by which the weights that sampled an episode may lie behind."""
    runs: tuple[str, ...] = ()
    """Folders of earlier runs."""
    runs_share: Annotated[float, SHARE] = 0.5
    """The share of each draw that comes from earlier runs."""
    hindsight: HindsightConfig | None = None
    """Failed episodes as successes at goals that they did reach."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bounds()
        if len(set(self.runs)) < len(self.runs):
            raise ConfigError(f"replay.runs names a run twice: {', '.join(self.runs)}; name each once")

    def over(self, runs: tuple[str, ...]) -> Memory:
        """The same options for other stored runs."""
        return cast(Memory, replace(cast(Any, self), runs=runs))

    @property
    def is_on(self) -> bool:
        """Whether anything is replayed or relabelled."""
        return self.kind != "none" or self.hindsight is not None

    def bounds(self, admitted: Admitted = "all") -> ReplayConfig:
        """Bounds of the index of the run's own episodes."""
        capacity = ReplayConfig.capacity if self.capacity is None else self.capacity
        return ReplayConfig(capacity, self.max_age, self.max_lag, admitted)

    def bounds_of_runs(self, admitted: Admitted = "all") -> ReplayConfig:
        """Bounds of the index of each earlier run, whose ages and versions mean nothing here."""
        return ReplayConfig(self.capacity, admitted=admitted)


# For learning from groups.


@dataclass(frozen=True)
class NoReplay(Memory):
    """Nothing is replayed, unless hindsight is on."""

    kind: Literal["none"] = "none"
    """What is learnt from again."""
    capacity: Annotated[int | None, Range(1)] = None
    """With hindsight, the most turns that can be drawn. The oldest episodes go first, whole. None means 100,000."""
    max_age: Annotated[int | None, Range(0)] = None
    """With hindsight, the iterations after which an episode can no longer be drawn; none means any age."""
    hindsight: ClonedHindsight | None = None
    """Learn from failed episodes as successes at goals that they did reach (HER); none turns it off."""


@dataclass(frozen=True)
class _Replayed(Memory):
    """The options that kinds of replay beside groups share."""

    capacity: Annotated[int | None, Range(1)] = None
    """Most turns that can be drawn. The oldest episodes go first, whole. Each earlier run has as many. None means
    100,000 turns of this run, and all turns of earlier ones."""
    max_age: Annotated[int | None, Range(0)] = None
    """Iterations after which an episode can no longer be drawn; none means any age."""
    max_lag: Annotated[int | None, Range(0)] = None
    """Updates by which the weights that sampled any turn of an episode may lie behind; none means any number."""
    runs: tuple[str, ...] = ()
    """Folders of earlier runs of the same suite and tokenizer that are replayed too. They are only read."""
    hindsight: ClonedHindsight | None = None
    """Learn from failed episodes as successes at goals that they did reach (HER); none turns it off."""
    weight_level: RatioLevel = "token"
    """The unit that shares an importance weight w = min(pi_prox / pi_behaviour, max_weight): a token, or the product
    over a turn or an episode."""
    max_weight: Annotated[float, POSITIVE] = 2.0
    """The cap of the importance weights of replayed tokens."""


@dataclass(frozen=True)
class SuccessReplay(_Replayed):
    """A stored success joins each group that has none (ARPO). Earlier runs serve tasks without one of this run."""

    kind: Literal["successes"] = "successes"
    """What is learnt from again."""
    per_task: Annotated[int, Range(1)] = 8
    """Most successes that are kept of a task. The oldest go first."""


@dataclass(frozen=True)
class DrawnReplay(_Replayed):
    """Episodes that are drawn every iteration, with their own loss beside the fresh one."""

    runs_share: Annotated[float, SHARE] = 0.5
    """The share of each draw that comes from earlier runs."""
    episodes: Annotated[int, Range(1)] = 32
    """Episodes that are drawn per iteration."""
    coefficient: Annotated[float, Range(0)] = 1.0
    """Weight of the replayed loss beside the fresh one, when the ramp has ended."""
    ramp: Annotated[int, Range(0)] = 0
    """Iterations over which that weight rises from 0 along half a cosine; 0 means none."""

    def weight_at(self, iteration: int) -> float:
        """Weight of the replayed loss: coefficient * (1 - cos(pi min(iteration / ramp, 1))) / 2; iterations from 0."""
        share = min(iteration / self.ramp, 1.0) if self.ramp else 1.0
        return self.coefficient * (1.0 - math.cos(math.pi * share)) / 2.0


@dataclass(frozen=True)
class ImitationReplay(DrawnReplay):
    """Episodes that were better than usual (SPEAR)."""

    kind: Literal["imitation"] = "imitation"
    """What is learnt from again."""
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    """What is better than usual."""
    covariance: CovarianceConfig = field(default_factory=CovarianceConfig)
    """Replayed tokens that are left out because they would sharpen the policy most."""
    fresh_covariance: CovarianceConfig = field(default_factory=lambda: CovarianceConfig(0.02, 1.0, 40.0))
    """The same for fresh tokens."""


@dataclass(frozen=True)
class GoodReplay(DrawnReplay):
    """Episodes drawn by exp(return / temperature)."""

    kind: Literal["return_weighted"] = "return_weighted"
    """What is learnt from again."""
    temperature: Annotated[float, Range(0.01)] = 0.1
    """A low temperature is greedy, a high one uniform."""


GroupReplayOptions = NoReplay | SuccessReplay | ImitationReplay | GoodReplay
"""What learning from groups replays; the first is the default."""


# For learning under a critic of turns.


@dataclass(frozen=True)
class _Buffer(Memory):
    """The options that the replay buffers of a critic share."""

    unit: Unit = "turn"
    """What is drawn: turns, or whole episodes."""
    capacity: Annotated[int | None, Range(1)] = None
    """Most turns that can be drawn. The oldest episodes go first, whole. Each earlier run has as many. None means
    100,000 turns of this run, and all turns of earlier ones."""
    max_age: Annotated[int | None, Range(0)] = None
    """Iterations after which an episode can no longer be drawn; none means any age."""
    max_lag: Annotated[int | None, Range(0)] = None
    """Updates by which the weights that sampled any turn of an episode may lie behind; none means any number."""
    runs: tuple[str, ...] = ()
    """Folders of earlier runs of the same suite and tokenizer, or of recordings, that are replayed too. They are only
    read."""
    runs_share: Annotated[float, SHARE] = 0.5
    """The share of each draw that comes from earlier runs."""
    hindsight: HindsightConfig | None = None
    """Learn from failed episodes as successes at goals that they did reach (HER); none turns it off."""


@dataclass(frozen=True)
class UniformBuffer(_Buffer):
    """All entries are drawn alike."""

    kind: Literal["uniform"] = "uniform"
    """How entries are drawn."""


@dataclass(frozen=True)
class PrioritisedBuffer(_Buffer):
    """Entries are drawn by how much they surprised, or by what they returned."""

    kind: Literal["prioritised"] = "prioritised"
    """How entries are drawn."""
    priority: PriorityConfig = field(default_factory=PriorityConfig)
    """How priorities become probabilities."""


@dataclass(frozen=True)
class ReturnWeightedBuffer(_Buffer):
    """Entries are drawn by exp(return / temperature)."""

    kind: Literal["return_weighted"] = "return_weighted"
    """How entries are drawn."""
    temperature: Annotated[float, Range(0.01)] = 0.1
    """A low temperature is greedy, a high one uniform."""


BufferOptions = UniformBuffer | PrioritisedBuffer | ReturnWeightedBuffer
"""How a critic of turns draws from its replay buffer; the first is the default."""


# For learning from stored runs alone.


@dataclass(frozen=True)
class StoredRuns(Memory):
    """The stored runs that are learnt from; all their episodes are drawn alike."""

    kind = "uniform"
    runs: tuple[str, ...] = ()
    """Folders of runs of the same suite and tokenizer, or of recordings. They are only read."""
    capacity: Annotated[int | None, Range(1)] = None
    """Most turns of each run that can be drawn. The oldest episodes go first, whole. None means all."""


@dataclass(frozen=True)
class _StoredBuffer(Memory):
    """The options that the replay buffers of a critic share if nothing is collected."""

    unit: Unit = "turn"
    """What is drawn: turns, or whole episodes."""
    runs: tuple[str, ...] = ()
    """Folders of runs of the same suite and tokenizer, or of recordings. They are only read."""
    capacity: Annotated[int | None, Range(1)] = None
    """Most turns of each run that can be drawn. The oldest episodes go first, whole. None means all."""


@dataclass(frozen=True)
class StoredUniform(_StoredBuffer):
    """All entries are drawn alike."""

    kind: Literal["uniform"] = "uniform"
    """How entries are drawn."""


@dataclass(frozen=True)
class StoredPrioritised(_StoredBuffer):
    """Entries are drawn by how much they surprised, or by what they returned."""

    kind: Literal["prioritised"] = "prioritised"
    """How entries are drawn."""
    priority: PriorityConfig = field(default_factory=PriorityConfig)
    """How priorities become probabilities."""


@dataclass(frozen=True)
class StoredReturnWeighted(_StoredBuffer):
    """Entries are drawn by exp(return / temperature)."""

    kind: Literal["return_weighted"] = "return_weighted"
    """How entries are drawn."""
    temperature: Annotated[float, Range(0.01)] = 0.1
    """A low temperature is greedy, a high one uniform."""


StoredBufferOptions = StoredUniform | StoredPrioritised | StoredReturnWeighted
"""How a critic of turns draws from stored runs; the first is the default."""
