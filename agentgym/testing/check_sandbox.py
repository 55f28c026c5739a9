"""The checks of sandbox providers, as a table of small functions, and the function that runs them.

The functions are in `sandbox_work` and `sandbox_life`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.spec import SandboxSpec
from agentgym.testing import sandbox_life, sandbox_work
from agentgym.testing.report import Check, CheckReport, run_checks
from agentgym.testing.sandbox_subject import SandboxSubject, enforceable

SANDBOX_CHECKS: Mapping[str, Check[SandboxSubject]] = {
    "refusals": sandbox_life.check_refusals,
    "exec": sandbox_work.check_exec,
    "unrunnable": sandbox_work.check_unrunnable,
    "time_limit": sandbox_work.check_time_limit,
    "output_limit": sandbox_work.check_output_limit,
    "background": sandbox_work.check_background,
    "files": sandbox_work.check_files,
    "links": sandbox_work.check_links,
    "trees": sandbox_work.check_trees,
    "shell": sandbox_work.check_shell,
    "spawn": sandbox_work.check_spawn,
    "concurrency": sandbox_work.check_concurrency,
    "interrupt": sandbox_work.check_interrupt,
    "reset": sandbox_life.check_reset,
    "snapshots": sandbox_life.check_snapshots,
    "forks": sandbox_life.check_forks,
    "isolation": sandbox_life.check_isolation,
    "work_limit": sandbox_life.check_work_limit,
    "pids_limit": sandbox_life.check_pids_limit,
    "memory_limit": sandbox_life.check_memory_limit,
    "close": sandbox_life.check_close,
    "leaks": sandbox_life.check_leaks,
    "sweep": sandbox_life.check_sweep,
}
"""What a provider must satisfy, in the order of the report."""


def check_sandbox(
    provider: SandboxProvider, *, spec: SandboxSpec | None = None, only: Sequence[str] | None = None
) -> CheckReport:
    """Check that a provider and its sandboxes meet the contract of `SandboxProvider` and `Sandbox`.

    Args:
        provider: The provider to check, on this machine.
        spec: The specification of sandboxes to start; None for the default one without the limits that the provider
            cannot enforce. Its image needs bash, tar and the usual small programs.
        only: Names of checks in `SANDBOX_CHECKS`; None runs all.

    Returns:
        The report; it does not raise for failed checks, `report.raise_if_failed()` does.

    Raises:
        UnknownNameError: No such check.
    """
    subject = SandboxSubject(provider, spec or enforceable(provider, SandboxSpec()))
    return run_checks(f"sandbox provider {provider.name}", subject, SANDBOX_CHECKS, only)
