"""The pools that all parts of a process share, by name; each is made on first use and closed at the end.

The user decides what a name stands for.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

from agentgym.leasing.pool import Pool
from agentgym.stopping import last_work

APool = TypeVar("APool", bound=Pool[Any, Any])


class SharedPools(Generic[APool]):
    """Pools by name; a forked child makes its own.

    Args:
        make: Makes the pool for a name.
        left_to: Who ends what an interrupt at the end of the process leaves, as a notice says it.
    """

    def __init__(self, make: Callable[[str], APool], left_to: str = "nobody") -> None:
        self._make, self._left_to = make, left_to
        self._pools: dict[tuple[int, str], APool] = {}
        self._closing: dict[tuple[int, str], Callable[[], None]] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> APool:
        """The pool of a name."""
        with self._lock:
            key = (os.getpid(), name)
            if key not in self._pools:
                pool = self._pools[key] = self._make(name)
                self._closing[key] = atexit.register(partial(self._end, pool, key[0]))
            return self._pools[key]

    def close(self) -> None:
        """Close the pools of this process; the next use makes new ones."""
        with self._lock:
            keys = [key for key in self._pools if key[0] == os.getpid()]
            closing = [(self._pools.pop(key), self._closing.pop(key)) for key in keys]
        for pool, at_end in closing:
            atexit.unregister(at_end)
            pool.close()

    def _end(self, pool: APool, pid: int) -> None:
        """Close a pool at the end of its process."""
        if pid != os.getpid():
            return
        stats = pool.stats()
        noun = pool.maker.noun if stats.num_all == 1 else pool.maker.plural
        with last_work(f"ending {stats.num_all} {noun}; Ctrl-C leaves that to {self._left_to}"):
            pool.close()
