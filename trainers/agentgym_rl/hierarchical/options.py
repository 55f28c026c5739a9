"""What an actor-critic run is told: the tables `[algorithm.critic]` and `[algorithm.actor]`.

Not here: what is drawn from (agentgym_rl.replay.options), which options apply to what (agentgym_rl.applicability).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from agentgym.errors import ConfigError
from agentgym_rl.hierarchical.actor_losses import AwrConfig
from agentgym_rl.hierarchical.critic import CriticConfig
from agentgym_rl.hierarchical.critic_step import CriticStepConfig
from agentgym_rl.hierarchical.entropy_temperature import EntropyConfig
from agentgym_rl.importance import ImportanceConfig

ActorKind = Literal["resampled", "in_sample", "awr", "listed"]
_OF_TURNS = ("none", "seq_tis", "seq_mis")
"""Modes of importance weights that are the same for all tokens of a turn."""
COPY = "copy"
"""Tower that starts as a copy of the policy."""
FROZEN = "frozen"
"""No tower: the hidden states of the policy as it was at the start."""


@dataclass(frozen=True)
class CriticOptions:
    """The critic of turns: what it reads, and how it learns in each iteration."""

    updates: int = 4
    """Updates an iteration, before those of the actor."""
    batch: int = 32
    """Entries of the replay buffer (turns or episodes, by `replay.unit`) drawn for each update."""
    warmup: int = 0
    """First iterations in which the critic learns alone."""
    discount: float = 0.95
    """gamma a turn."""
    expectile: float = 0.9
    """Of Q over stored actions, which V becomes; under an actor of kind "resampled" V follows its new actions."""
    tower: str = ""
    """What the heads read: "" the policy's hidden states, detached, which move under them as it learns; "frozen" those
    of the policy at the start of the run; "copy" a copy of its model then, trained with the heads; else the folder of
    a Hugging Face model of the same vocabulary, likewise."""
    lora_rank: int = 0
    """Of a trained tower: rank of the adapters that are trained in its linear layers, in place of all its weights; 0:
    all of them."""
    network: CriticConfig = field(default_factory=CriticConfig)
    """Size, lag and range."""
    step: CriticStepConfig = field(default_factory=lambda: CriticStepConfig(learning_rate=1e-3))
    """Its optimiser; the policy has its own."""

    def __post_init__(self) -> None:
        if self.updates < 1 or self.batch < 1 or self.warmup < 0:
            raise ConfigError(
                f"critic.updates is {self.updates}, critic.batch {self.batch}, critic.warmup {self.warmup}; expected "
                "at least 1, 1 and 0"
            )
        if self.lora_rank < 0:
            raise ConfigError(f"critic.lora_rank is {self.lora_rank}; expected 0 for all weights, or a rank above it")
        if not 0 <= self.discount <= 1 or not 0 < self.expectile < 1:
            raise ConfigError(
                f"critic.discount is {self.discount}, critic.expectile {self.expectile}; expected 0 to 1, and a number "
                "between them"
            )


@dataclass(frozen=True)
class ActorOptions:
    """How the policy learns from the critic."""

    kind: ActorKind = "resampled"
    """resampled: new actions in stored states (ArCHer); in_sample: stored actions with truncated importance weights;
    awr: stored actions, cloned the more the better they are; listed: all actions that the environment lists, the policy
    being normalised over them (discrete soft actor-critic)."""
    updates: int = 1
    """Updates an iteration."""
    batch: int = 32
    """Entries of the replay buffer drawn for each update."""
    has_token_baseline: bool = False
    """resampled: subtract from the advantage what could be expected of it at each token, by a head of its own."""
    importance: ImportanceConfig = field(default_factory=lambda: ImportanceConfig("seq_tis"))
    """in_sample: weights of stored actions, a sequence of which is a turn; of V's targets too."""
    awr: AwrConfig = field(default_factory=AwrConfig)
    """awr: how advantages become weights."""
    entropy: EntropyConfig = field(default_factory=EntropyConfig)
    """listed: what entropy is worth."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(ActorKind):
            raise ConfigError(f"actor.kind is {self.kind!r}; expected one of {', '.join(get_args(ActorKind))}")
        if self.updates < 1 or self.batch < 1:
            raise ConfigError(f"actor.updates is {self.updates}, actor.batch {self.batch}; expected at least 1 of each")
        if self.importance.mode not in _OF_TURNS:
            raise ConfigError(
                f"actor.importance.mode is {self.importance.mode!r}, which weighs tokens; a critic of turns needs one "
                f"weight a turn: {', '.join(_OF_TURNS)}"
            )
