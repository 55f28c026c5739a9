"""Schedule: a weight that moves from one value to another over the iterations of a run, then stays.

Curricula of tasks and horizons are the trainer's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self

from agentgym.errors import ConfigError


@dataclass(frozen=True)
class Schedule:
    """A weight by iteration."""

    start: float = 0.1
    """Its value at iteration 0."""
    end: float = 0.0
    """Its value from `iterations` on."""
    iterations: int = 200
    """Number of iterations from start to end; with 0, the weight is `end` from the beginning."""
    shape: Literal["cosine", "linear"] = "cosine"
    """How the weight moves; cosine changes slowly at both ends."""

    def __post_init__(self) -> None:
        if self.iterations < 0:
            raise ConfigError(f"schedule.iterations must be at least 0: got {self.iterations}")
        if self.shape not in ("cosine", "linear"):
            raise ConfigError(f"schedule.shape is {self.shape!r}; expected 'cosine' or 'linear'")

    def at(self, iteration: int) -> float:
        """The weight at an iteration, counted from 0."""
        gone = 1.0 if iteration >= self.iterations else iteration / self.iterations
        left = 1.0 - gone if self.shape == "linear" else (1.0 + math.cos(math.pi * gone)) / 2.0
        return self.end + (self.start - self.end) * left

    def held(self, iteration: int) -> Self:
        """The weight of an iteration, for good."""
        weight = self.at(iteration)
        return type(self)(weight, weight, 0, self.shape)
