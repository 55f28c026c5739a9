"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.navigation.map_navigation.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.navigation.map_navigation.game import draw, navigation_task
from agentgym_dialogue.navigation.map_navigation.rooms import Room

SEED = 20_275
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"goto-6": 1300, "explore-6": 700},
    "validation": {"goto-6": 130, "explore-6": 70},
    "test": {"goto-6": 200, "explore-6": 50, "goto-8": 25, "explore-8": 25},
}
"""Tasks of each split and stratum; a stratum says what is asked for, and how many rooms there are."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no house occurs twice in all."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        kind, _, size = stratum.partition("-")
        rooms, goal = draw_unseen(partial(draw, rng, kind, int(size)), seen, _house)
        return navigation_task(task_id, index, rooms, goal, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


def _house(drawn: tuple[list[Room], str]) -> str:
    """What makes two houses the same: their rooms, wherever one is to go."""
    return str(sorted(drawn[0]))


SUITES: Suites = {"dialogue/map-navigation": generate, "dialogue/map-navigation-guide": generate}
"""The suites hold the same tasks, for the explorer and for the guide."""

if __name__ == "__main__":
    write_suites(SUITES)
