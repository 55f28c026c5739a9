"""Processor time of this process and of its sandboxes under bubblewrap, those that ended included.

The kernel tells a parent nothing of processes that go down with the namespace of a sandbox. So what a sandbox took is
read just before it is killed. Containers are no children of this process: their time is not seen.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agentgym.sandbox.engines.bubblewrap_process import BubblewrapProcess
from benchmarks.measure import tree_seconds


@contextmanager
def spent_seconds() -> Iterator[Callable[[], float]]:
    """Gives what tells the seconds so far: of this process and of sandboxes, as far as they end within the block."""
    ended, lock, kill = [0.0], threading.Lock(), BubblewrapProcess.kill

    def counted(self: BubblewrapProcess) -> None:
        if self._descriptor >= 0:  # it is killed for the first time
            with lock:
                ended[0] += tree_seconds(self._process.pid)
        kill(self)

    def so_far() -> float:
        times = os.times()
        with lock:
            waited_for = times.children_user + times.children_system  # of ended sandboxes a part, which `ended` has
            return tree_seconds(os.getpid()) - waited_for + ended[0]

    BubblewrapProcess.kill = counted  # type: ignore[method-assign]
    try:
        yield so_far
    finally:
        BubblewrapProcess.kill = kill  # type: ignore[method-assign]
