"""A pool of ready sandboxes: leases go out at once, resets and replacements happen in the background.

How a sandbox is made and comes back is its provider's work; the threads that wait for that are in `pool_workers`.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Self

from agentgym.errors import AgentGymError, ConfigError, SandboxDirtyError, SandboxLostError, SandboxStartError
from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.pool_stats import PoolCounts, PoolStats
from agentgym.sandbox.pool_workers import PoolWorkers
from agentgym.sandbox.source import provider_named
from agentgym.sandbox.spec import SandboxSpec
from agentgym.sandbox.watcher import watch

_UNLIMITED_CPUS, _UNLIMITED_MIB = 1.0, 512
_MAX_PAUSE_S = 30.0
Clock = Callable[[], float]


@dataclass(frozen=True)
class PoolConfig:
    """How many sandboxes a pool keeps and how they come back."""

    ready: int = 2
    """Clean sandboxes kept of each spec that was used lately, beside those that are out."""
    max_cpus: float | None = None
    """Sum of the CPU limits of all sandboxes; None for 16 times the machine's cores: agents mostly wait."""
    max_memory_mib: int | None = None
    """Sum of their memory limits; None for three quarters of the machine's."""
    reset: Literal["auto", "in_place", "recreate"] = "auto"
    """How a returned sandbox comes back: in place where the provider can, in place or not at all, or made anew."""
    lease_s: float | None = None
    """Longest lease; None for the spec's wall time."""
    wait_s: float = 600.0
    """Longest wait for room."""
    idle_s: float = 60.0
    """After this long unused, sandboxes beyond `ready` are closed, and all of a spec that nobody leased for as long."""
    workers: int = 8
    """Threads that start, reset and close."""

    def __post_init__(self) -> None:
        if self.ready < 0 or self.workers < 1:
            raise ConfigError(f"a pool keeps ready >= 0 with workers >= 1: got {self.ready} and {self.workers}")


@dataclass
class _Waiter:
    since: float
    arrived: threading.Event = field(default_factory=threading.Event)
    sandbox: Sandbox | None = None
    error: BaseException | None = None


@dataclass
class _Shelf:
    """Everything about one spec."""

    spec: SandboxSpec
    cpus: float
    memory_mib: int
    used_at: float
    ready: deque[tuple[Sandbox, float]] = field(default_factory=deque)
    waiters: deque[_Waiter] = field(default_factory=deque)
    num_coming: int = 0
    num_failures: int = 0
    failure: BaseException | None = None
    retry_at: float = 0.0


class Lease:
    """A sandbox that is out; a context manager that gives it back."""

    def __init__(self, pool: SandboxPool, shelf: _Shelf, sandbox: Sandbox, deadline: float | None) -> None:
        self.sandbox = sandbox
        self.deadline = deadline
        self._pool, self._shelf = pool, shelf

    def release(self) -> None:
        """Give it back; twice is harmless."""
        self._pool._take_back(self, self._shelf)

    def __enter__(self) -> Sandbox:
        return self.sandbox

    def __exit__(self, *_: object) -> None:
        self.release()


