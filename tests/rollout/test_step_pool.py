from __future__ import annotations

import threading
import time

import pytest

from agentgym.errors import InfrastructureError, StepTimeoutError
from agentgym.rollout.step_pool import Call, StepPool


def run(pool, *functions, timeout_s=60.0):
    for function in functions:
        pool.submit(Call(function, lambda call: None, timeout_s))
    return [pool.next() for _ in functions]


def test_calls_return_values_errors_and_times():
    pool = StepPool(2)

    def broken():
        raise OSError("no")

    calls = run(pool, lambda: 3, broken, lambda: time.sleep(0.02))
    pool.close()
    assert sorted(str(call.value) for call in calls) == ["3", "None", "None"]
    assert [str(call.error) for call in calls if call.error] == ["no"]
    assert max(call.seconds for call in calls) >= 0.02
    assert pool.num_pending == 0


def test_no_more_threads_than_allowed_are_at_work():
    pool, lock = StepPool(3), threading.Lock()
    now, most = [0], [0]

    def counted():
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.01)
        with lock:
            now[0] -= 1

    run(pool, *[counted] * 12)
    pool.close()
    assert most[0] == 3


def test_a_hung_call_is_reported_in_time_and_its_place_is_filled():
    pool, release = StepPool(1), threading.Event()
    late = []
    hung = Call(release.wait, lambda call: None, 0.1, on_late_return=lambda: late.append(1))
    pool.submit(hung)
    pool.submit(Call(lambda: "next", lambda call: None))
    first, second = pool.next(), pool.next()
    assert first is hung
    assert isinstance(first.error, StepTimeoutError)
    assert first.is_abandoned
    assert first.seconds >= 0.1
    assert (second.value, second.error) == ("next", None)
    assert pool.num_abandoned == 1
    release.set()
    while not late:
        time.sleep(0.01)
    pool.close()
    assert late == [1]
    assert first.value is None


def test_too_many_hung_calls_stop_the_pool():
    pool, release = StepPool(4, max_hung=1), threading.Event()
    for _ in range(3):
        pool.submit(Call(release.wait, lambda call: None, 0.05))
    with pytest.raises(InfrastructureError, match=r"2 environment calls hang at once.*interrupt\(\)"):
        [pool.next() for _ in range(3)]
    release.set()
    pool.close()


def test_next_comes_back_empty_handed_after_its_timeout():
    pool, release = StepPool(1), threading.Event()
    pool.submit(Call(release.wait, lambda call: None))
    began = time.monotonic()
    assert pool.next(0.05) is None
    assert time.monotonic() - began > 0.04
    release.set()
    assert pool.next(60.0) is not None
    pool.close()


def test_calls_of_another_executor_come_out_too():
    pool = StepPool(1)
    call = Call(lambda: 5, lambda call: None)
    pool.expect(call)
    assert pool.num_pending == 1
    threading.Thread(target=pool.run, args=(call,)).start()
    assert pool.next() is call
    assert call.value == 5
    pool.close()


def test_waiting_calls_do_not_run_out_of_time():
    pool, release = StepPool(1), threading.Event()
    pool.submit(Call(release.wait, lambda call: None))
    waiting = Call(lambda: "begun", lambda call: None, 0.5)
    pool.submit(waiting)
    assert pool.next(0.8) is None
    waiting.timeout_s = 60.0
    release.set()
    calls = [pool.next(), pool.next()]
    pool.close()
    assert [(call.value, call.error) for call in calls if call is waiting] == [("begun", None)]


def test_a_hung_call_is_reported_while_others_keep_coming():
    pool, release = StepPool(2), threading.Event()
    hung = Call(release.wait, lambda call: None, 0.1)
    pool.submit(hung)
    deadline = time.monotonic() + 60
    while not hung.is_abandoned and time.monotonic() < deadline:
        pool.submit(Call(lambda: time.sleep(0.001), lambda call: None))
        pool.next()
    release.set()
    pool.close()
    assert hung.is_abandoned


def test_a_call_that_ended_in_time_is_not_overdue_when_it_is_fetched_late():
    pool = StepPool(1)
    call = Call(lambda: "in time", lambda call: None, 0.1)
    pool.submit(call)
    while not call.is_finished:
        time.sleep(0.01)
    time.sleep(0.2)
    assert pool.next() is call
    pool.close()
    assert (call.value, call.error) == ("in time", None)


def test_dropped_calls_never_come_out_and_only_the_running_one_ends_late():
    pool, release, ran, late = StepPool(1), threading.Event(), [], []
    running = Call(release.wait, lambda call: None, on_late_return=lambda: late.append("running"))
    waiting = Call(lambda: ran.append(1), lambda call: None, on_late_return=lambda: late.append("waiting"))
    over = Call(lambda: None, lambda call: None)
    pool.expect(over)
    pool.run(over)
    pool.submit(running)
    pool.submit(waiting)
    while not running.started:
        time.sleep(0.001)
    assert [pool.drop(call) for call in (running, waiting, over)] == [True, False, False]
    assert pool.num_pending == 0
    last = Call(lambda: "last", lambda call: None)
    pool.submit(last)
    assert pool.next() is last
    release.set()
    pool.close()
    assert (ran, late) == ([], ["running"])


def test_a_signal_amid_the_start_of_a_thread_leaves_a_pool_that_closes(monkeypatch):
    def interrupted(thread):
        raise KeyboardInterrupt

    pool = StepPool(1)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(pool, lambda: None)
    pool.close()
