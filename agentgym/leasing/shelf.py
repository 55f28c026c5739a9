"""Everything that a pool knows about one spec: what is ready, who waits, what is being made and what failed.

`stock` decides when a resource is started or closed.
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
    """A caller that waits for a resource.

    Attributes:
        since: When the wait began, by the pool's clock.
        arrived: Set when there is a resource or an error.
        resource: The resource that came.
        error: The reason why none will come.
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
        spec: What the resources must be.
        cost: What each uses up, by unit.
        used_at: When one was last asked for or given back.
        ready: Clean resources, each with the time since which it is ready.
        waiters: The waiting callers, the longest wait first.
        num_coming: Resources that are being started or reset.
        num_failures: Number of failed starts since the last successful one.
        failure: Why the last start failed; None if it worked.
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
        """Tell the longest waiter that a start failed, and delay the next unneeded start by a growing pause."""
        self.num_failures += 1
        self.failure = error
        self.retry_at = now + min(_MAX_PAUSE_S, 0.1 * 2**self.num_failures)
        if self.waiters:
            self.waiters.popleft().refuse(error)

    def forget_failures(self) -> None:
        """Forget failures, because a start worked or is to be tried at once."""
        self.num_failures, self.failure, self.retry_at = 0, None, 0.0
