"""Settling: how often a step ended too early, by the pixels 1.3 s later, and how long it was waited.

What moves by itself (a terminal's shell that starts, a clock) counts as too early, too. Only a step that was reported
calm can count; one that was given up at the cap is counted as not calm.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from agentgym.sandbox.base import SandboxProvider
from agentgym_gui.actions.events import Event, KeyDown, KeyUp, Scroll, Type
from agentgym_gui.actions.gestures import click
from agentgym_gui.desktop.session import Desktop
from benchmarks.gui.scenes import EIGHT, SETTINGS, drawn, opened

LATER_S = 1.3
AT_ONCE = 4


def too_early(provider: SandboxProvider, actions_each: int) -> dict[str, dict[str, float]]:
    """For each application: actions, those too early, the mean wait in milliseconds, those not calm."""

    def measured(argv: Sequence[str]) -> dict[str, float]:
        with provider.start(SETTINGS.spec()) as sandbox:
            return _measured(opened(sandbox, argv), actions_each, random.Random(argv[0]))

    with ThreadPoolExecutor(AT_ONCE) as threads:
        return dict(zip((argv[0] for argv in EIGHT), threads.map(measured, EIGHT), strict=True))


def _measured(desktop: Desktop, count: int, rng: random.Random) -> dict[str, float]:
    num_early, num_restless, waited = 0, 0, 0.0
    for number in range(count):
        screen = desktop.look().screen
        settled = desktop.act(_action(number, drawn(screen, rng))).settled
        before = desktop.pixels(has_pointer=False)
        time.sleep(LATER_S)
        num_early += settled.is_calm and bool((before != desktop.pixels(has_pointer=False)).any())
        num_restless += not settled.is_calm
        waited += settled.waited_ms
    return {
        "actions": count,
        "too early": num_early,
        "not calm": num_restless,
        "mean wait, ms": round(waited / count, 1),
    }


def _action(number: int, at: tuple[int, int]) -> tuple[Event, ...]:
    """Clicks, a text, the wheel, and Escape, which closes what a click has opened."""
    match number % 5:
        case 0 | 2:
            return click(at)
        case 1:
            return (Type("ab"),)
        case 3:
            return (Scroll(0, 2),)
        case _:
            return (KeyDown("Escape"), KeyUp("Escape"))
