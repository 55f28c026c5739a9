"""What of a run is learnt from again, and how it counts: the table `[algorithm.replay]`.

Which options apply to which kind is in `agentgym_rl.applicability`; what is made of them in `buffer`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

from agentgym.errors import ConfigError
from agentgym_rl.ratios import RatioLevel
from agentgym_rl.replay.covariance import CovarianceConfig
from agentgym_rl.replay.hindsight import HindsightConfig
from agentgym_rl.replay.imitation import ImitationConfig
from agentgym_rl.replay.index import Admitted, ReplayConfig, Unit
from agentgym_rl.replay.prioritised import PriorityConfig

ReplayKind = Literal["none", "successes", "imitation", "uniform", "prioritised", "return_weighted"]


@dataclass(frozen=True)
class ReplayOptions:
    """Replay of the run's own episodes, of earlier runs, and of failures at goals that they did reach."""

    kind: ReplayKind = "none"
    """none; successes: a stored success joins each group without any (ARPO); imitation: episodes better than usual, in
    a loss of their own (SPEAR); return_weighted: by exp(return / temperature); uniform; prioritised."""
    unit: Unit = "turn"
    """uniform, prioritised, return_weighted: what an actor-critic draws; learning from groups draws whole episodes."""
    capacity: int | None = None
    """Most turns that can be drawn; the oldest episodes go first, whole. Each earlier run has as many. None: 100,000 of
    this run, and all of earlier ones."""
    max_age: int | None = None
    """Iterations after which an episode can no longer be drawn; none: any age."""
    max_lag: int | None = None
    """Updates by which the weights that sampled any turn of an episode may lie behind; none: any number."""
    episodes: int = 32
    """imitation, return_weighted: episodes that are drawn an iteration."""
    coefficient: float = 1.0
    """imitation, return_weighted: weight of the replayed loss beside the fresh one, when the ramp has ended."""
    ramp: int = 0
    """Iterations over which that weight rises from 0 along half a cosine; 0 for none."""
    weight_level: RatioLevel = "token"
    """Unit that shares an importance weight w = min(pi_prox / pi_behaviour, max_weight): a token, or the product over a
    turn or an episode."""
    max_weight: float = 2.0
    """Where importance weights of replayed tokens are truncated."""
    per_task: int = 8
    """successes: most that are kept of a task; the oldest go first."""
    temperature: float = 0.1
    """return_weighted: low is greedy, high is uniform."""
    priority: PriorityConfig = field(default_factory=PriorityConfig)
    """prioritised: how priorities become probabilities."""
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    """imitation: what is better than usual."""
    covariance: CovarianceConfig = field(default_factory=CovarianceConfig)
    """imitation: replayed tokens that are left out because they would sharpen the policy most."""
    fresh_covariance: CovarianceConfig = field(default_factory=lambda: CovarianceConfig(0.02, 1.0, 40.0))
    """imitation: the same of fresh tokens."""
    runs: tuple[str, ...] = ()
    """Folders of earlier runs of the same suite and tokenizer, or of recordings, that are replayed too; only read."""
    runs_share: float = 0.5
    """Of each draw, the share that comes from earlier runs; successes take one only where this run has none."""
    hindsight: HindsightConfig | None = None
    """Failed episodes as successes at goals that they did reach (HER); none: off."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(ReplayKind):
            raise ConfigError(f"replay.kind is {self.kind!r}; expected one of {', '.join(get_args(ReplayKind))}")
        self.bounds()
        lowest = {"episodes": 1, "ramp": 0, "per_task": 1, "coefficient": 0.0, "temperature": 0.01}
        for name, bound in lowest.items():
            if not getattr(self, name) >= bound:
                raise ConfigError(f"replay.{name} is {getattr(self, name)}; expected at least {bound}")
        if not 0 < self.max_weight < math.inf:
            raise ConfigError(f"replay.max_weight is {self.max_weight}; expected a positive number")
        if not 0 <= self.runs_share <= 1:
            raise ConfigError(f"replay.runs_share is {self.runs_share}; expected a number in [0, 1]")
        if len(set(self.runs)) < len(self.runs):
            raise ConfigError(f"replay.runs names a run twice: {', '.join(self.runs)}; name each once")

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

    def weight_at(self, iteration: int) -> float:
        """Weight of the replayed loss: coefficient * (1 - cos(pi min(iteration / ramp, 1))) / 2; iterations from 0."""
        share = min(iteration / self.ramp, 1.0) if self.ramp else 1.0
        return self.coefficient * (1.0 - math.cos(math.pi * share)) / 2.0
