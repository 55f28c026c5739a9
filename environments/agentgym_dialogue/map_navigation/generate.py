"""Writes the tasks of dialogue/map-navigation: `python -m agentgym_dialogue.map_navigation.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here; `generate_guide` writes the same tasks for
the other role.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.map_navigation.game import draw, navigation_task
from agentgym_dialogue.map_navigation.rooms import Room
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite

SEED = 20_275
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"goto-6": 1300, "explore-6": 700},
    "validation": {"goto-6": 130, "explore-6": 70},
    "test": {"goto-6": 200, "explore-6": 50, "goto-8": 25, "explore-8": 25},
}
"""Tasks of each split and stratum; a stratum says what is asked for, and how many rooms there are."""


def generate(folder: Path, suite: str = "dialogue/map-navigation") -> None:
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


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "map-navigation"))
