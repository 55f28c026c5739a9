"""What a step, a start and a reset of a desktop cost, and how many steps a second several desktops make.

A step clicks a key of the calculator, waits until the screen has settled, and reads the visible tree. Sides are
measured in turns on the same desktop in one run. A new container is the peer of a reset in place. The usual way of
computer-use agents (a process that clicks, a walk over AT-SPI, a PNG file by a program) is not among the peers yet; its
customary pause of two seconds is given as a figure to compare with.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import numpy as np

from agentgym.picture import png_of
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym_gui.actions.gestures import click
from agentgym_gui.desktop.session import Desktop, Pixels
from agentgym_gui.desktop.settings import GTK_SETTINGS, DesktopSettings
from agentgym_gui.desktop.text import Writer
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "numpy", "docker")
SETTINGS = DesktopSettings()
CUSTOMARY_PAUSE_MS = 2000.0
DESKTOPS = (1, 2, 4)


def measure(quick: bool) -> Report:
    """The figures; `quick` takes fewer repeats."""
    repeats, starts = (20, 2) if quick else (200, 8)
    report = Report(setting={"application": "galculator", "screen": "1280x800", "steps": repeats, "starts": starts})
    with SandboxPool(DockerProvider(), PoolConfig(ready=1)) as pool:
        progress("steps")
        with pool.lease(SETTINGS.spec()) as sandbox:
            steps = steps_of(calculator(sandbox), repeats)
        report.figures["step, ms"] = steps
        progress("starts and resets")
        report.figures["start, ms"] = starts_of(pool, starts)
        progress("several desktops")
        report.figures["steps a second"] = {str(number): together(pool, number, repeats) for number in DESKTOPS}
    start = report.figures["start, ms"]
    report.goals += [
        Goal(
            "step, share of the customary pause", steps["step with tree"]["p50"] / CUSTOMARY_PAUSE_MS, 0.02, "at most"
        ),
        Goal("lease of a ready desktop, p50, ms", start["lease of a ready one"]["p50"], 10.0, "at most"),
        Goal(
            "reset in place, times as fast as a new container",
            start["new container, to its session"]["p50"] / start["reset in place, to its session"]["p50"],
            2.5,
            "at least",
        ),
        Goal("steps/s of 4 desktops, text alone", report.figures["steps a second"]["4"], 120.0, "at least"),
    ]
    return report


def calculator(sandbox: Sandbox) -> Desktop:
    """A desktop that shows the calculator."""
    desktop = Desktop(sandbox, SETTINGS)
    sandbox.write_file(GTK_SETTINGS, SETTINGS.gtk_settings())
    desktop.start(["galculator"])
    return desktop


def steps_of(desktop: Desktop, repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds of a step, with a picture, with a file of it, and of looking alone."""
    keys = [each for each in desktop.look().screen.elements if each.name in ("1", "2", "3", "AC")]
    writer = Writer()
    sides: dict[str, Callable[[int], object]] = {
        "step with tree": lambda n: desktop.act(click(keys[n % 4].box.centre)),
        "step with tree as text": lambda n: writer.write(desktop.act(click(keys[n % 4].box.centre)).screen),
        "step with tree and raw picture": lambda n: desktop.act(click(keys[n % 4].box.centre), has_picture=True),
        "step with tree and PNG file": lambda n: png_of(_pixels(desktop, keys[n % 4].box.centre)),
        "tree, nothing done": lambda n: desktop.look(),
    }
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(repeats):
        for name, side in sides.items():
            taken[name].append(milliseconds(partial(side, number)))
    return {name: percentiles(values) for name, values in taken.items()}


def starts_of(pool: SandboxPool, repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds of new containers, resets in place, leases, and of the application's start on a ready desktop."""
    taken: dict[str, list[float]] = {}
    for _ in range(repeats):
        sandbox = _note(taken, "new container, to its session", lambda: _ready(pool.provider.start(SETTINGS.spec())))
        with sandbox:
            _note(taken, "application on a ready desktop", partial(_with_calculator, sandbox))
            _note(taken, "reset in place, to its session", partial(_reset, sandbox))
        lease = pool.lease(SETTINGS.spec())
        _note(taken, "lease of a ready one", lease.__enter__)
        lease.__exit__(None, None, None)
    return {name: percentiles(values) for name, values in taken.items()}


def together(pool: SandboxPool, number: int, repeats: int) -> float:
    """Steps a second of so many desktops at once."""
    with ExitStack() as stack:
        desktops = [calculator(stack.enter_context(pool.lease(SETTINGS.spec()))) for _ in range(number)]
        keys = [next(each for each in desktop.look().screen.elements if each.name == "1") for desktop in desktops]

        def run(at: int) -> None:
            for _ in range(repeats):
                desktops[at].act(click(keys[at].box.centre))

        with ThreadPoolExecutor(number) as threads:
            began = time.monotonic()
            list(threads.map(run, range(number)))
            return significant(number * repeats / (time.monotonic() - began))


def milliseconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Middle and tail of some times."""
    p50, p95 = np.percentile(values, (50, 95))
    return {"p50": significant(float(p50)), "p95": significant(float(p95)), "repeats": len(values)}


def _note(taken: dict[str, list[float]], name: str, work: Callable[[], Sandbox]) -> Sandbox:
    began = time.perf_counter()
    found = work()
    taken.setdefault(name, []).append((time.perf_counter() - began) * 1e3)
    return found


def _ready(sandbox: Sandbox) -> Sandbox:
    Desktop(sandbox, SETTINGS).close()
    return sandbox


def _with_calculator(sandbox: Sandbox) -> Sandbox:
    calculator(sandbox).close()
    return sandbox


def _reset(sandbox: Sandbox) -> Sandbox:
    sandbox.reset()
    return _ready(sandbox)


def _pixels(desktop: Desktop, at: tuple[int, int]) -> Pixels:
    pixels = desktop.act(click(at), has_picture=True).pixels
    assert pixels is not None
    return pixels


if __name__ == "__main__":
    sys.exit(main("gui", measure, PACKAGES))
