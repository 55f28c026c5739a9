"""Gymnasium's random generator, made when it is first asked for, and the task that `reset` was asked for.

Randomness of an episode's dynamics is `AgentEnv.rng`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding

from agentgym.errors import TaskError, UnknownNameError
from agentgym.suite import find_task, suite_names
from agentgym.task import Task

Observation = dict[str, Any]
"""`text`, and `image`, uint8[H, W, 3], where the environment has one."""


class SeededEnv(gymnasium.Env[Observation, str]):
    """An environment whose `np_random` costs nothing until somebody draws from it: seeding it costs more than a reset.

    `np_random` and `np_random_seed` behave as Gymnasium documents them.
    """

    _generator: np.random.Generator | None = None

    @property
    def _np_random(self) -> np.random.Generator | None:
        if self._generator is None and self._np_random_seed is not None:
            self._generator, _ = seeding.np_random(self._np_random_seed)
        return self._generator

    @_np_random.setter
    def _np_random(self, value: np.random.Generator | None) -> None:
        self._generator = value

    def seed_generator(self, seed: int | None) -> None:
        """Seed `np_random`; None leaves it as it is.

        Raises:
            gymnasium.error.Error: The seed is no number of at least 0.
        """
        if type(seed) is int and seed >= 0:
            self._generator, self._np_random_seed = None, seed
        elif seed is not None:
            gymnasium.Env.reset(self, seed=seed)


def wanted_task(options: dict[str, Any] | None) -> Task | str | None:
    """The task, or its id, that the options of a `reset` ask for; None if they name none.

    Raises:
        TaskError: They hold another key than `task`, or another value.
    """
    if not options:
        return None
    if len(options) > 1 or "task" not in options:
        unknown = sorted(set(options) - {"task"})
        raise TaskError(f"reset() got the unknown options {unknown}; expected only 'task'")
    task = options["task"]
    if task is None or isinstance(task, (Task, str)):
        return task
    raise TaskError(f"options['task'] must be a Task or a task id, got {type(task).__name__}")


def named_task(wanted: Task | str, make_task: Callable[[int], Task], num_tasks: int | None) -> Task:
    """The task with an id: one of the environment's own, such as those of a file, or one of a suite.

    Args:
        wanted: The id; a task is given back as it is.
        make_task: The environment's, which makes its own tasks from the seeds 0, 1, ….
        num_tasks: How many those are; None for tasks without end, none of which has a lasting id.

    Raises:
        UnknownNameError: Neither has it.
        TaskError: The id names no suite.
    """
    if not isinstance(wanted, str):
        return wanted
    own: list[str] = []
    for seed in range(num_tasks or 0):
        task = make_task(seed)
        if task.id == wanted:
            return task
        own.append(task.id)
    if own and wanted.partition(":")[0] not in suite_names():
        raise UnknownNameError("task", wanted, own, owner="what this environment plays")
    return find_task(wanted)