class SandboxPool:
    """Sandboxes of one provider, kept ready; safe from several threads.

    It sweeps once at its start, and a watcher beside it sweeps when this process is killed.

    Args:
        provider: Makes them.
        config: How many, and how they come back.
        clock: Seconds; for tests.

    Raises:
        ConfigError: The provider cannot reset in place, and the configuration insists on it.
    """

    def __init__(
        self, provider: SandboxProvider, config: PoolConfig | None = None, *, clock: Clock = time.monotonic
    ) -> None:
        self.provider = provider
        self.config = config or PoolConfig()
        can = provider.capabilities()
        if self.config.reset == "in_place" and not can.in_place_reset:
            why = can.notes.get("in_place_reset", "it makes them anew")
            raise ConfigError(f"sandbox provider {provider.name!r} cannot reset in place here: {why}; use reset='auto'")
        self._max_cpus = self.config.max_cpus or 16.0 * (os.cpu_count() or 1)
        machine_mib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        self._max_memory_mib = self.config.max_memory_mib or machine_mib * 3 // 4
        self._clock = clock
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._shelves: dict[str, _Shelf] = {}
        self._leases: dict[Lease, _Shelf] = {}
        self._cpus, self._memory_mib, self._num_busy = 0.0, 0, 0
        self._counts = PoolCounts()
        self._is_closed = False
        self._workers = PoolWorkers(self.config.workers, self.tidy)
        owner = getattr(provider, "owner", None)
        if owner is not None:
            watch(owner, getattr(provider, "address", None))
        self._workers.submit(self._sweep)

    def lease(self, spec: SandboxSpec) -> Lease:
        """A clean sandbox, waited for where none is ready: `with pool.lease(spec) as sandbox`.

        Raises:
            UnsupportedSpecError: The provider cannot enforce the spec.
            ConfigError: It alone is larger than the pool.
            SandboxStartError: It could not be made, or there was no room in time.
        """
        began = self._clock()
        with self._lock:
            shelf = self._shelf(spec)
            sandbox = self._pop_ready(shelf)
            self._counts.hits += sandbox is not None
            waiter = _Waiter(began)
            if sandbox is None:
                shelf.waiters.append(waiter)
            self._plan()
        if sandbox is None:
            sandbox = self._await(shelf, waiter)
        with self._lock:
            now = self._clock()
            limit_s = self.config.lease_s or spec.limits.wall_s
            lease = Lease(self, shelf, sandbox, None if limit_s is None else now + limit_s)
            if not self._is_closed:
                self._counts.leases += 1
                self._counts.lease_s.append(now - began)
                self._leases[lease] = shelf
                return lease
        self._close_quietly(sandbox)
        raise SandboxStartError("the pool of sandboxes was closed")

    def capacity(self, spec: SandboxSpec) -> int:
        """How many sandboxes of a spec fit into the pool at once."""
        cpus, memory_mib = spec.limits.cpus or _UNLIMITED_CPUS, spec.limits.memory_mib or _UNLIMITED_MIB
        return int(min(self._max_cpus / cpus, self._max_memory_mib / memory_mib))

    def prepare(self, spec: SandboxSpec, *, timeout_s: float = 60.0) -> None:
        """Wait until the configured number of sandboxes of a spec is ready, or there is no room for more.

        Raises:
            As `lease`.
        """
        deadline = time.monotonic() + timeout_s
        with self._lock:
            shelf = self._shelf(spec)
            shelf.retry_at, shelf.failure = 0.0, None
            self._plan()
        while time.monotonic() < deadline:
            with self._lock:
                if shelf.failure is not None:
                    raise shelf.failure
                if shelf.num_coming == 0 or len(shelf.ready) >= self.config.ready:
                    return
            time.sleep(0.002)

    def stats(self) -> PoolStats:
        """What is there now and what happened so far."""
        with self._lock:
            ready = sum(len(shelf.ready) for shelf in self._shelves.values())
            return self._counts.report(ready=ready, leased=len(self._leases), busy=self._num_busy)

    def tidy(self) -> None:
        """Take back leases that outlasted their time, and close what nobody used for long; called every second."""
        with self._lock:
            now = self._clock()
            for lease, shelf in list(self._leases.items()):
                if lease.deadline is not None and now > lease.deadline:
                    del self._leases[lease]
                    self._counts.expired += 1
                    self._discard(shelf, lease.sandbox)
            for shelf in self._shelves.values():
                is_unused = now - shelf.used_at > self.config.idle_s
                kept = 0 if is_unused else self.config.ready
                while len(shelf.ready) > kept and now - shelf.ready[0][1] > self.config.idle_s:
                    self._discard(shelf, shelf.ready.popleft()[0])
            self._plan()

    def close(self) -> None:
        """Close all sandboxes, also those that are out, and end the threads; twice is harmless.

        In a forked child, which has neither the threads nor the sandboxes, it does nothing.
        """
        if os.getpid() != self._pid:
            return
        with self._lock:
            self._is_closed = True
            for shelf in self._shelves.values():
                while shelf.waiters:
                    self._answer(shelf.waiters.popleft(), SandboxStartError("the pool of sandboxes was closed"))
                while shelf.ready:
                    self._discard(shelf, shelf.ready.popleft()[0])
            for lease, shelf in self._leases.items():
                self._discard(shelf, lease.sandbox)
            self._leases.clear()
        self._workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Everything below runs under the lock, but for what workers do.

    def _shelf(self, spec: SandboxSpec) -> _Shelf:
        if self._is_closed:
            raise SandboxStartError("the pool of sandboxes is closed")
        shelf = self._shelves.get(spec.key)
        if shelf is None:
            self.provider.check(spec)
            cpus = spec.limits.cpus or _UNLIMITED_CPUS
            memory_mib = spec.limits.memory_mib or _UNLIMITED_MIB
            if cpus > self._max_cpus or memory_mib > self._max_memory_mib:
                raise ConfigError(
                    f"a sandbox of {cpus} CPUs and {memory_mib} MiB does not fit into the pool of {self._max_cpus} "
                    f"CPUs and {self._max_memory_mib} MiB; raise max_cpus and max_memory_mib"
                )
            shelf = self._shelves[spec.key] = _Shelf(spec, cpus, memory_mib, self._clock())
        shelf.used_at = self._clock()
        return shelf

    def _pop_ready(self, shelf: _Shelf) -> Sandbox | None:
        """A ready sandbox that is alive; dead ones on the way are counted and closed."""
        while shelf.ready:
            sandbox, _ = shelf.ready.pop()
            if not _is_lost(sandbox):
                return sandbox
            self._counts.lost += 1
            self._discard(shelf, sandbox)
        return None

    def _plan(self) -> None:
        """Start what is wanted and fits: first for those who wait, the longest first, then the ready ones."""
        if self._is_closed:
            return
        now = self._clock()
        waiting = sorted((s for s in self._shelves.values() if s.waiters), key=lambda shelf: shelf.waiters[0].since)
        for shelf in waiting:
            while shelf.num_coming < len(shelf.waiters):
                if not self._has_room(shelf):
                    self._evict_for(shelf)
                    return
                self._start(shelf)
        for shelf in self._shelves.values():
            is_wanted = now - shelf.used_at <= self.config.idle_s and now >= shelf.retry_at
            wanted = len(shelf.waiters) + self.config.ready if is_wanted else 0
            while len(shelf.ready) + shelf.num_coming < wanted and self._has_room(shelf):
                self._start(shelf)

    def _has_room(self, shelf: _Shelf) -> bool:
        fits = self._cpus + shelf.cpus <= self._max_cpus
        return fits and self._memory_mib + shelf.memory_mib <= self._max_memory_mib

    def _evict_for(self, wanting: _Shelf) -> None:
        """Close a ready sandbox of the spec that was unused for longest; its room comes back when it is gone."""
        others = [shelf for shelf in self._shelves.values() if shelf.ready and shelf is not wanting]
        if others:
            shelf = min(others, key=lambda shelf: shelf.used_at)
            self._discard(shelf, shelf.ready.popleft()[0])

    def _start(self, shelf: _Shelf) -> None:
        shelf.num_coming += 1
        self._num_busy += 1
        self._cpus += shelf.cpus
        self._memory_mib += shelf.memory_mib
        self._workers.submit(lambda: self._make(shelf), is_slow=True)

    def _discard(self, shelf: _Shelf, sandbox: Sandbox) -> None:
        self._num_busy += 1
        self._workers.submit(lambda: self._close(shelf, sandbox))

    def _take_back(self, lease: Lease, shelf: _Shelf) -> None:
        if os.getpid() != self._pid:  # a forked child gives back nothing of its parent's
            return
        with self._lock:
            if self._leases.pop(lease, None) is None:
                return
            shelf.used_at = self._clock()
            is_needed_elsewhere = not shelf.waiters and any(
                other.waiters and not self._has_room(other) for other in self._shelves.values()
            )
            if is_needed_elsewhere:
                self._discard(shelf, lease.sandbox)
                return
            shelf.num_coming += 1
            self._num_busy += 1
            self._workers.submit(lambda: self._reset(shelf, lease.sandbox))

    def _deliver(self, shelf: _Shelf, sandbox: Sandbox) -> None:
        """A clean sandbox goes to who waits longest for its spec, else on the shelf."""
        shelf.num_coming -= 1
        self._num_busy -= 1
        self._hand_out(shelf, sandbox)

    def _hand_out(self, shelf: _Shelf, sandbox: Sandbox) -> None:
        if self._is_closed:
            self._discard(shelf, sandbox)
        elif shelf.waiters:
            waiter = shelf.waiters.popleft()
            waiter.sandbox = sandbox
            waiter.arrived.set()
        else:
            shelf.ready.append((sandbox, self._clock()))

    def _give_up(self, shelf: _Shelf) -> None:
        """A sandbox that was to come will not."""
        shelf.num_coming -= 1
        self._num_busy -= 1
        self._cpus -= shelf.cpus
        self._memory_mib -= shelf.memory_mib

    def _answer(self, waiter: _Waiter, error: BaseException) -> None:
        waiter.error = error
        waiter.arrived.set()

    def _await(self, shelf: _Shelf, waiter: _Waiter) -> Sandbox:
        try:
            waiter.arrived.wait(self.config.wait_s)
        except BaseException:  # an interrupt: what comes, or has just come, goes to another
            with self._lock:
                if waiter.sandbox is not None:
                    self._hand_out(shelf, waiter.sandbox)
                elif waiter in shelf.waiters:
                    shelf.waiters.remove(waiter)
            raise
        with self._lock:
            if waiter.sandbox is not None:
                return waiter.sandbox
            if waiter.error is None:
                shelf.waiters.remove(waiter)
                waiter.error = SandboxStartError(
                    f"no sandbox within {self.config.wait_s} s: {len(self._leases)} are out, which fills the pool of "
                    f"{self._max_cpus} CPUs and {self._max_memory_mib} MiB; give them back earlier or raise its limits"
                )
        raise waiter.error

    # What workers do; the lock is taken for the outcome only.

    def _make(self, shelf: _Shelf) -> None:
        try:
            sandbox = self.provider.start(shelf.spec)
        except Exception as error:  # noqa: BLE001 - the worker must live; the error goes to who waits
            with self._lock:
                self._give_up(shelf)
                self._counts.failed_starts += 1
                shelf.num_failures += 1
                shelf.failure = error
                shelf.retry_at = self._clock() + min(_MAX_PAUSE_S, 0.1 * 2**shelf.num_failures)
                if shelf.waiters:
                    self._answer(shelf.waiters.popleft(), error)
                self._plan()
            return
        with self._lock:
            shelf.num_failures, shelf.failure, shelf.retry_at = 0, None, 0.0
            self._counts.started += 1
            self._deliver(shelf, sandbox)

    def _reset(self, shelf: _Shelf, sandbox: Sandbox) -> None:
        began = self._clock()
        try:
            if self.config.reset == "recreate":
                sandbox.close()
                sandbox, method = self.provider.start(shelf.spec), "recreate"
            else:
                method = sandbox.reset().method
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, it is not lent again
            self._close_quietly(sandbox)
            with self._lock:
                self._give_up(shelf)
                self._counts.quarantined += isinstance(error, SandboxDirtyError)
                self._counts.lost += isinstance(error, SandboxLostError)
                self._counts.failed_starts += isinstance(error, SandboxStartError)
                self._plan()
            return
        with self._lock:
            self._counts.resets[method] += 1
            self._counts.reset_s.append(self._clock() - began)
            self._deliver(shelf, sandbox)

    def _close(self, shelf: _Shelf, sandbox: Sandbox) -> None:
        self._close_quietly(sandbox)
        with self._lock:
            self._num_busy -= 1
            self._cpus -= shelf.cpus
            self._memory_mib -= shelf.memory_mib
            self._plan()

    def _close_quietly(self, sandbox: Sandbox) -> None:
        try:
            sandbox.close()
        except (AgentGymError, OSError):
            return  # its engine is gone; what it left is the sweeper's

    def _sweep(self) -> None:
        try:
            self.provider.sweep()
        except (AgentGymError, OSError):
            return


def _is_lost(sandbox: Sandbox) -> bool:
    """Whether a sandbox says that it is gone; one that cannot say is found out by its user."""
    is_lost: Callable[[], bool] | None = getattr(sandbox, "is_lost", None)
    return is_lost is not None and is_lost()


_shared: dict[tuple[int, str], SandboxPool] = {}
_sharing = threading.Lock()


def shared_pool(provider_name: str) -> SandboxPool:
    """The pool of this process for a provider, with default settings; closed when the process ends.

    Args:
        provider_name: "docker", "bubblewrap" or "process".

    Raises:
        UnknownNameError: No provider has the name.
    """
    with _sharing:
        key = (os.getpid(), provider_name)
        if key not in _shared:
            _shared[key] = SandboxPool(provider_named(provider_name))
            atexit.register(_shared[key].close)
        return _shared[key]


def close_shared_pools() -> None:
    """Close the pools of this process that `shared_pool` made; the next use makes new ones."""
    with _sharing:
        closing = [_shared.pop(key) for key in list(_shared) if key[0] == os.getpid()]
    for pool in closing:
        atexit.unregister(pool.close)
        pool.close()
