"""How many resources a pool keeps, how long leases last, and how resources come back; nothing about what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentgym.errors import ConfigError


@dataclass(frozen=True)
class PoolSettings:
    """How a pool works, whatever it lends."""

    ready: int = 2
    """Clean resources kept of each spec that was used lately, beside those that are out."""
    reset: Literal["auto", "in_place", "recreate"] = "auto"
    """How a returned resource comes back: in place where its maker can, in place or not at all, or made anew."""
    lease_s: float | None = None
    """Longest lease; None for what the maker says of the spec."""
    wait_s: float = 600.0
    """Longest wait for room."""
    idle_s: float = 60.0
    """After this long unused, resources beyond `ready` are closed, and all of a spec that nobody leased for as long."""
    workers: int = 8
    """Threads that start, reset and close."""

    def __post_init__(self) -> None:
        if self.ready < 0 or self.workers < 1:
            raise ConfigError(f"a pool keeps ready >= 0 with workers >= 1: got {self.ready} and {self.workers}")
