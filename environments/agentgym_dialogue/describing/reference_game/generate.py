"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.describing.reference_game.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.describing.reference_game.game import draw, reference_task

SEED = 20_271
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"alike-5": 1200, "random-5": 800},
    "validation": {"alike-5": 120, "random-5": 80},
    "test": {"alike-5": 200, "random-5": 50, "alike-7": 50},
}
"""Tasks of each split and stratum; a stratum says whether grids are alike, and their size."""


def generate(folder: Path, suite: str) -> None:
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


SUITES: Suites = {"dialogue/reference-game": generate, "dialogue/reference-game-describer": generate}
"""The suites hold the same tasks, for the guesser and for the describer."""

if __name__ == "__main__":
    write_suites(SUITES)
