"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.bargaining.werewolf.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.bargaining.werewolf.game import draw_players, werewolf_task

SEED = 20_276
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"players-5": 700, "players-6": 650, "players-7": 650},
    "validation": {"players-5": 60, "players-6": 60, "players-7": 80},
    "test": {"players-7": 150, "players-5": 50, "players-6": 50, "players-9": 50},
}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no names with their roles occur twice in all."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        drawn = draw_unseen(partial(draw_players, rng, int(stratum.removeprefix("players-"))), seen, str)
        return werewolf_task(task_id, index, *drawn, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


SUITES: Suites = {"dialogue/werewolf": generate}

if __name__ == "__main__":
    write_suites(SUITES)
