"""A bounded pool of threads for environment calls that may hang: a time limit each, abandoned workers replaced.

A thread cannot be killed: a call past its limit is reported at once, its environment is asked to give up, and its
thread ends by itself when the call returns.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from agentgym.errors import InfrastructureError, StepTimeoutError

_TICK_S = 0.05
_CLOSE_S = 1.0


@dataclass(slots=True, eq=False)
class Call:
    """One environment call.

    Attributes:
        function: What to run.
        then: What the caller does with it when it has finished, on the caller's thread.
        timeout_s: Wall time it may take once a thread has taken it up.
        on_late_return: Called in the thread of an abandoned call when it returns after all; frees what it used.
        started: Monotonic time of its start, 0.0 while it waits.
        thread_id: Of the thread that carries it out, as `threading.get_ident` gives it.
        seconds: How long it ran.
        value: What it returned.
        error: What it raised, or StepTimeoutError.
        is_finished: Whether it returned or raised before anybody gave it up.
        is_abandoned: Whether it was given up: it ran past its limit, or nobody wants it any more.
    """

    function: Callable[[], Any]
    then: Callable[[Call], None]
    timeout_s: float = float("inf")
    on_late_return: Callable[[], None] | None = None
    started: float = 0.0
    thread_id: int = 0
    seconds: float = 0.0
    value: Any = None
    error: BaseException | None = None
    is_finished: bool = False
    is_abandoned: bool = False


@dataclass
class StepPool:
    """Runs calls in at most `max_threads` threads that are not hung.

    Attributes:
        max_threads: Largest number of threads at work.
        max_hung: Largest number of abandoned threads; past it the pool refuses to go on.
        num_abandoned: Calls that ran past their limit so far.
    """

    max_threads: int
    max_hung: int = 256
    num_abandoned: int = 0
    _waiting: SimpleQueue[Call | None] = field(default_factory=SimpleQueue)
    _finished: SimpleQueue[Call] = field(default_factory=SimpleQueue)
    _pending: set[Call] = field(default_factory=set)
    _threads: int = 0
    _started: list[threading.Thread] = field(default_factory=list)
    _hung: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _next_check: float = 0.0

    def submit(self, call: Call) -> None:
        """Queue a call; a thread is started for it while fewer than `max_threads` are at work."""
        self._pending.add(call)
        if self._threads < min(self.max_threads, len(self._pending)):
            self._start_thread()
        self._waiting.put(call)

    def expect(self, call: Call) -> None:
        """Announce a call that another executor will carry out with `run`; it comes out of `next` like the others."""
        self._pending.add(call)

    def run(self, call: Call) -> None:
        """Carry out a call in this thread, unless it was dropped before."""
        with self._lock:
            if call.is_abandoned:
                return
            call.started, call.thread_id = time.monotonic(), threading.get_ident()
        value: Any = None
        error: BaseException | None = None
        try:
            value = call.function()
        except SystemExit as caught:  # it would end the process without a word
            error = RuntimeError(f"sys.exit({'' if caught.code is None else repr(caught.code)}) was called")
            error.__traceback__ = caught.__traceback__
        except BaseException as caught:  # noqa: BLE001 - a boundary: every failure is reported to the loop
            error = caught
        with self._lock:
            if not call.is_abandoned:
                call.seconds, call.value, call.error = time.monotonic() - call.started, value, error
                call.is_finished = True
        if not call.is_abandoned:
            self._finished.put(call)

    @property
    def num_pending(self) -> int:
        """Calls that were submitted and not yet returned by `next`."""
        return len(self._pending)

    def next(self, timeout_s: float | None = None) -> Call | None:
        """The next call that finished or ran past its limit; None when nothing came in time.

        Raises:
            InfrastructureError: More than `max_hung` calls hang at once.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            call = self._overdue()
            if call is None:
                wait = _TICK_S if deadline is None else max(0.0, min(_TICK_S, deadline - time.monotonic()))
                try:
                    call = self._finished.get(timeout=wait) if wait else self._finished.get_nowait()
                except Empty:
                    if deadline is not None and time.monotonic() >= deadline:
                        return None
                    continue
            if call in self._pending:
                self._pending.discard(call)
                return call

    def drop(self, call: Call) -> bool:
        """Give up a call that nobody wants any more; `next` never returns it.

        Returns:
            Whether it is running: then its `on_late_return` is called at its end. Else it will never run or is over,
            and the caller frees what it uses.
        """
        with self._lock:
            self._pending.discard(call)
            is_running = call.started > 0 and not call.is_finished and not call.is_abandoned
            if is_running:
                self._hung += 1
                self._threads -= 1
            call.is_abandoned = call.is_abandoned or not call.is_finished
        return is_running

    def close(self) -> None:
        """Let idle threads end and wait for them a moment; hung ones end when their calls return."""
        for _ in range(self._threads):
            self._waiting.put(None)
        # A thread that still runs while the interpreter goes down may abort the process.
        deadline = time.monotonic() + _CLOSE_S
        for thread in self._started:
            with contextlib.suppress(RuntimeError):  # a signal cut its start short; it ends at its None
                thread.join(max(0.0, deadline - time.monotonic()))
        self._started.clear()

    def _overdue(self) -> Call | None:
        now = time.monotonic()
        if now < self._next_check:
            return None
        for call in self._pending:
            if call.started and now - call.started > call.timeout_s and self._abandon(call, now):
                return call
        self._next_check = now + _TICK_S
        return None

    def _abandon(self, call: Call, now: float) -> bool:
        """Give up a call that runs; False where it is over by now."""
        with self._lock:
            if call.is_finished or call.is_abandoned:
                return False
            call.is_abandoned = True
            self._hung += 1
            self._threads -= 1
        self.num_abandoned += 1
        call.seconds = now - call.started
        call.error = StepTimeoutError(f"an environment call ran past its time limit of {call.timeout_s:g} s")
        if self._hung > self.max_hung:
            raise InfrastructureError(
                f"{self._hung} environment calls hang at once; the environment has to honour interrupt() or be hosted "
                f"in a process of its own"
            )
        self._start_thread()
        return True

    def _start_thread(self) -> None:
        with self._lock:
            self._threads += 1
        thread = threading.Thread(target=self._work, name="agentgym-env", daemon=True)
        self._started.append(thread)
        thread.start()

    def _work(self) -> None:
        while (call := self._waiting.get()) is not None:
            self.run(call)
            if call.is_abandoned and call.started:
                with self._lock:
                    self._hung -= 1
                if call.on_late_return is not None:
                    with contextlib.suppress(Exception):
                        call.on_late_return()
                return
