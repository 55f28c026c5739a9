"""What a kind of resource must offer so that a pool can keep it ready and lend it.

The pool does waiting, capacity and reuse, in `pool` and `stock`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Generic, Literal, TypeVar

from agentgym.errors import InfrastructureError

Resource = TypeVar("Resource")
Spec = TypeVar("Spec", bound=Hashable)
ResetMethod = Literal["in_place", "recreate"]


class Maker(ABC, Generic[Resource, Spec]):
    """Makes resources of one kind, resets them after a lease, and ends them.

    A spec says what a resource must be. It is hashable, and resources of equal specs replace each other. All methods
    may be called from several threads at once.

    Attributes:
        noun: What one resource is called in messages, such as "browser".
        plural: What several are called.
        start_error: Raised if a resource cannot be made, or if a pool has no room for it.
        lost_error: Raised if a resource ended during a lease.
        dirty_error: Raised if a resource was not clean after a reset.
    """

    noun: str
    plural: str
    start_error: type[InfrastructureError]
    lost_error: type[InfrastructureError]
    dirty_error: type[InfrastructureError]

    @abstractmethod
    def check(self, spec: Spec) -> None:
        """Raise the error that tells a user why no resource of this spec can be made here."""

    @abstractmethod
    def cost(self, spec: Spec) -> Mapping[str, float]:
        """What a resource of this spec uses up, by unit, such as {"CPUs": 1.0, "MiB": 512}; each is positive."""

    @abstractmethod
    def start(self, spec: Spec) -> Resource:
        """A fresh resource.

        Raises:
            InfrastructureError: It could not be made; of the class `start_error`.
        """

    @abstractmethod
    def reset(self, resource: Resource) -> ResetMethod:
        """Bring a resource back to its pristine state, and check that with a canary (`canary.leftovers`).

        Returns:
            The way of the reset: the resource itself was cleaned, or a new one was made behind it.

        Raises:
            InfrastructureError: It is gone (`lost_error`), or something survived (`dirty_error`).
        """

    @abstractmethod
    def is_lost(self, resource: Resource) -> bool:
        """Whether a resource is known to be gone; quick, and called under the pool's lock."""

    @abstractmethod
    def close(self, resource: Resource) -> None:
        """End a resource and remove everything of it; a second call does nothing."""

    def lease_s(self, spec: Spec) -> float | None:
        """Longest lease of a resource of this spec; None for no limit."""
        return None

    def clean_up(self) -> None:
        """Remove such resources that killed processes left behind; a pool calls this once, when it opens."""
