"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.navigation.text_nav.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.navigation.text_nav.env import Errand, draw_errand, text_nav_task
from agentgym_dialogue.navigation.text_nav.house import HouseState, make_house
from agentgym_dialogue.navigation.text_nav.plan import plan

SEED = 20_265
MIN_COMMANDS = 2
"""Fewest commands that a task needs."""
Counts = Mapping[Split, Mapping[tuple[str, int], int]]
COUNTS: Counts = {
    "train": {("take", 3): 500, ("move", 3): 700, ("move", 4): 500, ("search", 4): 200, ("errands", 4): 200},
    "validation": {("take", 3): 40, ("move", 3): 60, ("move", 4): 60, ("search", 4): 20, ("errands", 4): 20},
    "test": {
        ("take", 3): 40,
        ("move", 3): 120,
        ("move", 4): 60,
        ("search", 4): 40,
        ("errands", 4): 40,
        ("move", 6): 50,
    },
}
"""Tasks of each kind of goals and number of rooms; each has a house of its own, which occurs once."""
SMALL_COUNTS: Counts = {
    "train": {("take", 2): 800, ("take", 3): 1200},
    "validation": {("take", 2): 80, ("take", 3): 120},
    "test": {("take", 2): 80, ("take", 3): 160, ("take", 4): 80},
}
FIRST_SMALL_HOUSE = 50_000
"""Place of the first house of dialogue/text-nav-small, which shares none with the other suites."""


def generate(
    folder: Path, suite: str, observation: str = "full", counts: Counts = COUNTS, first_house: int = 0
) -> None:
    """Write the three splits into a folder.

    Args:
        folder: Where to write.
        suite: Name of the suite.
        observation: What is observed in all its tasks.
        counts: Tasks of each split, kind of goals and number of rooms.
        first_house: Place of the first house among all that are drawn; suites of other houses begin elsewhere.
    """
    seeds = iter(random.Random(SEED).sample(range(1_000_000), 100_000)[first_house:])
    for split, own in counts.items():
        tasks: list[Task] = []
        for (kind, num_rooms), count in own.items():
            errands = _errands(kind, num_rooms, observation, seeds)
            for _ in range(count):
                task_id, stratum = numbered_id(suite, split, len(tasks)), f"{kind}-{num_rooms}"
                tasks.append(text_nav_task(task_id, len(tasks), next(errands), split=split, stratum=stratum))
        write_split(folder, split, tasks)


def _errands(kind: str, num_rooms: int, observation: str, seeds: Iterator[int]) -> Iterator[Errand]:
    for seed in seeds:
        errand = draw_errand(seed, num_rooms, kind, observation)
        if len(plan(HouseState(make_house(seed, num_rooms)), errand.goals)) >= MIN_COMMANDS:
            yield errand


SUITES: Suites = {
    "dialogue/text-nav": generate,
    "dialogue/text-nav-partial": partial(generate, observation="partial"),
    "dialogue/text-nav-small": partial(generate, counts=SMALL_COUNTS, first_house=FIRST_SMALL_HOUSE),
}

if __name__ == "__main__":
    write_suites(SUITES)
