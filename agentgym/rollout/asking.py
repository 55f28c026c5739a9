"""Threads in which policies are asked, apart from those of environment calls.

Calls of environments, and how any call is reported, are in `agentgym.rollout.step_pool`.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue

from agentgym.rollout.step_pool import Call


class AskingThreads:
    """Carries out calls in at most `max_threads` threads, started as they are needed.

    Unlike those of `concurrent.futures`, these do not keep the process alive: a server that does not answer must not
    hold up whoever interrupts a run.

    Args:
        max_threads: Most calls at once.
        run: Carries out a call and reports it.
    """

    def __init__(self, max_threads: int, run: Callable[[Call], None]) -> None:
        self._max_threads, self._run = max_threads, run
        self._waiting: SimpleQueue[Call | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def submit(self, call: Call) -> None:
        """Queue a call."""
        if len(self._threads) < self._max_threads:
            self._threads.append(threading.Thread(target=self._work, name="agentgym-policy", daemon=True))
            self._threads[-1].start()
        self._waiting.put(call)

    def close(self, patience_s: float | None) -> None:
        """End the threads; those at work end when their calls return.

        Args:
            patience_s: How long to wait for them; None: until all have ended.
        """
        with contextlib.suppress(Empty):  # calls that no thread has taken up
            while True:
                self._waiting.get_nowait()
        for _ in self._threads:
            self._waiting.put(None)
        deadline = None if patience_s is None else time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        self._threads.clear()

    def _work(self) -> None:
        while (call := self._waiting.get()) is not None:
            self._run(call)
