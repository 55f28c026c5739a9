"""What a process and the engine hold, such as sandboxes: looked at while episodes run, and compared in the end."""

from __future__ import annotations

import ctypes
import gc
import os
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.leasing.mounts import mounts_below
from benchmarks.measure import resident_bytes
from benchmarks.report import Goal

LEFT_OVER = ("descriptors", "threads", "containers", "mounts", "folders")
"""What may not grow over a run."""


@dataclass(frozen=True)
class Holdings:
    """What this process holds at one moment.

    Resident memory is taken after the allocator gave free pages back: threads that come and go leave arenas with holes.
    """

    resident_mb: float
    descriptors: int
    threads: int
    containers: int
    mounts: int
    folders: int

    @classmethod
    def now(cls, provider: DockerProvider) -> Holdings:
        """What is held now; of sandboxes, those of a provider's owner."""
        labels = [f"{name}={value}" for name, value in provider.owner.labels().items()]
        sandboxes = provider.owner.folder / "sandboxes"
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        return cls(
            resident_bytes() / 1e6,
            len(os.listdir("/proc/self/fd")),
            threading.active_count(),
            len(provider.host.client.api.containers(all=True, filters={"label": labels})),
            len(mounts_below(provider.owner.folder)),
            len(os.listdir(sandboxes)) if sandboxes.exists() else 0,
        )


def at_rest(provider: DockerProvider) -> Holdings:
    """Holdings while no call is under way, without idle connections to the engine."""
    provider.host.client.api.close()
    return Holdings.now(provider)


def settled(provider: DockerProvider, expected: Holdings, timeout_s: float = 60.0) -> Holdings:
    """Holdings once nothing is on its way out any more: hung calls' threads and descriptors end when the calls do."""
    deadline = time.monotonic() + timeout_s
    while True:
        found = at_rest(provider)
        is_more = (getattr(found, name) > getattr(expected, name) for name in ("threads", "descriptors", "containers"))
        if not any(is_more) or time.monotonic() > deadline:
            return found
        time.sleep(0.2)


def growth(samples: Sequence[Holdings], name: str) -> float:
    """Median of the second half over that of the first, the first tenth left out."""
    values = [float(getattr(sample, name)) for sample in samples[len(samples) // 10 :]]
    half = len(values) // 2
    return statistics.median(values[half:]) / statistics.median(values[:half])


def goals_of(before: Holdings, after: Holdings, samples: Sequence[Holdings]) -> list[Goal]:
    """The goals of a soak: nothing is left over, and nothing grows from the first half of the samples to the second.

    Args:
        before: Before the first episode.
        after: After the last one.
        samples: Under way; where there are none, growth is no goal.
    """
    goals = []
    if samples:
        for name, most in (("resident_mb", 1.05), ("descriptors", 1.1), ("threads", 1.1), ("containers", 1.1)):
            goals.append(Goal(f"{name}, second half / first", growth(samples, name), most, "at most"))
    left = {name: getattr(after, name) - getattr(before, name) for name in LEFT_OVER}
    return [*goals, *(Goal(f"{name} left over", number, 0, "at most") for name, number in left.items())]
