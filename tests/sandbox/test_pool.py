"""The pool's arithmetic: who gets what when, what bounds it, and that nothing is left, against a provider in memory."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from agentgym.errors import ConfigError, SandboxDirtyError, SandboxLostError, SandboxStartError, UnsupportedSpecError
from agentgym.leasing import pool as pool_module
from agentgym.sandbox.base import Capabilities, ResetReport, Sandbox, SandboxProvider
from agentgym.sandbox.engines.process import ProcessProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.spec import Limits, Network, SandboxSpec

SPEC = SandboxSpec(limits=Limits(cpus=1.0, memory_mib=100))
OTHER = replace(SPEC, env={"OTHER": "1"})


class MemorySandbox(Sandbox):
    """Counts what is done to it and does nothing."""

    def __init__(self, provider, spec):
        self.provider, self.spec = provider, spec
        self.is_alive, self.is_closed, self.num_resets = True, False, 0
        self.reset_error = None

    def reset(self, to=None):
        time.sleep(self.provider.reset_s)
        if self.reset_error:
            raise self.reset_error
        self.num_resets += 1
        return ResetReport("in_place", 0.0)

    def is_lost(self):
        return not self.is_alive

    def close(self):
        with self.provider.lock:
            self.provider.live.discard(self)
        self.is_closed = True

    exec = spawn = shell = read_file = write_file = upload = download = connect = endpoint = None
    interrupt = end_command = snapshot = fork = None


MemorySandbox.__abstractmethods__ = frozenset()


class MemoryProvider(SandboxProvider):
    name = "memory"

    def __init__(self, start_s=0.0, reset_s=0.0):
        self.start_s, self.reset_s = start_s, reset_s
        self.lock, self.live, self.most_live, self.num_started, self.num_sweeps = threading.Lock(), set(), 0, 0, 0
        self.start_error = None

    def capabilities(self):
        limits = frozenset({"cpus", "memory_mib", "pids", "work_mib", "tmp_mib"})
        return Capabilities(limits, frozenset({"none"}), True, True, False, False, {"in_place_reset": "no overlay"})

    def start(self, spec):
        time.sleep(self.start_s)
        if self.start_error:
            raise self.start_error
        sandbox = MemorySandbox(self, spec)
        with self.lock:
            self.num_started += 1
            self.live.add(sandbox)
            self.most_live = max(self.most_live, len(self.live))
        return sandbox

    def sweep(self, *, dry_run=False):
        self.num_sweeps += 1
        return []


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def provider():
    return MemoryProvider()


@pytest.fixture
def make_pool(provider):
    pools, others = [], set(threading.enumerate())

    def make(clock=time.monotonic, **settings):
        pools.append(SandboxPool(provider, PoolConfig(**settings), clock=clock))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()
    assert provider.live == set()
    threads = set(threading.enumerate()) - others
    assert not [thread for thread in threads if thread.name.startswith("sandbox-pool")]


def settle(pool, **expected):
    """Wait until the named statistics have these values."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        stats = pool.stats()
        if stats.busy == 0 and all(getattr(stats, name) == value for name, value in expected.items()):
            return stats
        time.sleep(0.002)
    raise AssertionError(f"{pool.stats()} never became {expected}")


def test_pool_keeps_so_many_ready_and_a_lease_takes_one_at_once(make_pool):
    pool = make_pool(ready=3)
    pool.prepare(SPEC)
    settle(pool, ready=3)
    with pool.lease(SPEC):
        settle(pool, ready=3, leased=1)
    stats = settle(pool, ready=4, leased=0)
    assert (stats.leases, stats.hits, stats.hit_rate) == (1, 1, 1.0)
    assert stats.lease.p50_s is not None


def test_a_returned_sandbox_is_reset_before_it_goes_out_again(make_pool):
    pool = make_pool(ready=0)
    with pool.lease(SPEC) as first:
        pass
    settle(pool, ready=1)
    with pool.lease(SPEC) as second:
        assert second is first
        assert first.num_resets == 1
    assert settle(pool, ready=1).resets == {"in_place": 2, "recreate": 0}


def test_recreate_never_lends_a_sandbox_twice(make_pool, provider):
    pool = make_pool(ready=0, reset="recreate")
    seen = []
    for _ in range(3):
        with pool.lease(SPEC) as sandbox:
            seen.append(sandbox)
        settle(pool, ready=1)
    assert len(set(seen)) == 3
    assert [sandbox.is_closed for sandbox in seen] == [True] * 3
    assert pool.stats().resets["recreate"] == 3


