"""A pool of ready resources: leases go out at once, resets and replacements happen in the background.

`stock` knows what is ready and what is made next. The maker makes and resets resources.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Generic, Self

from agentgym.leasing.maker import Maker, Resource, Spec
from agentgym.leasing.settings import PoolSettings
from agentgym.leasing.shelf import Shelf, Waiter
from agentgym.leasing.stats import PoolStats
from agentgym.leasing.stock import Clock, Stock


class Lease(Generic[Resource]):
    """A resource that is lent; a context manager that gives it back.

    Attributes:
        resource: What was lent.
        deadline: When the pool takes it back, by the pool's clock; None for never.
    """

    def __init__(
        self, resource: Resource, deadline: float | None, give_back: Callable[[Lease[Resource]], None]
    ) -> None:
        self.resource = resource
        self.deadline = deadline
        self._give_back = give_back

    def release(self) -> None:
        """Give it back; a second call does nothing."""
        self._give_back(self)

    def __enter__(self) -> Resource:
        return self.resource

    def __exit__(self, *_: object) -> None:
        self.release()


class Pool(Generic[Resource, Spec]):
    """Resources of one maker, kept ready; safe from several threads.

    Args:
        maker: Makes them.
        settings: How many are kept, and how they are reset.
        limits: What all resources may use at once, by unit of the maker's `cost`.
        clock: Seconds; for tests.
    """

    def __init__(
        self,
        maker: Maker[Resource, Spec],
        settings: PoolSettings | None = None,
        limits: Mapping[str, float] | None = None,
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        self.maker = maker
        self.settings = settings or PoolSettings()
        self._clock = clock
        self._pid = os.getpid()
        self._leases: dict[Lease[Resource], Shelf[Resource, Spec]] = {}
        self._stock = Stock(maker, self.settings, limits or {}, clock=clock, tidy=self.tidy)

    def lease(self, spec: Spec) -> Lease[Resource]:
        """A clean resource, after a wait if none is ready: `with pool.lease(spec) as resource`.

        Raises:
            ConfigError: One such resource is larger than the pool.
            AgentGymError: The maker refused the spec.
            InfrastructureError: It could not be made, or there was no room in time; the maker's `start_error`.
        """
        stock, began = self._stock, self._clock()
        with stock.lock:
            shelf = stock.shelf(spec)
            resource = stock.take_ready(shelf)
            stock.counts.hits += resource is not None
            waiter: Waiter[Resource] = Waiter(began)
            if resource is None:
                shelf.waiters.append(waiter)
            stock.plan()
        if resource is None:
            resource = self._await(shelf, waiter)
        with stock.lock:
            now = self._clock()
            limit_s = self.settings.lease_s or self.maker.lease_s(spec)
            lease = Lease(resource, None if limit_s is None else now + limit_s, self._take_back)
            if not stock.is_closed:
                stock.counts.leases += 1
                stock.counts.lease_s.append(now - began)
                self._leases[lease] = shelf
                return lease
        stock.close_quietly(resource)
        raise stock.closed_error()

    def capacity(self, spec: Spec) -> int | None:
        """How many resources of a spec fit into the pool at once; None if nothing limits them."""
        return self._stock.capacity.count(self.maker.cost(spec))

    def prepare(self, spec: Spec, *, timeout_s: float = 60.0) -> None:
        """Wait until the configured number of resources of a spec is ready, or there is no room for more.

        The errors are those of `lease`.
        """
        deadline = time.monotonic() + timeout_s
        with self._stock.lock:
            shelf = self._stock.shelf(spec)
            shelf.retry_at, shelf.failure = 0.0, None
            self._stock.plan()
        while time.monotonic() < deadline:
            with self._stock.lock:
                if shelf.failure is not None:
                    raise shelf.failure
                if shelf.num_coming == 0 or len(shelf.ready) >= self.settings.ready:
                    return
            time.sleep(0.002)

    def stats(self) -> PoolStats:
        """The present state of the pool, and its counts so far."""
        stock = self._stock
        with stock.lock:
            ready = sum(len(shelf.ready) for shelf in stock.shelves.values())
            return stock.counts.report(ready=ready, leased=len(self._leases), busy=stock.num_busy)

    def tidy(self) -> None:
        """Take back leases that outlasted their time, and close resources unused for long; called every second."""
        stock = self._stock
        with stock.lock:
            now = self._clock()
            for lease, shelf in list(self._leases.items()):
                if lease.deadline is not None and now > lease.deadline:
                    del self._leases[lease]
                    stock.counts.expired += 1
                    stock.discard(shelf, lease.resource)
            stock.drop_idle()
            stock.plan()

    def close(self) -> None:
        """Close all resources, also those that are lent, and end the threads; a second call does nothing.

        In a forked child, which has neither the threads nor the resources, it does nothing.
        """
        if os.getpid() != self._pid:
            return
        with self._stock.lock:
            self._stock.refuse_all()
            for lease, shelf in self._leases.items():
                self._stock.discard(shelf, lease.resource)
            self._leases.clear()
        self._stock.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_back(self, lease: Lease[Resource]) -> None:
        if os.getpid() != self._pid:  # a forked child gives back nothing of its parent's
            return
        with self._stock.lock:
            shelf = self._leases.pop(lease, None)
            if shelf is not None:
                self._stock.take_back(shelf, lease.resource)

    def _await(self, shelf: Shelf[Resource, Spec], waiter: Waiter[Resource]) -> Resource:
        stock = self._stock
        try:
            waiter.arrived.wait(self.settings.wait_s)
        except BaseException:  # an interrupt: what comes, or has just come, goes to another
            with stock.lock:
                if waiter.resource is not None:
                    stock.hand_out(shelf, waiter.resource)
                elif waiter in shelf.waiters:
                    shelf.waiters.remove(waiter)
            raise
        with stock.lock:
            if waiter.resource is not None:
                return waiter.resource
            if waiter.error is None:
                shelf.waiters.remove(waiter)
                waiter.error = self.maker.start_error(
                    f"no {self.maker.noun} within {self.settings.wait_s} s: {len(self._leases)} are out, which fills "
                    f"the pool of {stock.capacity}; give them back earlier or raise its limits"
                )
        raise waiter.error
