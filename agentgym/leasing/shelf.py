"""Everything that a pool knows about one spec: what is ready, who waits, what is coming and what failed.

When something is started or closed is decided in `stock`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic

from agentgym.leasing.maker import Resource, Spec

_MAX_PAUSE_S = 30.0


@dataclass(eq=False)
class Waiter(Generic[Resource]):
    """Somebody who waits for a resource.

    Attributes:
        since: When the wait began, by the pool's clock.
        arrived: Set when there is a resource or an error.
        resource: What came.
        error: Why nothing will come.
    """

    since: float
    arrived: threading.Event = field(default_factory=threading.Event)
    resource: Resource | None = None
    error: BaseException | None = None

    def give(self, resource: Resource) -> None:
        """End the wait with a resource."""
        self.resource = resource
        self.arrived.set()

    def refuse(self, error: BaseException) -> None:
        """End the wait with an error."""
        self.error = error
        self.arrived.set()


@dataclass(eq=False)
class Shelf(Generic[Resource, Spec]):
    """The resources of one spec; changed under the pool's lock.

    Attributes:
        spec: What they must be.
        cost: What each uses up, by unit.
        used_at: When one was last asked for or came back.
        ready: Clean resources, each with the time from which it was ready.
        waiters: Who waits, the longest first.
        num_coming: Resources that are being started or reset.
        num_failures: Starts that failed since the last that worked.
        failure: Why the last start failed; None where it worked.
        retry_at: When a resource that nobody waits for may be started again.
    """

    spec: Spec
    cost: Mapping[str, float]
    used_at: float
    ready: deque[tuple[Resource, float]] = field(default_factory=deque)
    waiters: deque[Waiter[Resource]] = field(default_factory=deque)
    num_coming: int = 0
    num_failures: int = 0
    failure: BaseException | None = None
    retry_at: float = 0.0

    def note_failure(self, error: BaseException, now: float) -> None:
        """A start failed: who waits longest is told, and the next start without need comes after a growing pause."""
        self.num_failures += 1
        self.failure = error
        self.retry_at = now + min(_MAX_PAUSE_S, 0.1 * 2**self.num_failures)
        if self.waiters:
            self.waiters.popleft().refuse(error)

    def forget_failures(self) -> None:
        """A start worked, or is to be tried at once."""
        self.num_failures, self.failure, self.retry_at = 0, None, 0.0
