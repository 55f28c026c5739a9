"""Lending resources of one maker: from a pool, or a new one for each lease.

The pool does the waiting and the reuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic

from agentgym.leasing.maker import Maker, Resource, Spec
from agentgym.leasing.pool import Pool


class Lender(Generic[Resource, Spec]):
    """Resources of one maker. A subclass may fit what users ask for to what the maker runs.

    Args:
        maker: Makes them.
        pool: Keeps resources ready; with None, each lease makes a new one.
    """

    def __init__(self, maker: Maker[Resource, Spec], pool: Pool[Resource, Spec] | None = None) -> None:
        self.maker, self.pool = maker, pool
        self._fitted: dict[Spec, Spec] = {}

    @contextmanager
    def lease(self, spec: Spec) -> Iterator[Resource]:
        """A clean resource until the end of the block.

        Raises:
            AgentGymError: The maker refused the spec.
            InfrastructureError: The resource could not be made.
        """
        fitted = self.fit(spec)
        if self.pool is not None:
            with self.pool.lease(fitted) as resource:
                yield resource
            return
        resource = self.maker.start(fitted)
        try:
            yield resource
        finally:
            self.maker.close(resource)

    def capacity(self, spec: Spec) -> int | None:
        """How many resources of a spec there can be at once; None if nothing limits them."""
        return None if self.pool is None else self.pool.capacity(self.fit(spec))

    def fit(self, spec: Spec) -> Spec:
        """The spec as the maker runs it, computed once for each spec.

        Raises:
            AgentGymError: The spec cannot be made to fit.
        """
        if spec not in self._fitted:
            self._fitted[spec] = self.fitted(spec)
        return self._fitted[spec]

    def fitted(self, spec: Spec) -> Spec:
        """Fit a spec; subclasses may override this method, which only checks the spec."""
        self.maker.check(spec)
        return spec
