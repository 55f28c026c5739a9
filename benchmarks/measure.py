"""What every benchmark measures with: interleaved repeats, medians with their range, the machine and versions.

What is compared with what, and which goals are set, is said by each benchmark.
"""

from __future__ import annotations

import gc
import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

_GIB = 1 << 30
_TICKS = os.sysconf("SC_CLK_TCK")
Figure = TypeVar("Figure")


@dataclass(frozen=True)
class Spread:
    """Repeats of one figure.

    Attributes:
        median: Of the repeats.
        low: Smallest repeat.
        high: Largest repeat.
        repeats: How many there were.
    """

    median: float
    low: float
    high: float
    repeats: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values), len(values))

    def to_json(self, digits: int = 4) -> dict[str, float]:
        """A JSON object, figures rounded to so many significant digits."""
        numbers = {"median": self.median, "low": self.low, "high": self.high}
        return {name: significant(number, digits) for name, number in numbers.items()} | {"repeats": self.repeats}


def significant(number: float, digits: int = 4) -> float:
    """A number rounded to significant digits."""
    return float(f"{number:.{digits}g}")


def interleaved(sides: Mapping[str, Callable[[], Figure]], repeats: int) -> dict[str, list[Figure]]:
    """Run every side once in each round, so that drift of the machine hits all alike.

    Args:
        sides: Makes one measurement of each side. The garbage of one side is collected before the next one runs.
        repeats: Rounds.

    Returns:
        The measurements of each side, in order of rounds.
    """
    figures: dict[str, list[Figure]] = {name: [] for name in sides}
    names = list(sides)
    for each in range(repeats):
        for name in names if each % 2 == 0 else reversed(names):
            gc.collect()
            figures[name].append(sides[name]())
    return figures


def ratios(ours: Sequence[float], peers: Sequence[float]) -> Spread:
    """Spread of the ratio ours / peers within each round."""
    return Spread.of([mine / theirs for mine, theirs in zip(ours, peers, strict=True)])


def machine() -> dict[str, object]:
    """What the figures were taken on: processor, cores, memory, Python and system; no names of hosts."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GIB, 1),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "omp_num_threads": os.environ.get("OMP_NUM_THREADS", "unset"),
        "load_1min_at_start": round(os.getloadavg()[0], 1),
    }


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Installed versions of distributions; "absent" where one is not installed."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def resident_bytes() -> int:
    """Resident memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"


def cpu_seconds() -> float:
    """Processor time of this process and of all that it started, so far.

    Sandboxes of bubblewrap are included. Containers are no children of this process, so their time is not seen. What a
    sandbox took is lost when it is killed; `benchmarks.swe.spent` keeps it.
    """
    return tree_seconds(os.getpid())


def tree_seconds(top: int) -> float:
    """Processor time of a process and of the live ones below it, each with what it waited for; 0 where it is gone."""
    children: dict[int, list[int]] = {}
    spent: dict[int, float] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        spent[int(name)] = sum(map(int, fields[11:15])) / _TICKS
    waiting, total = [top], 0.0
    while waiting:
        each = waiting.pop()
        total += spent.get(each, 0.0)
        waiting += children.get(each, ())
    return total
