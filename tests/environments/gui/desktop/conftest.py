"""One desktop image, and an environment whose sandbox is kept from test to test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym_gui.desktop.env import DesktopEnv


@pytest.fixture(scope="package")
def pool() -> Iterator[SandboxPool]:
    made = SandboxPool(DockerProvider(), PoolConfig(ready=0))
    yield made
    made.close()


@pytest.fixture(scope="module")
def env(pool: SandboxPool) -> Iterator[DesktopEnv]:
    made = DesktopEnv(sandbox=pool)
    yield made
    made.close()
