"""Lends sandboxes to an environment, and fits a task's spec to what the provider runs.

Lending is `agentgym.leasing`'s work; `source` decides which provider is taken.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from agentgym.errors import ConfigError, UnsupportedSpecError
from agentgym.leasing.lender import Lender
from agentgym.leasing.pool import Pool
from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.pool import SandboxMaker, SandboxPool, shared_pool
from agentgym.sandbox.source import default_provider
from agentgym.sandbox.spec import SandboxSpec

_OWN_IMAGES = "agentgym/"
_HOST_PROGRAMS = "agentgym/base"


class SandboxLender(Lender[Sandbox, SandboxSpec]):
    """Sandboxes of one provider, by way of a pool where there is one.

    `lease` raises UnsupportedSpecError, which names the ways out, where the provider cannot enforce a spec, and
    SandboxStartError where the engine failed.

    Args:
        provider: Makes them.
        pool: Keeps sandboxes ready; with None, each lease makes a new one.
        relaxed: Limits that the user said may go unenforced.
        chosen_because: Why this provider, where the user named none.
    """

    def __init__(
        self,
        provider: SandboxProvider,
        pool: Pool[Sandbox, SandboxSpec] | None = None,
        relaxed: tuple[str, ...] = (),
        chosen_because: str = "",
    ) -> None:
        super().__init__(SandboxMaker(provider), pool)
        self.provider, self.relaxed, self.chosen_because = provider, relaxed, chosen_because

    def fitted(self, spec: SandboxSpec) -> SandboxSpec:
        """The spec as this provider runs it.

        Without images the host's programs stand in for an image of ours. Limits are left out where the user said so, or
        named a provider that isolates nothing anyway.

        Raises:
            UnsupportedSpecError: The rest cannot be enforced.
        """
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


def lender_of(wanted: str | SandboxProvider | SandboxPool | None, relaxed: Sequence[str] = ()) -> SandboxLender:
    """Where sandboxes come from.

    Args:
        wanted: Name of a provider, a provider, or a pool; None takes docker where an engine answers, else bubblewrap.
        relaxed: Limits that may go unenforced.

    Raises:
        UnknownNameError: No provider has the name.
        ConfigError: It is nothing of the kind, or `relaxed` is a text.
    """
    if isinstance(relaxed, str):
        raise ConfigError(f'relaxed must be a list of limits, such as ["{relaxed or "cpus"}"]: got {relaxed!r}')
    if isinstance(wanted, SandboxPool):
        return SandboxLender(wanted.provider, wanted, tuple(relaxed))
    if isinstance(wanted, SandboxProvider):
        return SandboxLender(wanted, None, tuple(relaxed))
    if wanted is None:
        name, why = default_provider()
    elif isinstance(wanted, str):
        name, why = wanted, ""
    else:
        raise ConfigError(f"sandbox must be the name of a provider, a provider or a pool: got {type(wanted).__name__}")
    pool = shared_pool(name)
    return SandboxLender(pool.provider, pool, tuple(relaxed), why)
