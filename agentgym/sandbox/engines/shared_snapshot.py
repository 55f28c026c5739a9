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
        snapshot: Nobody else's. Who makes the forks stands on it meanwhile, so that it goes once.
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
        """Stand on it no more; the last to leave removes it."""
        with self._lock:
            self._num_users -= 1
            if self._num_users > 0:
                return
        remove_tree(self.snapshot.path)
        if self._below is not None:
            self._below.leave()
