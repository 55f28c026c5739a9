"""Which provider of sandboxes is used: by its name, or the best one that this machine has.

Providers make sandboxes; an environment gets them through `lender`.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any, cast

from agentgym.errors import MissingExtraError, UnknownNameError
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.engines.engine import EngineFault, probe_engine

PROVIDERS = {
    "docker": "agentgym.sandbox.engines.docker:DockerProvider",
    "bubblewrap": "agentgym.sandbox.engines.bubblewrap:BubblewrapProvider",
    "process": "agentgym.sandbox.engines.process:ProcessProvider",
}
"""Class of each provider by name; imported when it is asked for."""


def default_provider() -> tuple[str, str]:
    """Name of the provider that is used if the user names none, and why it is not docker."""
    try:
        answer = probe_engine()
    except MissingExtraError as error:
        return "bubblewrap", str(error)
    if isinstance(answer, EngineFault):
        return "bubblewrap", f"no container engine can be used ({answer.detail}; {answer.fix})"
    return "docker", ""


@cache
def provider_named(name: str) -> SandboxProvider:
    """The provider of a name, made with its defaults once in a process.

    Raises:
        UnknownNameError: No provider has the name.
    """
    if name not in PROVIDERS:
        raise UnknownNameError("sandbox provider", name, PROVIDERS)
    module, _, attribute = PROVIDERS[name].partition(":")
    make: Any = getattr(importlib.import_module(module), attribute)
    return cast(SandboxProvider, make())
