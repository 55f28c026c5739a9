"""The tables within `[algorithm.replay]`: hindsight, imitation, priorities, and the bounds of an index.

The kinds of replay that have them are in options.py. A configuration is read without torch, so this module does not
import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from agentgym.errors import ConfigError
from agentgym.ranges import POSITIVE, SHARE, Range, Ranged

Unit = Literal["turn", "episode"]
"""What one entry is."""
Admitted = Literal["all", "sampled", "derived"]
"""Which episodes enter by where their tokens come from: sampled ones have behaviour log-probabilities."""
Strategy = Literal["final", "future"]
"""Which goals that an episode reached take the place of the one that it missed."""
PriorityKind = Literal["td_error", "advantage", "return"]
"""What priorities are made of."""


@dataclass(frozen=True)
class ReplayConfig(Ranged):
    """The episodes that enter a replay buffer, and how long they stay."""

    capacity: Annotated[int | None, Range(1)] = 100_000
    """Most turns that are kept; the oldest episodes go first, whole; none: all."""
    max_age: Annotated[int | None, Range(0)] = None
    """Iterations after which an episode can no longer be drawn; none: any age."""
    max_lag: Annotated[int | None, Range(0)] = None
    """Updates by which the weights that sampled any turn of an episode may lie behind; none: any number."""
    admitted: Admitted = "all"
    """all; sampled: those with behaviour log-probabilities, which losses with a ratio need; derived: the others, such
    as hindsight."""


@dataclass(frozen=True)
class HindsightConfig(Ranged):
    """The goals that replace the missed goal."""

    strategy: Strategy = "final"
    """final: the goal that the episode had reached at its end; future: also goals that it had reached at turns before
    that."""
    goals: Annotated[int, Range(1)] = 4
    """With strategy future, most goals per episode, the final one among them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strategy not in get_args(Strategy):
            raise ConfigError(f"hindsight.strategy is {self.strategy!r}; expected final or future")


@dataclass(frozen=True)
class ClonedHindsight(HindsightConfig):
    """Hindsight for learning from groups, in which relabelled episodes have their own loss."""

    episodes: Annotated[int, Range(1)] = 32
    """Relabelled episodes that are drawn per iteration, new and old ones."""
    coefficient: Annotated[float, POSITIVE] = 1.0
    """Weight of their loss, -log pi of their messages, beside the fresh one."""


@dataclass(frozen=True)
class ImitationConfig(Ranged):
    """The standard for past episodes."""

    history: Annotated[int, Range(1)] = 10240
    """Number of groups whose mean and deviation of returns are remembered."""
    is_scaled: bool = False
    """Divide recalibrated advantages by the median deviation of the groups whose returns differed."""


@dataclass(frozen=True)
class PriorityConfig(Ranged):
    """How priorities become probabilities."""

    by: PriorityKind = "td_error"
    """The source of priorities: the size of the TD error or of the advantage, or the return above the lowest one."""
    alpha: Annotated[float, SHARE] = 0.6
    """Exponent of priorities: 0 draws uniformly, 1 in proportion to them."""
    beta: Annotated[float, SHARE] = 0.4
    """Exponent of the importance weights: 0 corrects nothing, 1 corrects fully."""
    floor: Annotated[float, POSITIVE] = 1e-3
    """Added to every magnitude, so that nothing becomes unreachable."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by not in get_args(PriorityKind):
            raise ConfigError(f"replay priority is by {self.by!r}; expected one of {', '.join(get_args(PriorityKind))}")
