"""A snapshot that nobody asked for by name: forks stand on it, and it goes with the last of them.

What a snapshot holds is its provider's.
"""

from __future__ import annotations

import threading

from agentgym.sandbox.base import Snapshot
from agentgym.sandbox.leasing.workspace import remove_tree


class SharedSnapshot:
    """A snapshot that goes with the last of the sandboxes that stand on it: forks, and forks of those.

    Args:
        snapshot: Nobody else's.
        below: What it stands on itself.
    """

    def __init__(self, snapshot: Snapshot, below: SharedSnapshot | None) -> None:
        self.snapshot = snapshot
        self._below = below.enter() if below is not None else None
        self._num_users = 0
        self._lock = threading.Lock()

    def enter(self) -> SharedSnapshot:
        """Stand on it; it stays at least until as many have left."""
        with self._lock:
            self._num_users += 1
        return self

    def leave(self) -> None:
        """Stand on it no more."""
        with self._lock:
            self._num_users -= 1
        self.remove_unused()

    def remove_unused(self) -> None:
        """Remove it where nobody stands on it."""
        with self._lock:
            if self._num_users > 0:
                return
        remove_tree(self.snapshot.path)
        if self._below is not None:
            self._below.leave()
