"""A step: a click, settling, the visible tree and the raw picture, beside the usual way of doing the same.

Both sides have the same three applications open, click the same places, and take turns.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import numpy as np

from agentgym.picture import png_of
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym_gui.actions.gestures import click
from agentgym_gui.desktop.text import Writer
from benchmarks.gui.scenes import SETTINGS, THREE, drawn, opened
from benchmarks.gui.usual import Usual, usual_spec
from benchmarks.measure import significant

CUSTOMARY_PAUSE_MS = 2000.0
FOUR = (("mousepad", "~/note.txt"), ("geany", "~/note.txt"), ("zim", "--manual"), ("mousepad", "~/note.txt"))
"""Not gnumeric, whose own line of state changes .2 s after each click on a cell."""


def beside_usual(provider: SandboxProvider, repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds of a step and its parts, of ours and of the usual way."""
    rng = random.Random(0)
    with provider.start(SETTINGS.spec()) as mine, provider.start(usual_spec(SETTINGS)) as theirs:
        desktop, usual = opened(mine, *THREE), Usual(opened(theirs, *THREE))
        taken: dict[str, list[float]] = {}
        screen = desktop.look(has_picture=True).screen
        for _ in range(repeats):
            at = drawn(screen, rng)
            _note(taken, "usual: click", partial(usual.click, at))
            _note(taken, "usual: tree", usual.tree)
            _note(taken, "usual: picture", usual.picture)
            began = time.perf_counter()
            sight = desktop.act(click(at), has_picture=True)
            step = (time.perf_counter() - began) * 1e3
            taken.setdefault("step with tree and picture", []).append(step)
            taken.setdefault("step beyond the last change of pixels", []).append(step - sight.settled.painted_ms)
            screen = sight.screen
            _note(taken, "tree alone", desktop.screen)
            if sight.pixels is not None:
                _note(taken, "PNG file of a picture", partial(png_of, sight.pixels))
            if len(screen.elements) < 5:  # a click has closed what was open, and on the other side, too
                break
        text = Writer()
        for _ in range(repeats):
            at = drawn(screen, rng)
            began = time.perf_counter()
            screen = desktop.act(click(at)).screen
            text.write(screen)
            taken.setdefault("step with tree as text", []).append((time.perf_counter() - began) * 1e3)
    parts = ("usual: click", "usual: tree", "usual: picture")
    taken["usual: step"] = [sum(times) for times in zip(*(taken[name] for name in parts), strict=True)]
    return {name: percentiles(values) for name, values in taken.items()}


def together(pool: SandboxPool, number: int, repeats: int) -> float:
    """Steps a second of so many desktops at once, as text; each has another application."""
    with ExitStack() as stack:
        leases = [stack.enter_context(pool.lease(SETTINGS.spec())) for _ in range(number)]
        desktops = [opened(lease, FOUR[at % len(FOUR)]) for at, lease in enumerate(leases)]

        def run(at: int) -> None:
            desktop, rng, writer = desktops[at], random.Random(at), Writer()
            box = desktop.look().screen.windows[-1].box
            for _ in range(repeats):
                x = box.x + box.width * rng.randrange(30, 70) // 100
                y = box.y + box.height * rng.randrange(50, 75) // 100
                writer.write(desktop.act(click((x, y))).screen)

        with ThreadPoolExecutor(number) as threads:
            began = time.monotonic()
            list(threads.map(run, range(number)))
            return significant(number * repeats / (time.monotonic() - began))


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Middle and tail of some times."""
    p50, p95 = np.percentile(values, (50, 95))
    return {"p50": significant(float(p50)), "p95": significant(float(p95)), "repeats": len(values)}


def _note(taken: dict[str, list[float]], name: str, work: Callable[[], object]) -> None:
    began = time.perf_counter()
    work()
    taken.setdefault(name, []).append((time.perf_counter() - began) * 1e3)
