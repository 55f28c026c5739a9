"""Writes the tasks of dialogue/reference-game: `python -m agentgym_dialogue.reference_game.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here; `generate_describer` writes the same tasks
for the other role.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.reference_game.game import draw, reference_task
from agentgym_dialogue.task_files import suite_folder, write_suite

SEED = 20_271
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"alike-5": 1200, "random-5": 800},
    "validation": {"alike-5": 120, "random-5": 80},
    "test": {"alike-5": 200, "random-5": 50, "alike-7": 50},
}
"""Tasks of each split and stratum; a stratum says whether grids are alike, and their size."""


def generate(folder: Path, suite: str = "dialogue/reference-game") -> None:
    """Write the three splits into a folder; no grid occurs in two tasks."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        kind, _, size = stratum.partition("-")
        grids, target = draw(rng, int(size), kind == "alike")
        while not seen.isdisjoint(grids):
            grids, target = draw(rng, int(size), kind == "alike")
        seen.update(grids)
        return reference_task(task_id, index, int(size), grids, target, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "reference-game"))
