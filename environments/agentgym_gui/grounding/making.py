"""Tasks of recorded screens and of applications that are opened; tasks of files are in `files`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agentgym.errors import ConfigError
from agentgym.task import Limits, Task
from agentgym_gui.grounding.describing import Described, draw
from agentgym_gui.grounding.opening import draw_opening
from agentgym_gui.grounding.recorded import recorded_scene

MAX_TURNS = 3
_DRAWS = 100


def task_of(task_id: str, key: str, found: Described, **rest: Any) -> Task:
    """The task of a description on a recorded screen.

    Args:
        task_id: Its id.
        key: The key of the screen.
        found: The description.
        rest: Further fields of the task.
    """
    box = None if found.box is None else [found.box.x, found.box.y, found.box.width, found.box.height]
    return Task(
        id=task_id,
        seed=0,
        instruction=asked(found.words),
        config={"scene": key},
        limits=Limits(max_turns=MAX_TURNS),
        private={"box": box},
        **rest,
    )


def asked(words: str) -> str:
    """What an agent is asked of a description."""
    return f"Click {words}."


def words_of(instruction: str) -> str:
    """The description of what an agent is asked."""
    return instruction.removeprefix("Click ").removesuffix(".")


def recorded_task(rng: random.Random, seed: int, keys: Sequence[str], absent: float) -> Task:
    """A random task of some recorded screens.

    Args:
        rng: Randomness.
        seed: Names the task.
        keys: Keys of the screens.
        absent: Share of targets that are not there.
    """
    for _ in range(_DRAWS):
        key = keys[rng.randrange(len(keys))]
        found = draw(recorded_scene(key), rng, absent)
        if found is not None:
            return task_of(f"grounding-{seed}", key, found)
    raise ConfigError("on these recorded screens, nothing can be asked for")


def live_task(rng: random.Random, seed: int, applications: Sequence[str], absent: float) -> Task:
    """A random task of an application that is opened; what is asked for is drawn when it is.

    Args:
        rng: Randomness.
        seed: Names the task, and draws what is asked for.
        applications: Names of the applications.
        absent: Share of targets that are not there.
    """
    config = {**draw_opening(rng, applications).config(), "pick": seed, "absent": absent}
    limits = Limits(max_turns=MAX_TURNS, step_timeout_s=120)
    return Task(id=f"grounding-live-{seed}", seed=seed, config=config, limits=limits)
