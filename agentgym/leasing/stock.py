"""The resources of a pool that are not lent: which are ready, started, reset and closed, and who gets the next one.

Leases and waiting are in `pool`. The methods of `Stock` run under its lock. Its workers take the lock for their
outcomes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Generic

from agentgym.errors import AgentGymError, ConfigError
from agentgym.leasing.capacity import Capacity, amounts
from agentgym.leasing.maker import Maker, Resource, Spec
from agentgym.leasing.settings import PoolSettings
from agentgym.leasing.shelf import Shelf
from agentgym.leasing.stats import PoolCounts
from agentgym.leasing.workers import PoolWorkers

Clock = Callable[[], float]
_LOG = logging.getLogger(__name__)


class Stock(Generic[Resource, Spec]):
    """The resources of one maker, by spec.

    Args:
        maker: Makes them.
        settings: How many are kept, and how they are reset.
        limits: What all resources may use at once, by unit.
        clock: Seconds.
        tidy: Called every second.

    Attributes:
        lock: The caller of a method here holds it.
        shelves: What is known about each spec.
        counts: The counts so far.
        num_busy: Resources that are being started, reset or closed.
        is_closed: Whether lending has ended.
    """

    def __init__(
        self,
        maker: Maker[Resource, Spec],
        settings: PoolSettings,
        limits: Mapping[str, float],
        *,
        clock: Clock,
        tidy: Callable[[], None],
    ) -> None:
        self.maker, self.settings = maker, settings
        self.capacity = Capacity(limits)
        self.lock = threading.Lock()
        self.shelves: dict[Spec, Shelf[Resource, Spec]] = {}
        self.counts = PoolCounts()
        self.num_busy = 0
        self.is_closed = False
        self._clock = clock
        self._workers = PoolWorkers(settings.workers, tidy, name=f"{maker.noun}-pool")
        self._workers.submit(self._clean_up)

    def shelf(self, spec: Spec) -> Shelf[Resource, Spec]:
        """The shelf of a spec that is asked for now.

        Raises:
            InfrastructureError: The pool is closed; of the maker's `start_error`.
            ConfigError: One such resource alone is larger than the pool.
        """
        if self.is_closed:
            raise self.maker.start_error(f"the pool of {self.maker.plural} is closed")
        shelf = self.shelves.get(spec)
        if shelf is None:
            self.maker.check(spec)
            cost = self.maker.cost(spec)
            if self.capacity.count(cost) == 0:
                raise ConfigError(
                    f"a {self.maker.noun} of {amounts(cost)} does not fit into the pool of {self.capacity}; raise the "
                    "pool's limits"
                )
            shelf = self.shelves[spec] = Shelf(spec, cost, self._clock())
        shelf.used_at = self._clock()
        return shelf

    def take_ready(self, shelf: Shelf[Resource, Spec]) -> Resource | None:
        """A ready resource that is alive; lost ones on the way are counted and closed.

        Of the newest, as many as are kept ready, it is the oldest: it had the most time to warm up. What is older than
        these is left to age.
        """
        while shelf.ready:
            place = max(0, len(shelf.ready) - max(1, self.settings.ready))
            resource, _ = shelf.ready[place]
            del shelf.ready[place]
            if not self.maker.is_lost(resource):
                return resource
            self.counts.lost += 1
            self.discard(shelf, resource)
        return None

    def plan(self) -> None:
        """Start the wanted resources that fit: for the waiters, the longest wait first, then those to keep ready."""
        if self.is_closed:
            return
        now = self._clock()
        waiting = sorted((s for s in self.shelves.values() if s.waiters), key=lambda shelf: shelf.waiters[0].since)
        for shelf in waiting:
            while shelf.num_coming < len(shelf.waiters):
                if not self.capacity.has_room(shelf.cost):
                    self._evict_for(shelf)
                    return
                self._start(shelf)
        for shelf in self.shelves.values():
            is_wanted = now - shelf.used_at <= self.settings.idle_s and now >= shelf.retry_at
            wanted = len(shelf.waiters) + self.settings.ready if is_wanted else 0
            while len(shelf.ready) + shelf.num_coming < wanted and self.capacity.has_room(shelf.cost):
                self._start(shelf)

    def take_back(self, shelf: Shelf[Resource, Spec], resource: Resource) -> None:
        """Reset the resource of an ended lease, or close it if nobody needs it and another spec needs its room."""
        shelf.used_at = self._clock()
        is_needed_elsewhere = not shelf.waiters and any(
            other.waiters and not self.capacity.has_room(other.cost) for other in self.shelves.values()
        )
        if is_needed_elsewhere:
            self.discard(shelf, resource)
            return
        shelf.num_coming += 1
        self.num_busy += 1
        self._workers.submit(lambda: self._reset(shelf, resource))

    def hand_out(self, shelf: Shelf[Resource, Spec], resource: Resource) -> None:
        """Give a clean resource to the longest waiter for its spec, or put it on the shelf."""
        if self.is_closed:
            self.discard(shelf, resource)
        elif shelf.waiters:
            shelf.waiters.popleft().give(resource)
        else:
            shelf.ready.append((resource, self._clock()))

    def discard(self, shelf: Shelf[Resource, Spec], resource: Resource) -> None:
        """Close a resource; its room is free when it is gone."""
        self.num_busy += 1
        self._workers.submit(lambda: self._close(shelf, resource))

    def drop_idle(self) -> None:
        """Close resources that nobody used for long."""
        now = self._clock()
        for shelf in self.shelves.values():
            is_unused = now - shelf.used_at > self.settings.idle_s
            kept = 0 if is_unused else self.settings.ready
            while len(shelf.ready) > kept and now - shelf.ready[0][1] > self.settings.idle_s:
                self.discard(shelf, shelf.ready.popleft()[0])

    def refuse_all(self) -> None:
        """Refuse all waiters, close the ready resources, and end lending."""
        self.is_closed = True
        for shelf in self.shelves.values():
            while shelf.waiters:
                shelf.waiters.popleft().refuse(self.closed_error())
            while shelf.ready:
                self.discard(shelf, shelf.ready.popleft()[0])

    def closed_error(self) -> AgentGymError:
        """The error for a lease that came too late."""
        return self.maker.start_error(f"the pool of {self.maker.plural} was closed")

    def join(self) -> None:
        """Wait until all work has ended; called without the lock."""
        self._workers.close()

    def close_quietly(self, resource: Resource) -> None:
        """Close a resource; if its maker fails, `clean_up` of the maker removes it. Needs no lock."""
        try:
            self.maker.close(resource)
        except (AgentGymError, OSError):
            return
        except Exception:  # noqa: BLE001 - the worker must live
            _LOG.exception("one of the %s did not close", self.maker.plural)

    def _evict_for(self, wanting: Shelf[Resource, Spec]) -> None:
        """Close a ready resource of the spec that was unused for longest."""
        others = [shelf for shelf in self.shelves.values() if shelf.ready and shelf is not wanting]
        if others:
            shelf = min(others, key=lambda shelf: shelf.used_at)
            self.discard(shelf, shelf.ready.popleft()[0])

    def _start(self, shelf: Shelf[Resource, Spec]) -> None:
        shelf.num_coming += 1
        self.num_busy += 1
        self.capacity.take(shelf.cost)
        self._workers.submit(lambda: self._make(shelf), is_slow=True)

    # The work of the workers, which take the lock only for the outcome.

    def _make(self, shelf: Shelf[Resource, Spec]) -> None:
        if self.is_closed:  # it was queued before; nobody waits for it any more
            with self.lock:
                self._arrive(shelf, None)
            return
        try:
            resource = self.maker.start(shelf.spec)
        except Exception as error:  # noqa: BLE001 - the worker must live; the error goes to who waits
            with self.lock:
                self._arrive(shelf, None)
                self.counts.failed_starts += 1
                shelf.note_failure(error, self._clock())
                self.plan()
            return
        with self.lock:
            shelf.forget_failures()
            self.counts.started += 1
            self._arrive(shelf, resource)

    def _reset(self, shelf: Shelf[Resource, Spec], resource: Resource) -> None:
        if self.is_closed:
            self.close_quietly(resource)
            with self.lock:
                self._arrive(shelf, None)
            return
        began = self._clock()
        method = "recreate"
        try:
            if self.settings.reset == "recreate":
                self.maker.close(resource)
                resource = self.maker.start(shelf.spec)
            else:
                method = self.maker.reset(resource)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, it is not lent again
            self.close_quietly(resource)
            with self.lock:
                self._arrive(shelf, None)
                self.counts.quarantined += isinstance(error, self.maker.dirty_error)
                self.counts.lost += isinstance(error, self.maker.lost_error)
                self.counts.failed_starts += isinstance(error, self.maker.start_error)
                self.plan()
            return
        with self.lock:
            self.counts.resets[method] += 1
            self.counts.reset_s.append(self._clock() - began)
            self._arrive(shelf, resource)

    def _arrive(self, shelf: Shelf[Resource, Spec], resource: Resource | None) -> None:
        """Hand out an expected resource, or give back its room if it failed (None)."""
        shelf.num_coming -= 1
        self.num_busy -= 1
        if resource is None:
            self.capacity.give_back(shelf.cost)
        else:
            self.hand_out(shelf, resource)

    def _close(self, shelf: Shelf[Resource, Spec], resource: Resource) -> None:
        self.close_quietly(resource)
        with self.lock:
            self.num_busy -= 1
            self.capacity.give_back(shelf.cost)
            self.plan()

    def _clean_up(self) -> None:
        try:
            self.maker.clean_up()
        except (AgentGymError, OSError):
            return
        except Exception:  # noqa: BLE001 - as above
            _LOG.exception("what %s left was not cleaned up", self.maker.plural)
