"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.guessing.mastermind.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import NamedTuple

from agentgym.authoring.task_files import Suites, draw_unseen, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.guessing.mastermind.env import COLOURS, mastermind_task

SEED = 20_262


class Difficulty(NamedTuple):
    """One stratum: its size, and how many tasks each split has of it."""

    stratum: str
    num_colours: int
    num_places: int
    num_tries: int
    train: int
    validation: int
    test: int


DIFFICULTIES = (
    Difficulty("4-colours-3-places", 4, 3, 4, 1000, 70, 100),
    Difficulty("6-colours-4-places", 6, 4, 6, 1400, 130, 150),
    Difficulty("8-colours-5-places", 8, 5, 8, 0, 0, 50),
)


def _game(level: Difficulty, rng: random.Random) -> tuple[list[str], list[str]]:
    """Colours, named in the order of `COLOURS`, and a row of them."""
    colours = sorted(rng.sample(COLOURS, level.num_colours), key=COLOURS.index)
    return colours, rng.choices(colours, k=level.num_places)


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder."""
    rng = random.Random(SEED)
    splits: dict[Split, list[Task]] = {"train": [], "validation": [], "test": []}
    for level in DIFFICULTIES:
        draw, seen = partial(_game, level, rng), set[str]()
        for split, tasks in splits.items():
            for _ in range(getattr(level, split)):
                colours, secret = draw_unseen(draw, seen, str)
                task_id, index = numbered_id(suite, split, len(tasks)), len(tasks)
                task = mastermind_task(
                    task_id, index, colours, secret, level.num_tries, split=split, stratum=level.stratum
                )
                tasks.append(task)
    for split, tasks in splits.items():
        write_split(folder, split, tasks)


SUITES: Suites = {"dialogue/mastermind": generate}

if __name__ == "__main__":
    write_suites(SUITES)
