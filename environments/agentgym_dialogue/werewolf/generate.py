"""Writes the tasks of dialogue/werewolf: `python -m agentgym_dialogue.werewolf.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite
from agentgym_dialogue.werewolf.game import draw_players, werewolf_task

SEED = 20_276
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"players-5": 700, "players-6": 650, "players-7": 650},
    "validation": {"players-5": 60, "players-6": 60, "players-7": 80},
    "test": {"players-7": 150, "players-5": 50, "players-6": 50, "players-9": 50},
}


def generate(folder: Path) -> None:
    """Write the three splits into a folder; no names with their roles occur twice in all."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        drawn = draw_unseen(partial(draw_players, rng, int(stratum.removeprefix("players-"))), seen, str)
        return werewolf_task(task_id, index, *drawn, split=split, stratum=stratum)

    write_suite(folder, "dialogue/werewolf", NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "werewolf"))
