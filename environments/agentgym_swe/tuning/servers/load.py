"""What a load is: what is done to a server, what it may not lose or let in, and what counts.

The loads are in `loads_redis`, `loads_nginx` and `loads_postgres`; what carries them out is in `inside`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agentgym_swe.tuning.servers.option import Config, Server, Value

Durability = Literal["", "process", "power"]
Counter = Literal["cpu", "syncs", "bytes", "sent", "memory", "misses"]
COUNTERS: Mapping[Counter, tuple[str, float]] = {
    "cpu": ("µs of CPU an operation", 1.0),
    "syncs": ("syncs to disk an operation", 0.002),
    "bytes": ("bytes written to files an operation", 20.0),
    "sent": ("bytes sent an operation", 20.0),
    "memory": ("MB of memory", 0.2),
    "misses": ("share of look-ups that missed", 0.02),
}
"""Each with its unit, and what is added to both sides of its ratio, so that next to nothing counts as nothing."""


@dataclass(frozen=True)
class Load:
    """A kind of load on one server.

    Attributes:
        name: Its name.
        server: The server.
        text: What it is, for the agent.
        phases: What is done, in order; see `inside`.
        operations: How many operations that is.
        counts: Which counters matter.
        levels: Options that change its counters, each with the levels that are recorded in all combinations.
        start: What its operator had set, beyond the server's defaults.
        durability: The strongest need that a task may declare: acknowledged writes outlive the killed process, or a
            power cut; "" for none.
        is_secure: Whether tasks may need that strangers get nothing.
        keeps: Whether nothing may be evicted.
        files: For nginx, names and bytes of the site's files.
    """

    name: str
    server: Server
    text: str
    phases: tuple[Mapping[str, Any], ...]
    operations: int
    counts: tuple[Counter, ...]
    levels: Mapping[str, tuple[Value, ...]]
    start: Config = field(default_factory=dict)
    durability: Durability = ""
    is_secure: bool = False
    keeps: bool = False
    files: tuple[tuple[str, int], ...] = ()

    def work(self, seed: int) -> dict[str, Any]:
        """What the program in the sandbox is told.

        Args:
            seed: Of what is drawn: keys, contents, rows.
        """
        return {
            "seed": seed % 2**31,
            "phases": [dict(phase) for phase in self.phases],
            "files": [list(file) for file in self.files],
            "keeps": self.keeps,
        }
