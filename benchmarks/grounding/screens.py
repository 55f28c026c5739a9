"""Rendered screens as small grey pictures, with the names that can be asked for and their boxes.

They are read through `agentgym/Grounding-v0`, from a folder of `agentgym gui render`.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agentgym.task import Task
from agentgym_gui.actions.events import Box
from agentgym_gui.grounding.env import GroundingEnv
from agentgym_gui.grounding.rendering import SCREENS, TARGETS

SCALE = 0.125
"""Size of a picture for each pixel of the screen."""
STEP = round(1 / SCALE)
KIND = "name"
MIN_SCREENS = 5
"""On how many training screens a name must be to be asked for."""
Grey = NDArray[np.uint8]


@dataclass(frozen=True)
class SmallScreen:
    """A screen as it is learned from.

    Attributes:
        grey: uint8[H, W], at `SCALE`.
        window: The box of its windows, in pixels of the screen.
        tasks: What is asked on it, by instruction.
        size: Width and height of the screen.
    """

    grey: Grey
    window: Box
    tasks: dict[str, Task]
    size: tuple[int, int]

    def moved(self, rng: random.Random) -> tuple[Grey, int, int]:
        """The picture with its window at another place, and how far it was moved, in pixels of the screen.

        The window's pixels are copied; behind it, the screen is black.
        """
        width, height = self.size
        dx = _shift(rng, self.window.x, self.window.width, width)
        dy = _shift(rng, self.window.y, self.window.height, height)
        return np.roll(self.grey, (dy, dx), axis=(0, 1)), dx * STEP, dy * STEP


def read_screens(folder: Path, applications: Sequence[str] = ()) -> list[SmallScreen]:
    """The screens of a folder of `agentgym gui render`, in its order.

    Args:
        folder: The folder.
        applications: Which are read; () for all.
    """
    env = GroundingEnv(targets=str(folder / TARGETS), boxes="xywh", scale=SCALE)
    tasks: dict[str, dict[str, Task]] = {}
    for task in (env.make_task(number) for number in range(env.num_tasks or 0)):
        if task.stratum == KIND:
            tasks.setdefault(Path(task.config["picture"]).name, {})[task.instruction] = task
    screens = []
    for line in (folder / SCREENS).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        own = tasks.get(row["picture"], {})
        if not own or (applications and row["application"] not in applications):
            continue
        observation, _ = env.reset(options={"task": next(iter(own.values()))})
        screens.append(
            SmallScreen(grey_of(observation["image"]), _around(row["windows"]), own, tuple(row["screen"][:2]))
        )
    env.close()
    return screens


def names_of(screens: Sequence[SmallScreen]) -> list[str]:
    """The instructions that enough screens have, in a fixed order."""
    counts = Counter(name for screen in screens for name in screen.tasks)
    return sorted(name for name, count in counts.items() if count >= MIN_SCREENS)


def grey_of(pixels: NDArray[np.uint8]) -> Grey:
    """The brightness of a picture, uint8[H, W]."""
    return (pixels.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)).astype(np.uint8)


def _around(windows: Sequence[Sequence[int | str]]) -> Box:
    boxes = [tuple(int(each) for each in window[1:]) for window in windows]
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return Box(left, top, right - left, bottom - top)


def _shift(rng: random.Random, start: int, size: int, room: int) -> int:
    """By how many small pixels a window may be moved along an axis: it stays on the screen."""
    low, high = -(start // STEP), (room - start - size) // STEP
    return rng.randint(low, max(high, low)) if high >= low else 0
