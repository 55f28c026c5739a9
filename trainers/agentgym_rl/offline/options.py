"""What an offline run is told: the table `[algorithm.offline]`; its data are the runs of `[algorithm.replay]`.

Not here: which options apply to what (agentgym_rl/hierarchical/rules.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from agentgym.errors import ConfigError
from agentgym_rl.hierarchical.a_lol import AlolConfig
from agentgym_rl.hierarchical.ilql import IlqlConfig
from agentgym_rl.hierarchical.step_preference import PreferenceConfig

OfflineMethod = Literal["cloning", "monte_carlo", "ilql", "a_lol", "step_preference", "actor_critic"]
STEERED = ("monte_carlo", "ilql")
"""Methods whose policy is steered by a critic over the vocabulary."""


@dataclass(frozen=True)
class OfflineOptions:
    """How learning from stored runs goes."""

    method: OfflineMethod = "cloning"
    """cloning: of whole episodes, all or the best; monte_carlo, ilql: of all, and a critic over the vocabulary that
    steers the clone; a_lol: of the messages that beat the starting policy; step_preference: an expert's message is
    preferred to the policy's own in the same state; actor_critic: a critic of turns, and cloning by its advantages."""
    updates: int = 20
    """Updates an iteration; those of actor_critic are in `[algorithm.critic]` and `[algorithm.actor]`."""
    batch: int = 32
    """Episodes drawn for each update, uniformly with replacement."""
    quantile: float = 0.0
    """cloning, step_preference: learn only from episodes whose return reaches this quantile of all; 0 learns from all.
    Where the lowest return reaches it, those that return more."""
    discount: float = 0.99
    """monte_carlo, ilql: gamma a sampled token; a_lol: a turn."""
    strength: float = 4.0
    """monte_carlo, ilql: beta, by which Q tilts the logits of the clone."""
    width: int = 256
    """monte_carlo, ilql, a_lol: units of the hidden layers of each head."""
    polyak: float = 0.005
    """ilql: share of the way that the copy of Q goes after each update."""
    ilql: IlqlConfig = field(default_factory=IlqlConfig)
    """monte_carlo, ilql: weights of the critic's loss."""
    warmup: int = 2
    """a_lol: first iterations in which V of the starting policy is fitted alone."""
    value_learning_rate: float = 1e-3
    """a_lol: of V."""
    a_lol: AlolConfig = field(default_factory=AlolConfig)
    """a_lol: the ratio to the starting policy."""
    preference: PreferenceConfig = field(default_factory=PreferenceConfig)
    """step_preference: how far the policy may leave the starting one."""

    def __post_init__(self) -> None:
        if self.method not in get_args(OfflineMethod):
            raise ConfigError(
                f"offline.method is {self.method!r}; expected one of {', '.join(get_args(OfflineMethod))}"
            )
        if self.updates < 1 or self.batch < 1 or self.width < 1 or not 0 <= self.quantile < 1:
            raise ConfigError(
                f"offline.updates is {self.updates}, offline.batch {self.batch}, offline.width {self.width}, "
                f"offline.quantile {self.quantile}; expected at least 1 each, and at least 0 but less than 1"
            )
        if self.warmup < 0 or self.value_learning_rate <= 0:
            raise ConfigError(
                f"offline.warmup is {self.warmup}, offline.value_learning_rate {self.value_learning_rate}; expected at "
                "least 0, and more than 0"
            )
        if not 0 <= self.discount <= 1 or self.strength < 0 or not 0 < self.polyak <= 1:
            raise ConfigError(
                f"offline.discount is {self.discount}, offline.strength {self.strength}, offline.polyak {self.polyak}; "
                "expected 0 to 1, at least 0, and above 0 to 1"
            )

    @property
    def is_compared(self) -> bool:
        """Whether the policy is compared with itself at the start of the run."""
        return self.method in ("a_lol", "step_preference")

    @property
    def is_steered(self) -> bool:
        """Whether the policy is steered by a critic over the vocabulary."""
        return self.method in STEERED
