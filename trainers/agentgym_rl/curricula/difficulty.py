"""Tasks made on the fly at a level of an environment's declared difficulty; never one that is held out.

When the next level comes is decided by a ladder (`ladder.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

from agentgym.errors import ConfigError
from agentgym.registration import make, spec
from agentgym.rollout import draw_seed
from agentgym.suite import Suite
from agentgym.task import Task

_MAX_DRAWS = 100


class TaskMaker:
    """Makes tasks for training at levels from 0 to 1.

    Args:
        suite: Its environment makes the tasks; those of its splits other than train are never made.
        options: Options of the environment under the knobs.
        seed: Seed of all tasks.

    Raises:
        ConfigError: The environment declares no difficulty, or refuses the options.
    """

    def __init__(self, suite: Suite, options: Mapping[str, Any], seed: int) -> None:
        self._suite, self._options, self._seed = suite, options, seed
        self.make(0.0, 0)

    def make(self, level: float, index: int) -> Task:
        """The task of a group at a level.

        Raises:
            ConfigError: The level has no tasks but held-out ones.
        """
        suite = self._suite
        with closing(make(suite.env, **{**self._options, **spec(suite.env).options_at(level)})) as env:
            for draw in range(_MAX_DRAWS):
                task = env.make_task(draw_seed(self._seed, index, draw) % 2**31)
                if task.content_hash not in suite.held_out_hashes:
                    return replace(
                        task, id=f"{suite.name}:made-{index:06d}", suite=suite.name, split="train", stratum=f"{level:g}"
                    )
        raise ConfigError(
            f"{_MAX_DRAWS} tasks of {suite.env!r} made at level {level:g} of difficulty are all held out in "
            f"{suite.name!r}; leave curriculum.difficulty out, or train on a suite with other tasks"
        )
