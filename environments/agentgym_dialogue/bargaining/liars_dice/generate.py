"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.bargaining.liars_dice.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.bargaining.liars_dice.game import dice_task, roll

SEED = 20_273
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"dice-2": 1000, "dice-3": 1000},
    "validation": {"dice-2": 80, "dice-3": 120},
    "test": {"dice-3": 150, "dice-2": 75, "dice-4": 75},
}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no rolls of a whole game occur twice in all."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rolls = draw_unseen(partial(roll, rng, int(stratum.removeprefix("dice-"))), seen, str)
        return dice_task(task_id, index, *rolls, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


SUITES: Suites = {"dialogue/liars-dice": generate}

if __name__ == "__main__":
    write_suites(SUITES)
