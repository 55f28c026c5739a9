"""Writes the tasks of dialogue/liars-dice: `python -m agentgym_dialogue.liars_dice.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.liars_dice.game import dice_task, roll
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite

SEED = 20_273
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"dice-2": 1000, "dice-3": 1000},
    "validation": {"dice-2": 80, "dice-3": 120},
    "test": {"dice-3": 150, "dice-2": 75, "dice-4": 75},
}


def generate(folder: Path) -> None:
    """Write the three splits into a folder; no rolls of a whole game occur twice in all."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rolls = draw_unseen(partial(roll, rng, int(stratum.removeprefix("dice-"))), seen, str)
        return dice_task(task_id, index, *rolls, split=split, stratum=stratum)

    write_suite(folder, "dialogue/liars-dice", NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "liars-dice"))
