"""The statistics of a pool: counts, hit rate, latencies.

`pool` and `stock` do the counting.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

_KEPT = 10_000


@dataclass(frozen=True)
class Latency:
    """Median and 95th percentile of the last ten thousand of a kind, in seconds; None without any."""

    p50_s: float | None
    p95_s: float | None


@dataclass(frozen=True)
class PoolStats:
    """A pool at one moment.

    Attributes:
        ready: Clean resources that wait for a lease.
        leased: Resources that are lent.
        busy: Resources that are being started, reset or closed.
        leases: Leases so far.
        hits: Leases that found a resource ready.
        started: Resources made.
        resets: Resources that were clean after a reset, by method.
        quarantined: Resources that were not clean after a reset; they were closed.
        lost: Resources that were found dead.
        expired: Leases that outlasted their time; their resources were closed.
        failed_starts: Resources that could not be made.
        lease: Time from asking for a resource to having it.
        reset: Time from return to ready.
    """

    ready: int
    leased: int
    busy: int
    leases: int
    hits: int
    started: int
    resets: dict[str, int]
    quarantined: int
    lost: int
    expired: int
    failed_starts: int
    lease: Latency
    reset: Latency

    @property
    def num_all(self) -> int:
        """Resources that exist or are being made."""
        return self.ready + self.leased + self.busy

    @property
    def hit_rate(self) -> float | None:
        """Share of the leases that found a resource ready; None before the first."""
        return self.hits / self.leases if self.leases else None


@dataclass
class PoolCounts:
    """The counters of one pool; changed under its lock."""

    leases: int = 0
    hits: int = 0
    started: int = 0
    quarantined: int = 0
    lost: int = 0
    expired: int = 0
    failed_starts: int = 0
    resets: dict[str, int] = field(default_factory=lambda: {"in_place": 0, "recreate": 0})
    lease_s: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT))
    reset_s: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def report(self, *, ready: int, leased: int, busy: int) -> PoolStats:
        """The counts, with the present state of the pool."""
        return PoolStats(
            ready=ready,
            leased=leased,
            busy=busy,
            leases=self.leases,
            hits=self.hits,
            started=self.started,
            resets=dict(self.resets),
            quarantined=self.quarantined,
            lost=self.lost,
            expired=self.expired,
            failed_starts=self.failed_starts,
            lease=_latency(self.lease_s),
            reset=_latency(self.reset_s),
        )


def _latency(seconds: Sequence[float]) -> Latency:
    ordered = sorted(seconds)
    if not ordered:
        return Latency(None, None)
    last = len(ordered) - 1
    return Latency(ordered[last // 2], ordered[round(0.95 * last)])
