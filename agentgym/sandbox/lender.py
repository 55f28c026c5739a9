"""Lends sandboxes to an environment: from a pool or made anew, a task's spec fitted to what the provider runs.

Waiting and reuse are the pool's work, which provider is taken is decided in `source`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from agentgym.errors import ConfigError, UnsupportedSpecError
from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.pool import SandboxPool, shared_pool
from agentgym.sandbox.source import default_provider
from agentgym.sandbox.spec import SandboxSpec

_OWN_IMAGES = "agentgym/"
_HOST_PROGRAMS = "agentgym/base"


@dataclass(frozen=True)
class Lender:
    """Sandboxes of one provider, by way of a pool where there is one.

    Attributes:
        provider: Makes them.
        pool: Keeps them ready; None makes each anew.
        relaxed: Limits that the user said may go unenforced.
        chosen_because: Why this provider, where the user named none.
    """

    provider: SandboxProvider
    pool: SandboxPool | None = None
    relaxed: tuple[str, ...] = ()
    chosen_because: str = ""
    _fitted: dict[str, SandboxSpec] = field(default_factory=dict, repr=False)

    @contextmanager
    def lease(self, spec: SandboxSpec) -> Iterator[Sandbox]:
        """A clean sandbox until the end of the block.

        Raises:
            UnsupportedSpecError: The provider cannot enforce the spec; names the ways out.
            SandboxStartError: The engine failed.
        """
        fitted = self.fit(spec)
        if self.pool is not None:
            with self.pool.lease(fitted) as sandbox:
                yield sandbox
            return
        sandbox = self.provider.start(fitted)
        try:
            yield sandbox
        finally:
            sandbox.close()

    def capacity(self, spec: SandboxSpec) -> int | None:
        """How many sandboxes of a spec there can be at once; None where nothing bounds them."""
        return None if self.pool is None else self.pool.capacity(self.fit(spec))

    def fit(self, spec: SandboxSpec) -> SandboxSpec:
        """The spec as this provider runs it.

        Without images the host's programs stand in for an image of ours. Limits are left out where the user said so, or
        named a provider that isolates nothing anyway.

        Raises:
            UnsupportedSpecError: The rest cannot be enforced.
        """
        if spec.key not in self._fitted:
            self._fitted[spec.key] = self._fit(spec)
        return self._fitted[spec.key]

    def _fit(self, spec: SandboxSpec) -> SandboxSpec:
        can = self.provider.capabilities()
        if not can.images and spec.image.startswith(_OWN_IMAGES):
            spec = dataclasses.replace(spec, image=_HOST_PROGRAMS)
        if self.relaxed:
            spec = spec.relaxed(*self.relaxed)
        if not can.isolates:
            optional = ("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")
            spec = spec.relaxed(*(name for name in optional if name not in can.limits))
        try:
            self.provider.check(spec)
        except UnsupportedSpecError as error:
            if not self.chosen_because:
                raise
            raise UnsupportedSpecError(
                f"{self.chosen_because}, and {error}. Start an engine, name a sandbox that can enforce them, or "
                f'make the environment with sandbox="{self.provider.name}", relaxed=(…)'
            ) from error
        return spec


def lender_of(wanted: str | SandboxProvider | SandboxPool | None, relaxed: Sequence[str] = ()) -> Lender:
    """Where sandboxes come from.

    Args:
        wanted: Name of a provider, a provider, or a pool; None takes docker where an engine answers, else bubblewrap.
        relaxed: Limits that may go unenforced.

    Raises:
        UnknownNameError: No provider has the name.
        ConfigError: It is nothing of the kind.
    """
    if isinstance(wanted, SandboxPool):
        return Lender(wanted.provider, wanted, tuple(relaxed))
    if isinstance(wanted, SandboxProvider):
        return Lender(wanted, None, tuple(relaxed))
    if wanted is None:
        name, why = default_provider()
    elif isinstance(wanted, str):
        name, why = wanted, ""
    else:
        raise ConfigError(f"sandbox must be the name of a provider, a provider or a pool: got {type(wanted).__name__}")
    pool = shared_pool(name)
    return Lender(pool.provider, pool, tuple(relaxed), why)
