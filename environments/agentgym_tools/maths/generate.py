"""Writes the tasks of `SUITES`: `python -m agentgym_tools.maths.generate [SUITE [FOLDER]]`.

How a problem is drawn is in `problem`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, numbered_id, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_tools.maths.kinds import HELD_OUT, KINDS, TRAINED
from agentgym_tools.maths.problem import LEVELS, Kind, Problem, draw_candidate, draw_problem, to_task

TRAIN, VALIDATION, INSTANCES, UNSEEN = "train", "validation", "unseen_instances", "unseen_kinds"
Sizes = Mapping[Split, Mapping[str, int]]
SIZES: Sizes = {"train": {TRAIN: 1440}, "validation": {VALIDATION: 96}, "test": {INSTANCES: 192, UNSEEN: 120}}
"""Strata of each split with their numbers of tasks, spread evenly over kinds and levels."""
SMALL_KINDS = ("divisors", "powers", "committees", "multiples")
SIZES_OF_SMALL: Sizes = {"train": {TRAIN: 1000}, "validation": {VALIDATION: 80}, "test": {INSTANCES: 160}}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of tools/maths into a folder; no problem occurs twice, in whatever words."""
    seen: set[str] = set()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        problem, seed = _draw(task_id, index, stratum, seen, draw_problem)
        return to_task(problem, seed=seed, task_id=task_id, stratum=stratum)

    write_suite(folder, suite, SIZES, make)


def generate_small(folder: Path, suite: str) -> None:
    """Write the three splits of tools/maths-small into a folder; no problem occurs twice, or in tools/maths."""
    seen: set[str] = set()
    for split, strata in SIZES.items():
        wanted = [stratum for stratum, count in strata.items() for _ in range(count)]
        for index, stratum in enumerate(wanted):
            _draw(numbered_id("tools/maths", split, index), index, stratum, seen, draw_candidate)

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rng = random.Random(task_id)
        kind = KINDS[SMALL_KINDS[index % len(SMALL_KINDS)]]
        problem = draw_unseen(partial(draw_problem, kind, rng, 1), seen, _key)
        return to_task(problem, seed=rng.randrange(2**31), task_id=task_id, stratum=stratum, is_short=True)

    write_suite(folder, suite, SIZES_OF_SMALL, make)


def _draw(
    task_id: str, index: int, stratum: str, seen: set[str], draw: Callable[[Kind, random.Random, int], Problem]
) -> tuple[Problem, int]:
    """A new problem of tools/maths and its seed."""
    choices = list(product(LEVELS, HELD_OUT if stratum == UNSEEN else TRAINED))
    level, name = choices[index % len(choices)]
    rng = random.Random(task_id)
    return draw_unseen(partial(draw, KINDS[name], rng, level), seen, _key), rng.randrange(2**31)


def _key(problem: Problem) -> str:
    return f"{problem.kind.name} {problem.values}"


SUITES: Suites = {"tools/maths": generate, "tools/maths-small": generate_small}

if __name__ == "__main__":
    write_suites(SUITES)
