from __future__ import annotations

import threading
import time

from agentgym.rollout.asking import AskingThreads
from agentgym.rollout.step_pool import Call, StepPool


def waiting(release: threading.Event) -> Call:
    return Call(release.wait, lambda call: None)


def test_calls_are_carried_out_at_once_up_to_the_number_of_threads() -> None:
    pool, release = StepPool(1), threading.Event()
    threads = AskingThreads(2, pool.run)
    calls = [waiting(release) for _ in range(3)]
    for call in calls:
        pool.expect(call)
        threads.submit(call)
    while not (calls[0].started and calls[1].started):
        time.sleep(0.001)
    assert pool.next(0.1) is None
    assert [call.started > 0 for call in calls] == [True, True, False]
    release.set()
    assert {id(pool.next()) for _ in calls} == {id(call) for call in calls}
    threads.close(None)
    pool.close()


def test_closing_waits_as_long_as_it_is_told_and_drops_what_has_not_begun() -> None:
    pool, release = StepPool(1), threading.Event()
    threads = AskingThreads(1, pool.run)
    first, second = waiting(release), waiting(release)
    threads.submit(first)
    while not first.started:
        time.sleep(0.001)
    threads.submit(second)
    began = time.monotonic()
    threads.close(0.1)
    assert time.monotonic() - began >= 0.1
    assert not first.is_finished
    release.set()
    while not first.is_finished:
        time.sleep(0.001)
    assert not second.started
