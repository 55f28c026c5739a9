"""What episodes cost: sums of counters in `usage`, and those of tries that broke and were played again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agentgym.trajectory import OF_PARTNERS, OF_RETRIED, Trajectory

COSTS = ("prompt_tokens", "completion_tokens", "cost_usd", "cache_hits", "cache_misses", "redraws")
"""Counters that say what an episode cost."""


class Tries(NamedTuple):
    """Tries at a job that broke.

    Attributes:
        number: How many there were.
        costs: What they cost, as `retried_costs` names it; stands in the first record.
    """

    number: int
    costs: Mapping[str, float]


NO_TRIES = Tries(0, {})


def retried_costs(records: Sequence[Trajectory]) -> dict[str, float]:
    """What a try cost that is played again, by names for `usage`; earlier tries and partners included."""
    costs: dict[str, float] = {}
    for record in records:
        sampled = {"completion_tokens": float(record.num_action_tokens)} if record.num_action_tokens else {}
        usage = {"turns": float(len(record.turns)), **sampled, **record.usage}
        own = {name: usage[name] for name in ("turns", *COSTS) if name in usage}
        partners = {name: count for name, count in usage.items() if name.startswith(OF_PARTNERS)}
        add_counts(costs, {f"{OF_RETRIED}{name}": count for name, count in (own | partners).items()})
        add_counts(costs, {name: count for name, count in usage.items() if name.startswith(OF_RETRIED)})
    return costs


def add_counts(usage: dict[str, float], counts: Mapping[str, float]) -> None:
    """Add counters to those of a `usage`."""
    for name, count in counts.items():
        usage[name] = usage.get(name, 0.0) + count
