"""Running calls of environments: on the event loop if they are quick, or else in a bounded pool of threads.

A thread cannot be killed. Therefore a call past its limit is reported at once, its environment is told to give up, and
its thread is replaced. `session` decides what to call.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from agentgym.env import AgentEnv
from agentgym.errors import StepTimeoutError
from agentgym.remote.settings import Inline

QUICK_S = 0.0005
"""A kind of call is quick where one of its last few took no longer; in a busy pool most take longer than they need."""
ALLOWED_S = 0.001
"""What a call on the event loop may take; what it takes more is owed, what it takes less is paid back."""
MAX_OWED_S = 0.050
"""A kind of call that owes more goes back to threads. A single pause of the machine is forgiven."""
_WINDOW = 8
_MAX_PENALTY = 512
_WATCH_S = 0.25

_LOG = logging.getLogger(__name__)

Then = Callable[[Any, BaseException | None], None]


class Seat:
    """The place of one environment, which is made when it is first needed.

    Args:
        factory: Makes the environment.

    Attributes:
        is_overdue: Whether a call of it ran past its limit, and closes it when it returns.
    """

    __slots__ = ("_factory", "env", "is_overdue", "twin")

    def __init__(self, factory: Callable[[], AgentEnv]) -> None:
        self._factory = factory
        self.env: AgentEnv | None = None
        self.is_overdue = False
        self.twin: Seat | None = None  # of a fork that no session took yet

    def make(self) -> AgentEnv:
        """The environment."""
        if self.env is None:
            self.env = self._factory()
        return self.env

    def give_up(self) -> None:
        """Make a running call return early; a broken environment may fail to be told."""
        env = self.env
        if env is not None:
            try:
                env.interrupt()
            except Exception:  # noqa: BLE001 - the server's boundary
                _LOG.exception("an environment could not be interrupted")

    def fork(self, seed: int | None) -> Seat:
        """A seat with a copy of the environment; closed with this one until it is taken from `twin`."""
        assert self.env is not None
        self.twin = Seat(self._factory)
        self.twin.env = self.env.fork(seed)
        return self.twin

    def close(self) -> None:
        """Close the environment, if there is one; a broken environment may fail to close."""
        env, self.env = self.env, None
        twin, self.twin = self.twin, None
        if env is not None:
            try:
                env.close()
            except Exception:  # noqa: BLE001 - the server's boundary
                _LOG.exception("an environment did not close")
        if twin is not None:
            twin.close()


@dataclass(slots=True)
class Pace:
    """How long one kind of call takes."""

    is_quick: bool
    is_fixed: bool
    _seen: int = 0
    _best: float = float("inf")
    _penalty: int = _WINDOW
    _owed: float = 0.0

    def note_threaded(self, seconds: float) -> None:
        """Record the duration of a call in a thread."""
        if self.is_fixed:
            return
        self._seen += 1
        self._best = min(self._best, seconds)
        if self._seen >= self._penalty:
            self.is_quick = self._best <= QUICK_S
            self._seen, self._best = 0, float("inf")

    def note_inline(self, seconds: float) -> None:
        """Record the duration of a call on the event loop."""
        owed = self._owed + seconds - ALLOWED_S
        if owed > MAX_OWED_S and not self.is_fixed:
            self.is_quick = False
            self._penalty = min(_MAX_PENALTY, 4 * self._penalty)
            owed = 0.0
        self._owed = owed if owed > 0.0 else 0.0


@dataclass(slots=True, eq=False)
class _Call:
    function: Callable[[], Any]
    then: Then
    timeout_s: float
    seat: Seat
    pace: Pace
    started: float = 0.0
    is_abandoned: bool = False


@dataclass
class CallRunner:
    """Runs calls and reports each on the event loop.

    Attributes:
        inline: Whether calls run on the event loop: if their kind proved to be quick, always, or never.
        max_threads: Largest number of working threads, without hung ones.
        num_hung: Threads whose calls ran past their limit and have not returned yet.
    """

    inline: Inline
    max_threads: int
    num_hung: int = 0
    _paces: dict[str, Pace] = field(default_factory=dict)
    _waiting: SimpleQueue[_Call | None] = field(default_factory=SimpleQueue)
    _running: set[_Call] = field(default_factory=set)
    _num_threads: int = 0
    _num_pending: int = 0
    _now_inline: _Call | None = None
    _loop: asyncio.AbstractEventLoop | None = None
    _is_closed: bool = False

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to watch calls; further starts do nothing."""
        if self._loop is None:
            self._loop = loop
            loop.call_later(_WATCH_S, self._watch)
            if self.inline != "never":
                threading.Thread(target=self._watch_inline, name="agentgym-watch", daemon=True).start()

    def pace(self, kind: str) -> Pace:
        """The pace of a kind of call."""
        if kind not in self._paces:
            self._paces[kind] = Pace(self.inline == "always", self.inline != "auto")
        return self._paces[kind]

    def run(self, pace: Pace, function: Callable[[], Any], timeout_s: float, seat: Seat, then: Then) -> None:
        """Run a call.

        Args:
            pace: The pace of its kind.
            function: The function to run.
            timeout_s: Longest wall time, after which the call fails with StepTimeoutError.
            seat: The seat of the environment that it uses; closed if the call returns after its limit.
            then: Takes its value or its error, on the event loop; at once if the call ran there.
        """
        call = _Call(function, then, timeout_s, seat, pace)
        if not pace.is_quick:
            self._num_pending += 1
            self._waiting.put(call)
            self._start_threads()
            return
        value, error = None, None
        call.started = time.perf_counter()
        self._now_inline = call
        try:
            value = function()
        except Exception as caught:  # noqa: BLE001 - the server's boundary: every failure is reported to the client
            error = caught
        self._now_inline = None
        pace.note_inline(time.perf_counter() - call.started)
        then(value, error)

    def close(self) -> None:
        """Let idle threads end; hung ones end when their calls return."""
        self._is_closed = True
        for _ in range(self._num_threads):
            self._waiting.put(None)

    def _start_threads(self) -> None:
        if self._num_threads < min(self.max_threads, self._num_pending):
            self._num_threads += 1
            threading.Thread(target=self._work, name="agentgym-served", daemon=True).start()

    def _work(self) -> None:
        assert self._loop is not None
        while (call := self._waiting.get()) is not None:
            call.started = time.perf_counter()
            self._running.add(call)
            value, error = None, None
            try:
                value = call.function()
            except BaseException as caught:  # noqa: BLE001 - the server's boundary, as above
                error = caught
            seconds = time.perf_counter() - call.started
            is_abandoned = not self._claim(call)
            if is_abandoned:
                call.seat.close()
            with suppress(RuntimeError):  # the loop was closed; what still waits is carried out all the same
                self._loop.call_soon_threadsafe(self._finish, call, value, error, seconds)
            if is_abandoned:
                return

    def _claim(self, call: _Call) -> bool:
        """Whether the caller reports the end of a call, which either returned in time or was found overdue."""
        try:
            self._running.remove(call)
        except KeyError:
            return False
        return True

    def _finish(self, call: _Call, value: Any, error: BaseException | None, seconds: float) -> None:
        if call.is_abandoned:
            self.num_hung -= 1
            return
        self._num_pending -= 1
        call.pace.note_threaded(seconds)
        call.then(value, error)

    def _watch(self) -> None:
        """Report calls in threads that ran past their limit."""
        assert self._loop is not None
        now = time.perf_counter()
        overdue = [call for call in list(self._running) if now - call.started > call.timeout_s]
        for call in filter(self._claim, overdue):
            call.is_abandoned = True
            self._num_pending -= 1
            self._num_threads -= 1
            self.num_hung += 1
            call.seat.is_overdue = True
            call.seat.give_up()
            self._start_threads()
            call.then(None, StepTimeoutError(f"the environment took longer than {call.timeout_s:g} s"))
        if not self._is_closed:
            self._loop.call_later(_WATCH_S, self._watch)

    def _watch_inline(self) -> None:
        """Tell a call that blocks the event loop to give up, and run its kind in threads again."""
        while not self._is_closed:
            time.sleep(_WATCH_S)
            call = self._now_inline
            if call is not None and time.perf_counter() - call.started > call.timeout_s:
                call.pace.note_inline(call.timeout_s)
                call.seat.give_up()
