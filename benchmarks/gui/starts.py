"""Starts, resets and leases of desktops, and what a desktop with an editor costs while nobody acts.

A new container is the peer of a reset in place; both end when the application's window has settled.
"""

from __future__ import annotations

import time
from contextlib import ExitStack

from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym_gui.desktop.session import Desktop
from benchmarks.gui.scenes import SETTINGS, opened
from benchmarks.gui.steps import percentiles
from benchmarks.measure import significant

APPLICATIONS = (("galculator",), ("mousepad", "~/note.txt"), ("gnumeric",))
_IDLE_S = 10.0
_COSTS = (
    "cat /proc/[0-9]*/smaps_rollup 2>/dev/null | awk '/^Pss:/ {kb += $2} END {print kb}';"
    "cat /proc/[0-9]*/stat | awk '{sub(/.*\\) /, \"\"); ticks += $12 + $13} END {print ticks}'"
)
_TICKS_S = 100.0
_SESSION_S = 4.0
"""Time that a session has to start in a sandbox that the pool has made ready."""


def starts(provider: SandboxProvider, repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds to a settled window: in a new container, on a ready desktop, after a reset in place."""
    taken: dict[str, list[float]] = {}
    for number in range(repeats):
        argv = APPLICATIONS[number % len(APPLICATIONS)]
        began = time.perf_counter()
        sandbox = provider.start(SETTINGS.spec())
        with sandbox:
            opened(sandbox, argv).close()
            _add(taken, "new container, to a settled window", began)
            began = time.perf_counter()
            sandbox.reset()
            _add(taken, "reset in place, the sandbox alone", began)
            session = time.perf_counter()
            desktop = Desktop(sandbox, SETTINGS)
            _add(taken, "reset in place, the session alone", session)
            desktop.close()
            opened(sandbox, argv).close()
            _add(taken, "reset in place, to a settled window", began)
            sandbox.reset()
            desktop = opened(sandbox)
            began = time.perf_counter()
            desktop.start(argv)
            _add(taken, "application on a ready desktop", began)
            desktop.close()
    return {name: percentiles(values) for name, values in taken.items()}


def leases(pool: SandboxPool, repeats: int) -> dict[str, float]:
    """Milliseconds of a lease that finds a ready desktop, until it has answered."""
    taken = []
    for _ in range(repeats):
        with pool.lease(SETTINGS.spec()) as sandbox:
            Desktop(sandbox, SETTINGS).close()
        pool.prepare(SETTINGS.spec())
        time.sleep(_SESSION_S)
        began = time.perf_counter()
        with pool.lease(SETTINGS.spec()) as sandbox:
            Desktop(sandbox, SETTINGS).close()
            taken.append((time.perf_counter() - began) * 1e3)
    return percentiles(taken)


def idle(provider: SandboxProvider, number: int) -> dict[str, float]:
    """Memory (PSS, MiB) and processor time (share of a core) of each of so many desktops with an editor."""
    with ExitStack() as stack:
        sandboxes = [stack.enter_context(provider.start(SETTINGS.spec())) for _ in range(number)]
        for sandbox in sandboxes:
            opened(sandbox, ("mousepad", "~/note.txt")).close()
        before = [_costs(sandbox) for sandbox in sandboxes]
        time.sleep(_IDLE_S)
        after = [_costs(sandbox) for sandbox in sandboxes]
    kilobytes = sum(cost[0] for cost in after) / number
    ticks = sum(late[1] - early[1] for early, late in zip(before, after, strict=True)) / number
    return {
        "desktops": number,
        "memory, MiB": significant(kilobytes / 1024),
        "share of a core": significant(max(ticks, 0) / _TICKS_S / _IDLE_S),
    }


def _costs(sandbox: Sandbox) -> tuple[float, float]:
    said = sandbox.exec(["sh", "-c", _COSTS], keep_background=True).stdout.split()
    return float(said[0]), float(said[1])


def _add(taken: dict[str, list[float]], name: str, began: float) -> None:
    taken.setdefault(name, []).append((time.perf_counter() - began) * 1e3)
