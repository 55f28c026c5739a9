"""The pools that all parts of a process share, by name; each is made on first use and closed at the end.

The user decides what a name stands for.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from agentgym.leasing.pool import Pool

APool = TypeVar("APool", bound=Pool[Any, Any])


class SharedPools(Generic[APool]):
    """Pools by name; a forked child makes its own.

    Args:
        make: Makes the pool for a name.
    """

    def __init__(self, make: Callable[[str], APool]) -> None:
        self._make = make
        self._pools: dict[tuple[int, str], APool] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> APool:
        """The pool of a name."""
        with self._lock:
            key = (os.getpid(), name)
            if key not in self._pools:
                self._pools[key] = self._make(name)
                atexit.register(self._pools[key].close)
            return self._pools[key]

    def close(self) -> None:
        """Close the pools of this process; the next use makes new ones."""
        with self._lock:
            closing = [self._pools.pop(key) for key in list(self._pools) if key[0] == os.getpid()]
        for pool in closing:
            atexit.unregister(pool.close)
            pool.close()
