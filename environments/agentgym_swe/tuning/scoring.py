"""The score: a cost of counters as shares of those of the start, between the start and a reference. No clock is in it.

Counters are measured in `measuring` or recorded in `surface`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from agentgym_swe.tuning.servers.load import COUNTERS, Counter, Load

FLOOR = 0.15
"""Share of the way from the start to the reference that earns nothing: chance reaches that far."""
SUCCESS = 0.75
MOST = 3.0
"""The largest share that a counter is given."""
Counts = Mapping[Counter, float]
Weights = Mapping[Counter, float]


def per_operation(load: Load, raw: Mapping[str, Any]) -> dict[Counter, float]:
    """The counters of a load as they are compared.

    Args:
        load: The load.
        raw: What the program in the sandbox counted.
    """
    hits = raw.get("hits")
    found: dict[Counter, float] = {
        "cpu": raw["cpu_s"] * 1e6 / load.operations,
        "syncs": raw["syncs"] / load.operations,
        "bytes": raw["bytes"] / load.operations,
        "sent": raw.get("sent", 0) / load.operations,
        "memory": raw["memory"] / 2**20,
        "misses": 0.0 if hits is None else 1 - hits,
    }
    return {name: found[name] for name in load.counts}


def shares(counts: Counts, start: Counts) -> dict[Counter, float]:
    """Each counter as a share of what it was at the start."""
    return {name: (counts[name] + COUNTERS[name][1]) / (start[name] + COUNTERS[name][1]) for name in counts}


def median_shares(rounds: Sequence[tuple[Counts, Counts]]) -> dict[Counter, float]:
    """The median share of each counter over rounds of start and candidate."""
    each = [shares(counts, start) for start, counts in rounds]
    return {name: median(one[name] for one in each) for name in each[0]}


def cost(found: Mapping[Counter, float], weights: Weights) -> float:
    """The weighted mean of shares; 1 is the start.

    Args:
        found: Shares of the start's counters.
        weights: Of each counter; they add up to 1.
    """
    return sum(weight * min(MOST, found[name]) for name, weight in weights.items())


def score(reached: float, reference: float) -> float:
    """Where a cost lies between the start and the reference, in [0, 1]; the first part of the way earns nothing.

    Args:
        reached: The cost.
        reference: That of the reference, below 1.
    """
    share = (1 - reached) / (1 - reference)
    return round(min(1.0, max(0.0, (share - FLOOR) / (1 - FLOOR))), 6)
