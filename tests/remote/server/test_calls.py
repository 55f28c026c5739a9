import asyncio
import threading
import time

import pytest

from agentgym.errors import StepTimeoutError
from agentgym.remote.server.calls import CallRunner, Pace, Seat
from tests.sandbox.holdings import Holdings
from tests.toys.env import ToyEnv


def in_loop(use, inline="auto", max_threads=2):
    """Run a coroutine function with a runner, and a way to wait for one call."""

    async def main():
        runner = CallRunner(inline, max_threads)
        runner.start(asyncio.get_running_loop())
        seat = Seat(ToyEnv)

        def call(function, timeout_s=60.0, kind="step", seat=seat):
            future = asyncio.get_running_loop().create_future()

            def then(value, error):
                future.set_result(value) if error is None else future.set_exception(error)

            runner.run(runner.pace(kind), function, timeout_s, seat, then)
            return future

        try:
            return await use(runner, call)
        finally:
            runner.close()

    return asyncio.run(main())


def test_calls_run_in_threads_until_they_proved_quick():
    async def use(runner, call):
        places = [await call(threading.get_ident) for _ in range(30)]
        return places[0] != threading.get_ident(), threading.get_ident() in places

    assert in_loop(use) == (True, True)


def test_slow_calls_stay_in_threads():
    async def use(runner, call):
        return [await call(lambda: (time.sleep(0.003), threading.get_ident())[1]) for _ in range(20)]

    assert threading.get_ident() not in in_loop(use)


@pytest.mark.parametrize(("inline", "is_here"), [("always", True), ("never", False)])
def test_declared_place_is_kept(inline, is_here):
    async def use(runner, call):
        places = {await call(threading.get_ident) for _ in range(20)}
        await call(lambda: time.sleep(0.02))
        places.add(await call(threading.get_ident))
        return places

    assert (in_loop(use, inline) == {threading.get_ident()}) is is_here


def test_quick_kind_that_gets_slow_goes_back_for_longer_each_time():
    pace = Pace(is_quick=False, is_fixed=False)
    counts = []
    for _ in range(3):
        count = 0
        while not pace.is_quick:
            pace.note_threaded(0.0001)
            count += 1
        counts.append(count)
        pace.note_inline(0.5)
    assert counts == [8, 32, 128]


def test_single_pauses_of_the_machine_are_forgiven():
    pace = Pace(is_quick=True, is_fixed=False)
    for number in range(5000):
        pace.note_inline(0.030 if number % 100 == 0 else 0.00002)
    assert pace.is_quick


def test_steady_calls_of_some_milliseconds_go_back_to_threads():
    pace = Pace(is_quick=True, is_fixed=False)
    for _ in range(30):
        pace.note_inline(0.003)
    assert not pace.is_quick


def test_kind_whose_best_call_is_slow_never_becomes_quick():
    pace = Pace(is_quick=False, is_fixed=False)
    for _ in range(100):
        pace.note_threaded(0.002)
    assert not pace.is_quick


def test_errors_reach_the_caller_from_both_places():
    async def use(runner, call):
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                await call(lambda: 1 / 0)

    in_loop(use, "never")
    in_loop(use, "always")


def test_hung_calls_do_not_stop_the_others():
    release = threading.Event()

    async def use(runner, call):
        hung = [call(release.wait, timeout_s=0.1) for _ in range(4)]
        results = await asyncio.gather(*hung, return_exceptions=True)
        assert all(isinstance(result, StepTimeoutError) for result in results)
        assert runner.num_hung == 4
        assert await call(lambda: "still works") == "still works"
        release.set()
        while runner.num_hung:
            await asyncio.sleep(0.01)

    in_loop(use, "never")


def test_environment_of_a_hung_call_is_closed_when_it_returns():
    closed, release = threading.Event(), threading.Event()

    class Closing(ToyEnv):
        def close(self):
            closed.set()

    async def use(runner, call):
        seat = Seat(Closing)
        env = seat.make()
        with pytest.raises(StepTimeoutError):
            await call(release.wait, timeout_s=0.1, seat=seat)
        assert env.is_interrupted
        assert not closed.is_set()
        release.set()
        await asyncio.to_thread(closed.wait, 60)

    in_loop(use, "never")
    assert closed.is_set()


@pytest.mark.parametrize("inline", ["never", "always"])
def test_an_environment_that_cannot_be_interrupted_does_not_stop_the_watch(inline):
    release = threading.Event()

    class Stubborn(ToyEnv):
        num_told = 0

        def interrupt(self):
            self.num_told += 1
            release.set()
            raise OSError("no such process")

    async def use(runner, call):
        seats = [Seat(Stubborn) for _ in range(2)]
        envs = [seat.make() for seat in seats]
        for seat in seats:
            release.clear()
            await asyncio.gather(call(lambda: release.wait(60), timeout_s=0.1, seat=seat), return_exceptions=True)
        assert [env.num_told for env in envs] == [1, 1]

    in_loop(use, inline)


def test_call_that_holds_up_the_event_loop_is_told_to_give_up():
    async def use(runner, call):
        seat = Seat(ToyEnv)
        env = seat.make()
        env.reset(seed=1)

        def wait():
            while not env.is_interrupted:
                time.sleep(0.01)
            return "gave up"

        pace = runner.pace("step")
        pace.is_quick = True
        assert await call(wait, timeout_s=0.1, seat=seat) == "gave up"
        return pace.is_quick

    assert in_loop(use) is False


def test_threads_are_as_many_as_needed_and_no_more():
    async def use(runner, call):
        before = Holdings()
        await asyncio.gather(*(call(lambda: time.sleep(0.05)) for _ in range(20)))
        return len(before.new_threads())

    assert 0 < in_loop(use, "never", max_threads=3) <= 3


def test_call_that_has_returned_is_not_overdue_though_the_loop_was_late():
    async def use(runner, call):
        begun = threading.Event()
        late = call(lambda: (begun.set(), time.sleep(0.1), "late")[2], timeout_s=0.05)
        begun.wait(60)  # the loop is busy elsewhere while the call ends and its time runs out
        while runner._running:
            time.sleep(0.001)
        runner._watch()
        assert await late == "late"
        assert (runner.num_hung, runner._num_threads) == (0, 1)

    in_loop(use, "never")


def test_hung_environment_is_closed_also_when_the_loop_has_ended():
    closed, release = threading.Event(), threading.Event()

    class Closing(ToyEnv):
        def close(self):
            closed.set()

    async def use(runner, call):
        seat = Seat(Closing)
        seat.make()
        with pytest.raises(StepTimeoutError):
            await call(release.wait, timeout_s=0.1, seat=seat)

    in_loop(use, "never")
    release.set()
    assert closed.wait(60)
