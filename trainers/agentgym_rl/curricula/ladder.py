"""A ladder: rungs that are climbed one by one as the success over recent groups passes a threshold.

What a rung means is the affair of its user: a level of difficulty, or how far back an episode starts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any


class Ladder:
    """Counts success on the present rung; results of groups that began on an earlier rung do not count.

    Args:
        rungs: Their number.
        raise_above: Mean success over the window at which the next rung is climbed.
        window: Groups that are looked at.
    """

    def __init__(self, rungs: int, raise_above: float, window: int) -> None:
        self.rungs, self.raise_above = rungs, raise_above
        self.rung = 0
        self._recent: deque[float] = deque(maxlen=window)

    @property
    def success(self) -> float:
        """Mean success of the present rung's last groups; 0 before the first."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def record(self, rung: int, success: float | None) -> None:
        """Take up a group; climbs where the window is full and good enough."""
        if rung != self.rung or success is None:
            return
        self._recent.append(success)
        is_full = len(self._recent) == self._recent.maxlen
        if is_full and self.success >= self.raise_above and self.rung < self.rungs - 1:
            self.rung += 1
            self._recent.clear()

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {"rung": self.rung, "recent": list(self._recent)}

    def restore(self, fields: Mapping[str, Any]) -> None:
        """The inverse of `to_json`."""
        self.rung = fields["rung"]
        self._recent = deque(fields["recent"], self._recent.maxlen)
