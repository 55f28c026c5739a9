"""Pools of ready sandboxes: what `agentgym.leasing` needs to know of sandboxes, and the pools that a process shares.

Leases, capacity and resets are the pool's work, in `agentgym.leasing`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

from agentgym.errors import ConfigError, SandboxDirtyError, SandboxLostError, SandboxStartError
from agentgym.leasing.maker import Maker, ResetMethod
from agentgym.leasing.pool import Pool
from agentgym.leasing.settings import PoolSettings
from agentgym.leasing.shared import SharedPools
from agentgym.leasing.stock import Clock
from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.leasing.watcher import watch
from agentgym.sandbox.source import provider_named
from agentgym.sandbox.spec import SandboxSpec

_UNLIMITED_CPUS, _UNLIMITED_MIB = 1.0, 512
_CPUS, _MIB = "CPUs", "MiB"


@dataclass(frozen=True)
class PoolConfig(PoolSettings):
    """How many sandboxes a pool keeps, what they may use up, and how they come back."""

    max_cpus: float | None = None
    """Sum of the CPU limits of all sandboxes; None for 16 times the machine's cores: agents mostly wait."""
    max_memory_mib: int | None = None
    """Sum of their memory limits; None for three quarters of the machine's."""

    def limits(self) -> dict[str, float]:
        """Both limits, by unit; the machine's where None."""
        machine_mib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        max_cpus = self.max_cpus or 16.0 * (os.cpu_count() or 1)
        return {_CPUS: max_cpus, _MIB: self.max_memory_mib or machine_mib * 3 // 4}


class SandboxMaker(Maker[Sandbox, SandboxSpec]):
    """Sandboxes of one provider, as `agentgym.leasing` lends them.

    Args:
        provider: Makes them.
    """

    noun, plural = "sandbox", "sandboxes"
    start_error, lost_error, dirty_error = SandboxStartError, SandboxLostError, SandboxDirtyError

    def __init__(self, provider: SandboxProvider) -> None:
        self.provider = provider

    def check(self, spec: SandboxSpec) -> None:
        """Refuse what the provider cannot enforce; see `SandboxProvider.check`."""
        self.provider.check(spec)

    def cost(self, spec: SandboxSpec) -> Mapping[str, float]:
        """CPUs and MiB that the spec's limits allow; a sandbox without a limit counts as one of ordinary size."""
        return {_CPUS: spec.limits.cpus or _UNLIMITED_CPUS, _MIB: spec.limits.memory_mib or _UNLIMITED_MIB}

    def start(self, spec: SandboxSpec) -> Sandbox:
        """A fresh sandbox; see `SandboxProvider.start`."""
        return self.provider.start(spec)

    def reset(self, resource: Sandbox) -> ResetMethod:
        """Back to the pristine state, which the sandbox itself verifies; see `Sandbox.reset`."""
        return resource.reset().method

    def is_lost(self, resource: Sandbox) -> bool:
        """Whether a sandbox says that it is gone; the user of one that cannot say finds out."""
        says = getattr(resource, "is_lost", None)
        return says is not None and bool(says())

    def close(self, resource: Sandbox) -> None:
        """End it and remove everything of it."""
        resource.close()

    def lease_s(self, spec: SandboxSpec) -> float | None:
        """The spec's wall time."""
        return spec.limits.wall_s

    def clean_up(self) -> None:
        """Sweep what killed processes left; see `SandboxProvider.sweep`."""
        self.provider.sweep()


class SandboxPool(Pool[Sandbox, SandboxSpec]):
    """Sandboxes of one provider, kept ready; safe from several threads.

    It sweeps once at its start, and a watcher beside it sweeps when this process is killed. `lease` raises
    UnsupportedSpecError for a spec that the provider cannot enforce, ConfigError for a sandbox that alone is larger
    than the pool, and SandboxStartError where a sandbox could not be made or there was no room in time.

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
        owner = getattr(provider, "owner", None)
        if owner is not None:
            watch(owner, getattr(provider, "address", None))
        super().__init__(SandboxMaker(provider), self.config, self.config.limits(), clock=clock)


_shared = SharedPools(lambda name: SandboxPool(provider_named(name)), left_to="a process in the background")


def shared_pool(provider_name: str) -> SandboxPool:
    """The pool of this process for a provider, with default settings; closed when the process ends.

    Args:
        provider_name: "docker", "bubblewrap" or "process".

    Raises:
        UnknownNameError: No provider has the name.
    """
    return _shared.get(provider_name)


def close_shared_pools() -> None:
    """Close the pools of this process that `shared_pool` made; the next use makes new ones."""
    _shared.close()
