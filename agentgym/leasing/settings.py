"""How many resources a pool keeps, how long leases last, and how resources are reset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentgym.errors import ConfigError


@dataclass(frozen=True)
class PoolSettings:
    """Settings of a pool of any kind of resource."""

    ready: int = 2
    """Number of clean resources kept for each recently used spec, not counting those that are lent."""
    reset: Literal["auto", "in_place", "recreate"] = "auto"
    """How a returned resource is reset: in place if its maker can; in place or not at all; or by making a new one."""
    lease_s: float | None = None
    """Longest lease; None takes the maker's limit for the spec."""
    wait_s: float = 600.0
    """Longest wait for room."""
    idle_s: float = 60.0
    """Unused time after which resources beyond `ready` are closed, and all of a spec without a lease in that time."""
    workers: int = 8
    """Threads that start, reset and close."""

    def __post_init__(self) -> None:
        if self.ready < 0 or self.workers < 1:
            raise ConfigError(f"a pool keeps ready >= 0 with workers >= 1: got {self.ready} and {self.workers}")