def test_in_place_or_not_at_all_is_refused_where_the_provider_cannot(provider):
    with pytest.raises(ConfigError, match="no overlay"):
        SandboxPool(provider, PoolConfig(reset="in_place"))


def test_specs_do_not_mix(make_pool):
    pool = make_pool(ready=1)
    with pool.lease(SPEC) as one, pool.lease(OTHER) as other:
        assert (one.spec, other.spec) == (SPEC, OTHER)


def test_cpu_and_memory_bound_what_lives_at_once_and_who_waits_gets_it(make_pool, provider):
    provider.reset_s = 0.001
    pool = make_pool(ready=2, max_cpus=4.0, max_memory_mib=350)

    def episode(number):
        with pool.lease(SPEC if number % 2 else OTHER):
            time.sleep(0.001)

    with ThreadPoolExecutor(16) as executor:
        list(executor.map(episode, range(200)))
    stats = settle(pool, leased=0)
    assert stats.leases == 200
    assert provider.most_live == 3


def test_a_sandbox_larger_than_the_pool_is_refused_at_once(make_pool):
    with pytest.raises(ConfigError, match="does not fit"):
        make_pool(max_memory_mib=99).lease(SPEC)


def test_what_the_provider_cannot_enforce_is_refused(make_pool):
    with pytest.raises(UnsupportedSpecError, match="internal"):
        make_pool().lease(replace(SPEC, network=Network(group="web")))


def test_a_wait_for_room_ends_with_an_error_that_says_why(make_pool):
    pool = make_pool(ready=0, max_cpus=1.0)
    patient = pool.settings
    with pool.lease(SPEC):
        pool.settings = replace(patient, wait_s=0.1)
        with pytest.raises(SandboxStartError, match="1 are out"):
            pool.lease(SPEC)
    pool.settings = patient
    with pool.lease(SPEC):
        pass


def test_ready_sandboxes_of_another_spec_make_room(make_pool, provider):
    pool = make_pool(ready=2, max_cpus=2.0)
    pool.prepare(SPEC)
    settle(pool, ready=2)
    with pool.lease(OTHER) as other, pool.lease(OTHER):
        assert other.spec == OTHER
    assert provider.most_live == 2


@pytest.mark.parametrize(
    ("error", "counter"),
    [(SandboxDirtyError("dirt"), "quarantined"), (SandboxLostError("gone"), "lost"), (OSError("odd"), "started")],
)
def test_a_sandbox_that_does_not_come_back_is_closed_and_replaced(make_pool, provider, error, counter):
    pool = make_pool(ready=1)
    with pool.lease(SPEC) as sandbox:
        sandbox.reset_error = error
    stats = settle(pool, ready=1, leased=0)
    assert sandbox.is_closed
    assert getattr(stats, counter) >= 1
    assert sandbox not in provider.live


def test_a_ready_sandbox_that_died_is_not_lent(make_pool, provider):
    pool = make_pool(ready=1)
    pool.prepare(SPEC)
    for sandbox in list(provider.live):
        sandbox.is_alive = False
    with pool.lease(SPEC) as sandbox:
        assert sandbox.is_alive
    assert settle(pool, leased=0).lost == 1


def test_a_failed_start_goes_to_who_waits_and_the_next_may_work(make_pool, provider):
    pool = make_pool(ready=0)
    provider.start_error = SandboxStartError("no engine")
    for _ in range(3):
        with pytest.raises(SandboxStartError, match="no engine"):
            pool.lease(SPEC)
    provider.start_error = None
    with pool.lease(SPEC):
        pass
    assert settle(pool, ready=1).failed_starts == 3


def test_failing_starts_that_nobody_waits_for_are_not_repeated_without_end(make_pool, provider):
    pool = make_pool(ready=1)
    pool.prepare(SPEC)
    provider.start_error = SandboxStartError("no engine")
    for sandbox in list(provider.live):
        sandbox.is_alive = False
    with pytest.raises(SandboxStartError):
        pool.lease(SPEC)
    time.sleep(0.3)
    assert pool.stats().failed_starts < 5


def test_a_lease_that_outlasts_its_time_is_taken_back_by_the_injected_clock(make_pool, provider):
    clock = Clock()
    pool = make_pool(clock=clock, ready=0, lease_s=100.0)
    lease = pool.lease(SPEC)
    clock.now = 99.0
    pool.tidy()
    assert pool.stats().leased == 1
    clock.now = -1e9
    pool.tidy()
    assert pool.stats().leased == 1
    clock.now = 101.0
    pool.tidy()
    assert settle(pool, leased=0).expired == 1
    assert lease.resource.is_closed
    lease.release()
    assert settle(pool, leased=0, ready=0).leases == 1


