"""What a pool may use up at once, in any number of named units.

`stock` decides what is started and evicted for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.errors import ConfigError


class Capacity:
    """Room that resources take and give back.

    Args:
        limits: The most that may be taken, by unit; each is positive. A unit that is not named has no limit.
    """

    def __init__(self, limits: Mapping[str, float]) -> None:
        wrong = {unit: limit for unit, limit in limits.items() if limit <= 0}
        if wrong:
            raise ConfigError(f"the limits of a pool must be positive: got {wrong}")
        self.limits = dict(limits)
        self._taken = dict.fromkeys(limits, 0.0)

    def __str__(self) -> str:
        return amounts(self.limits)

    def has_room(self, cost: Mapping[str, float]) -> bool:
        """Whether there is room for this now."""
        return all(self._taken[unit] + cost.get(unit, 0.0) <= limit for unit, limit in self.limits.items())

    def count(self, cost: Mapping[str, float]) -> int | None:
        """How many resources of this cost fit at once; None if no limit concerns them."""
        numbers = [limit / cost[unit] for unit, limit in self.limits.items() if cost.get(unit)]
        return int(min(numbers)) if numbers else None

    def take(self, cost: Mapping[str, float]) -> None:
        """Take room for a resource; the caller has checked that there is room."""
        self._add(cost, 1)

    def give_back(self, cost: Mapping[str, float]) -> None:
        """Give back what a resource took."""
        self._add(cost, -1)

    def _add(self, cost: Mapping[str, float], sign: int) -> None:
        for unit in self._taken:
            self._taken[unit] += sign * cost.get(unit, 0.0)


def amounts(quantities: Mapping[str, float]) -> str:
    """Quantities as text, such as "1.0 CPUs and 512 MiB"."""
    return " and ".join(f"{amount} {unit}" for unit, amount in quantities.items()) or "no limits"
