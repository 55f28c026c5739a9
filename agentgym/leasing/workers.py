"""Threads that work for a pool: quick work goes first, and slow work never takes all of them.

`stock` defines the work.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

_TIDY_S = 1.0
Job = Callable[[], None]


class PoolWorkers:
    """A few threads, which are started when there is work.

    Args:
        num_threads: At most this many.
        tidy: Called every second by a thread of its own.
        name: What the threads' names begin with.
    """

    def __init__(self, num_threads: int, tidy: Job, *, name: str) -> None:
        self._name = name
        self._max_threads = num_threads
        self._max_slow = max(1, num_threads - 1)
        self._quick: deque[Job] = deque()
        self._slow: deque[Job] = deque()
        self._num_slow = 0
        self._num_idle = 0
        self._changed = threading.Condition()
        self._is_closed = threading.Event()
        self._threads: list[threading.Thread] = []
        self._tidier = threading.Thread(target=self._tidy, args=(tidy,), name=f"{name}-tidy", daemon=True)
        self._tidier.start()

    def submit(self, job: Job, *, is_slow: bool = False) -> None:
        """Queue a job; jobs raise nothing."""
        with self._changed:
            (self._slow if is_slow else self._quick).append(job)
            num_queued = len(self._quick) + len(self._slow)  # an idle thread counts as such until it takes its job
            is_short = num_queued > self._num_idle and len(self._threads) < self._max_threads
            if is_short and not self._is_closed.is_set():  # else the worker that submits does it, or `close`
                thread = threading.Thread(target=self._work, name=f"{self._name}-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()

    def close(self) -> None:
        """Run all queued jobs, and those that they queue, and end the threads."""
        self._is_closed.set()
        with self._changed:
            self._changed.notify_all()
        for thread in [self._tidier, *self._threads]:
            if thread is not threading.current_thread():
                thread.join()
        leftover = [*self._quick, *self._slow]
        self._quick.clear()
        self._slow.clear()
        for job in leftover:
            job()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._quick and not (self._slow and self._num_slow < self._max_slow):
                    if self._is_closed.is_set() and not self._slow:
                        return
                    self._num_idle += 1
                    self._changed.wait()
                    self._num_idle -= 1
                is_slow = not self._quick
                job = self._slow.popleft() if is_slow else self._quick.popleft()
                self._num_slow += is_slow
            job()
            with self._changed:
                self._num_slow -= is_slow
                if is_slow or self._is_closed.is_set():
                    self._changed.notify_all()

    def _tidy(self, tidy: Job) -> None:
        while not self._is_closed.wait(_TIDY_S):
            tidy()
