"""Writes the tasks of dialogue/text-nav: `python -m agentgym_dialogue.text_nav.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are written by hand. `generate_partial` and `generate_small`
write the other suites.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.task_files import suite_folder, write_split
from agentgym_dialogue.text_nav.env import Errand, draw_errand, text_nav_task
from agentgym_dialogue.text_nav.house import HouseState, make_house
from agentgym_dialogue.text_nav.plan import plan

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


def generate(
    folder: Path, suite: str = "text-nav", observation: str = "full", counts: Counts = COUNTS, first_house: int = 0
) -> None:
    """Write the three splits of a suite into a folder.

    Args:
        folder: Where to write.
        suite: Name of the suite without its family.
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
                task_id, stratum = f"dialogue/{suite}:{split}-{len(tasks):05}", f"{kind}-{num_rooms}"
                tasks.append(text_nav_task(task_id, len(tasks), next(errands), split=split, stratum=stratum))
        write_split(folder, split, tasks)


def _errands(kind: str, num_rooms: int, observation: str, seeds: Iterator[int]) -> Iterator[Errand]:
    for seed in seeds:
        errand = draw_errand(seed, num_rooms, kind, observation)
        if len(plan(HouseState(make_house(seed, num_rooms)), errand.goals)) >= MIN_COMMANDS:
            yield errand


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "text-nav"))
