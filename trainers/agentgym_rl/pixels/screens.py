"""Screens as small grey pictures, with the descriptions that can be asked for and their boxes.

They are read by playing the environment, so the policy learns from the pictures that it is sent when it is tested.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import ConfigError
from agentgym.evaluation import EnvSuite, suite_named
from agentgym.policies.torch.pointing import Grey, grey_of
from agentgym.registration import make
from agentgym.task import Task
from agentgym_rl.core.config.pixels import PixelConfig, ScreensConfig


@dataclass(frozen=True)
class Screen:
    """A screen as it is learned from.

    Attributes:
        grey: uint8[H, W], the sent picture.
        tasks: What is asked on it, by description.
        scale: Size of the sent picture for each pixel of the screen.
    """

    grey: Grey
    tasks: dict[str, Task]
    scale: float

    def box(self, name: str) -> tuple[float, float, float, float]:
        """First column, first row, width and height of a target, in pixels of the screen."""
        x, y, width, height = self.tasks[name].private["box"]
        return x, y, width, height

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of the screen."""
        height, width = self.grey.shape
        return round(width / self.scale), round(height / self.scale)

    def moved(self, rng: random.Random) -> tuple[Grey, float, float]:
        """The picture with what it shows at another place, and how far it was moved, in pixels of the screen.

        What is not black is moved as a whole and stays on the screen.
        """
        height, width = self.grey.shape
        dy = _shift(rng, np.flatnonzero(self.grey.any(axis=1)), height)
        dx = _shift(rng, np.flatnonzero(self.grey.any(axis=0)), width)
        return np.roll(self.grey, (dy, dx), axis=(0, 1)), dx / self.scale, dy / self.scale


@dataclass(frozen=True)
class Screens:
    """All screens of a run.

    Attributes:
        train: Those that are learned from.
        test: Those that are held out.
        names: The descriptions that are learned, in a fixed order.
        suite: The held-out tasks, as the test split of a suite.
        weights: What the components of the environment's reward weigh.
    """

    train: Sequence[Screen]
    test: Sequence[Screen]
    names: Sequence[str]
    suite: EnvSuite
    weights: dict[str, float]


def read_screens(config: PixelConfig) -> Screens:
    """The screens of a run, in the order of the file.

    Raises:
        ConfigError: The targets cannot be read, or are too few.
    """
    settings = config.screens
    path = Path(settings.targets).resolve()
    screens, suite = _read(config.run.suite, settings, (path, path.stat().st_mtime_ns))
    if len(screens) <= settings.held_out:
        raise ConfigError(
            f"{settings.targets} has {len(screens)} pictures with targets of the kind {settings.stratum!r}, of which "
            f"screens.held_out = {settings.held_out} are held out: nothing is left to learn from; render more, or hold "
            "out fewer"
        )
    train, test = _parted(screens, settings.held_out)
    names = _names(train, settings.min_screens)
    known = set(names)
    held_out = tuple(task for screen in test for name, task in screen.tasks.items() if name in known)
    if not held_out:
        raise ConfigError(
            f"no description is on {settings.min_screens} training screens (screens.min_screens) and on a held-out one"
        )
    # The tasks name their pictures, so whoever plays them need not read the file of targets again.
    options: dict[str, Any] = {"scale": settings.scale, "reward": "dense" if config.learning.mode == "dense" else "hit"}
    with closing(make(config.run.suite, **options)) as env:
        weights = dict(env.reward_weights)
    held_out_suite = replace(suite, name=config.run.suite, made=held_out, env_options=options, is_held_out=True)
    return Screens(train, test, names, held_out_suite, weights)


@lru_cache(maxsize=1)
def _read(name: str, settings: ScreensConfig, stamp: tuple[Path, int]) -> tuple[list[Screen], EnvSuite]:
    """All screens of a file, and the suite of its tasks; runs of one process that differ in other things share them.

    Args:
        name: The environment's id.
        settings: Which file, and what of it.
        stamp: The file and when it was last written, so that another one is read anew.
    """
    options: dict[str, Any] = {"targets": settings.targets, "boxes": settings.boxes, "scale": settings.scale}
    suite = suite_named(name, options, None)
    if not isinstance(suite, EnvSuite):
        raise ConfigError(f"run.suite is {name!r}; this trainer needs an environment's id")
    tasks: dict[str, dict[str, Task]] = {}
    for task in suite.made:
        if settings.stratum in ("", task.stratum) and task.private.get("box") is not None:
            tasks.setdefault(str(task.config.get("picture")), {})[task.instruction] = task
    screens = []
    with closing(make(name, scale=settings.scale)) as env:
        for own in tasks.values():
            observation, _ = env.reset(options={"task": next(iter(own.values()))})
            screens.append(Screen(grey_of(observation["image"]), own, settings.scale))
    return screens, suite


def _parted(screens: Sequence[Screen], num_held_out: int) -> tuple[list[Screen], list[Screen]]:
    """The screens that are learned from, and those that are held out, which are spread over all of them.

    A renderer shows one application after the other, so the last screens would be those of one alone.
    """
    marks = [number * num_held_out // len(screens) for number in range(len(screens) + 1)]
    is_held_out = [after > before for before, after in itertools.pairwise(marks)]
    pairs = list(zip(screens, is_held_out, strict=True))
    return [screen for screen, held in pairs if not held], [screen for screen, held in pairs if held]


def _names(screens: Sequence[Screen], at_least: int) -> list[str]:
    counts = Counter(name for screen in screens for name in screen.tasks)
    return sorted(name for name, count in counts.items() if count >= at_least)


def _shift(rng: random.Random, shown: NDArray[np.intp], room: int) -> int:
    """By how many pixels what is shown can be moved along an axis."""
    return rng.randint(-int(shown[0]), room - 1 - int(shown[-1])) if len(shown) else 0
