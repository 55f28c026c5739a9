"""The argument of the checks of sandbox providers, and the small steps that they share.

The checks are in `sandbox_work` and `sandbox_life`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.spec import SandboxSpec
from agentgym.testing.report import expect

OPTIONAL_LIMITS = ("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")


@dataclass(frozen=True)
class SandboxSubject:
    """A provider under check.

    Attributes:
        provider: The provider.
        spec: The specification of its sandboxes.
    """

    provider: SandboxProvider
    spec: SandboxSpec

    @contextmanager
    def sandbox(self, **limits: Any) -> Iterator[Sandbox]:
        """A fresh sandbox for one check.

        Args:
            limits: Limits other than the spec's.
        """
        spec = dataclasses.replace(self.spec, limits=dataclasses.replace(self.spec.limits, **limits))
        with self.provider.start(spec) as sandbox:
            yield sandbox


def enforceable(provider: SandboxProvider, spec: SandboxSpec) -> SandboxSpec:
    """A spec without the limits that a provider cannot enforce."""
    can = provider.capabilities()
    return spec.relaxed(*(name for name in OPTIONAL_LIMITS if name not in can.limits))


def said(sandbox: Sandbox, script: str) -> str:
    """What a shell script writes to standard output; the script must succeed."""
    ran = sandbox.exec(["sh", "-c", script])
    expect(ran.is_ok, f"`{script}` ended with {ran.exit_code}: {ran.text()[:300]}")
    return ran.stdout.decode("utf-8", "replace")


def expect_equal(found: object, expected: object, what: str) -> None:
    """Fail the running check unless two values are equal."""
    expect(found == expected, f"{what}: expected {str(expected)[:300]!r}, got {str(found)[:300]!r}")
