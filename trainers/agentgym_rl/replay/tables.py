"""The tables within `[algorithm.replay]`: hindsight, imitation, priorities, and the bounds of an index.

The kinds of replay that have them are in options.py. A configuration is read without torch, so this module does not
import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from agentgym.config import require_above_zero, require_at_least
from agentgym.errors import ConfigError

Unit = Literal["turn", "episode"]
"""What one entry is."""
Admitted = Literal["all", "sampled", "derived"]
"""Which episodes enter by where their tokens come from: sampled ones have behaviour log-probabilities."""
Strategy = Literal["final", "future"]
"""Which goals that an episode reached take the place of the one that it missed."""
PriorityKind = Literal["td_error", "advantage", "return"]
"""What priorities are made of."""


@dataclass(frozen=True)
class ReplayConfig:
    """The episodes that enter a replay buffer, and how long they stay."""

    capacity: int | None = 100_000
    """Most turns that are kept; the oldest episodes go first, whole; none: all."""
    max_age: int | None = None
    """Iterations after which an episode can no longer be drawn; none: any age."""
    max_lag: int | None = None
    """Updates by which the weights that sampled any turn of an episode may lie behind; none: any number."""
    admitted: Admitted = "all"
    """all; sampled: those with behaviour log-probabilities, which losses with a ratio need; derived: the others, such
    as hindsight."""

    def __post_init__(self) -> None:
        if self.capacity is not None and self.capacity < 1:
            raise ConfigError(f"replay.capacity is {self.capacity}; expected at least 1 turn")
        for name in ("max_age", "max_lag"):
            bound = getattr(self, name)
            if bound is not None and bound < 0:
                raise ConfigError(f"replay.{name} is {bound}; expected at least 0, or none")


@dataclass(frozen=True)
class HindsightConfig:
    """The goals that replace the missed goal."""

    strategy: Strategy = "final"
    """final: the goal that the episode had reached at its end; future: also goals that it had reached at turns before
    that."""
    goals: int = 4
    """With strategy future, most goals per episode, the final one among them."""

    def __post_init__(self) -> None:
        if self.strategy not in get_args(Strategy):
            raise ConfigError(f"hindsight.strategy is {self.strategy!r}; expected final or future")
        if self.goals < 1:
            raise ConfigError(f"hindsight.goals is {self.goals}; expected at least 1")


@dataclass(frozen=True)
class ClonedHindsight(HindsightConfig):
    """Hindsight for learning from groups, in which relabelled episodes have their own loss."""

    episodes: int = 32
    """Relabelled episodes that are drawn per iteration, new and old ones."""
    coefficient: float = 1.0
    """Weight of their loss, -log pi of their messages, beside the fresh one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, "hindsight", episodes=1)
        require_above_zero(self, "hindsight", "coefficient")


@dataclass(frozen=True)
class ImitationConfig:
    """The standard for past episodes."""

    history: int = 10240
    """Number of groups whose mean and deviation of returns are remembered."""
    is_scaled: bool = False
    """Divide recalibrated advantages by the median deviation of the groups whose returns differed."""

    def __post_init__(self) -> None:
        if self.history < 1:
            raise ConfigError(f"imitation.history is {self.history}; expected at least 1 group")


@dataclass(frozen=True)
class PriorityConfig:
    """How priorities become probabilities."""

    by: PriorityKind = "td_error"
    """The source of priorities: the size of the TD error or of the advantage, or the return above the lowest one."""
    alpha: float = 0.6
    """Exponent of priorities: 0 draws uniformly, 1 in proportion to them."""
    beta: float = 0.4
    """Exponent of the importance weights: 0 corrects nothing, 1 corrects fully."""
    floor: float = 1e-3
    """Added to every magnitude, so that nothing becomes unreachable."""

    def __post_init__(self) -> None:
        if self.by not in get_args(PriorityKind):
            raise ConfigError(f"replay priority is by {self.by!r}; expected one of {', '.join(get_args(PriorityKind))}")
        if not 0 <= self.alpha <= 1 or not 0 <= self.beta <= 1 or self.floor <= 0:
            raise ConfigError(
                f"replay priorities need alpha and beta in [0, 1] and floor > 0: got alpha {self.alpha}, beta "
                f"{self.beta}, floor {self.floor}"
            )
