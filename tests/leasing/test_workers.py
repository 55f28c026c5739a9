"""Threads that work for a pool."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from agentgym.leasing.workers import PoolWorkers

_LONG_S = 60.0


@pytest.fixture
def workers() -> Iterator[PoolWorkers]:
    made = PoolWorkers(4, lambda: None, name="test")
    yield made
    made.close()


def test_jobs_that_come_at_once_run_at_once_though_one_thread_is_idle(workers: PoolWorkers) -> None:
    workers.submit(lambda: None)
    deadline = time.monotonic() + _LONG_S
    while workers._num_idle == 0 and time.monotonic() < deadline:
        time.sleep(0.001)
    barrier, met = threading.Barrier(3), []

    def meet() -> None:
        try:
            met.append(barrier.wait(_LONG_S))
        except threading.BrokenBarrierError:
            met.append(-1)

    with workers._changed:  # the idle thread wakes up after the last of them has come
        for _ in range(3):
            workers.submit(meet, is_slow=True)
    while len(met) < 3 and time.monotonic() < deadline + _LONG_S:
        time.sleep(0.001)
    assert sorted(met) == [0, 1, 2]
