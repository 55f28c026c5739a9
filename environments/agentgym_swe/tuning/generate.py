"""Writes the tasks of `SUITES`: `python -m agentgym_swe.tuning.generate [SUITE [FOLDER]]`.

What a load's tasks can be follows from its recorded surface; see `drawing`. suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_swe.tuning.drawing import HELD_OUT, TRAINED, Choice, draw_choice, possible
from agentgym_swe.tuning.problem import to_task
from agentgym_swe.tuning.servers.catalogue import LOADS

TRAIN, VALIDATION, INSTANCES, UNSEEN = "train", "validation", "unseen_instances", "unseen_loads"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 30},
    "validation": {VALIDATION: 6},
    "test": {INSTANCES: 12, UNSEEN: 12},
}
"""Strata of each split of swe/tuning with their numbers of tasks, spread evenly over the loads."""
RECORDED_SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 240},
    "validation": {VALIDATION: 24},
    "test": {INSTANCES: 36, UNSEEN: 60},
}
"""Those of swe/tuning-recorded."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of swe/tuning into a folder."""
    given: dict[str, int] = {}

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        names = HELD_OUT if stratum == UNSEEN else TRAINED
        load = LOADS[names[index % len(names)]]
        number = given[load.name] = given.get(load.name, -1) + 1
        choices = _choices(load.name)
        weights, needs, private = choices[number % len(choices)]
        seed = random.Random(task_id).randrange(2**31)
        return to_task(load, weights, needs, seed=seed, task_id=task_id, stratum=stratum, private=private)

    write_suite(folder, suite, SIZES, make)


def generate_recorded(folder: Path, suite: str) -> None:
    """Write the three splits of swe/tuning-recorded into a folder.

    No two of its tasks, and none of it and of swe/tuning, have the same load, weights and needs.
    """
    seen = {_key(name, choice) for name in (*TRAINED, *HELD_OUT) for choice in _choices(name)}

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        names = HELD_OUT if stratum == UNSEEN else TRAINED
        load, rng = LOADS[names[index % len(names)]], random.Random(task_id)
        weights, needs, private = draw_unseen(
            partial(draw_choice, rng, load), seen, key=lambda choice: _key(load.name, choice)
        )
        seed = rng.randrange(2**31)
        return to_task(load, weights, needs, seed=seed, task_id=task_id, stratum=stratum, private=private)

    write_suite(folder, suite, RECORDED_SIZES, make)


def _key(name: str, choice: Choice) -> str:
    weights, needs, _ = choice
    return f"{name} {[round(weight, 2) for weight in weights.values()]} {needs}"


@lru_cache(maxsize=32)
def _choices(name: str) -> list[Choice]:
    """What tasks of a load can be, in a drawn order: splits take them in turn."""
    found = possible(LOADS[name])
    random.Random(f"tuning {name}").shuffle(found)
    return found


SUITES: Suites = {"swe/tuning": generate, "swe/tuning-recorded": generate_recorded}

if __name__ == "__main__":
    write_suites(SUITES)