def test_the_lease_of_a_spec_with_a_wall_time_is_that_long(make_pool):
    clock = Clock()
    pool = make_pool(clock=clock, ready=0)
    lease = pool.lease(replace(SPEC, limits=Limits(wall_s=5.0)))
    clock.now = 6.0
    pool.tidy()
    settle(pool, leased=0, expired=1)
    assert lease.resource.is_closed


def test_what_nobody_uses_is_closed_after_a_while(make_pool, provider):
    clock = Clock()
    pool = make_pool(clock=clock, ready=1, idle_s=60.0)
    leases = [pool.lease(SPEC) for _ in range(4)]
    for lease in leases:
        lease.release()
    settle(pool, leased=0)
    assert pool.stats().ready >= 4
    clock.now = 59.0
    pool.lease(SPEC).release()
    settle(pool, leased=0)
    clock.now = 70.0
    pool.tidy()
    settle(pool, ready=1)
    clock.now = 200.0
    pool.tidy()
    settle(pool, ready=0)
    assert provider.live == set()


def test_close_takes_what_is_out_and_answers_who_waits(make_pool, provider):
    pool = make_pool(ready=0, max_cpus=1.0)
    lease = pool.lease(SPEC)
    with ThreadPoolExecutor(1) as executor:
        waiting = executor.submit(pool.lease, SPEC)
        while not pool._stock.shelves[SPEC].waiters:
            time.sleep(0.001)
        pool.close()
        with pytest.raises(SandboxStartError, match="closed"):
            waiting.result(timeout=60)
    assert lease.resource.is_closed
    lease.release()
    pool.close()
    with pytest.raises(SandboxStartError, match="closed"):
        pool.lease(SPEC)


def test_close_while_sandboxes_are_being_started_leaves_none(make_pool, provider):
    provider.start_s = 0.05
    pool = make_pool(ready=6)
    with ThreadPoolExecutor(1) as executor:
        executor.submit(pool.lease, SPEC)
        time.sleep(0.02)
        pool.close()
    assert provider.live == set()


def test_pool_sweeps_once_at_its_start(make_pool, provider):
    pool = make_pool()
    pool.prepare(SPEC)
    assert provider.num_sweeps == 1


def test_a_reset_overtakes_the_starts_that_wait(make_pool, provider, monkeypatch):
    pool, begun, go_on = make_pool(ready=0, workers=2), threading.Semaphore(0), threading.Semaphore(0)
    lease, start = pool.lease(SPEC), provider.start

    def held(spec):
        begun.release()
        assert go_on.acquire(timeout=60)
        return start(spec)

    monkeypatch.setattr(provider, "start", held)
    with ThreadPoolExecutor(4) as executor:
        others = [executor.submit(pool.lease, OTHER) for _ in range(4)]
        assert begun.acquire(timeout=60)
        while len(pool._stock.shelves[OTHER].waiters) < 4:
            time.sleep(0.001)
        lease.release()
        with pool.lease(SPEC) as sandbox:  # while no start comes to its end
            assert sandbox is lease.resource
        go_on.release(4)
        for other in others:
            other.result().release()


@pytest.mark.parametrize("has_come", [False, True])
def test_an_interrupt_while_waiting_costs_no_sandbox(make_pool, provider, monkeypatch, has_come):
    class Interrupted(threading.Event):
        def wait(self, timeout=None):
            assert not has_come or super().wait(timeout)
            raise KeyboardInterrupt

    pool = make_pool(ready=0, max_cpus=1.0)
    provider.start_s = 0.05
    with monkeypatch.context() as patch:
        patch.setattr(pool_module, "Waiter", partial(pool_module.Waiter, arrived=Interrupted()))
        with pytest.raises(KeyboardInterrupt):
            pool.lease(SPEC)
    settle(pool, ready=1, leased=0)
    with pool.lease(SPEC):  # there is room for one alone
        assert provider.num_started == 1


def test_a_forked_child_that_ends_takes_no_sandbox_along(make_pool):
    spec = SPEC.relaxed("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")
    with SandboxPool(ProcessProvider(), PoolConfig(ready=1)) as pool, pool.lease(spec) as sandbox:
        pool.prepare(spec)
        sandbox.write_file("kept", b"yes")
        child = os.fork()
        if child == 0:  # as its end would
            try:
                sandbox.close()
                pool.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert sandbox.exec(["cat", "kept"]).stdout == b"yes"
        assert pool.stats().leased == 1
