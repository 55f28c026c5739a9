"""Writes the tasks of dialogue/negotiation: `python -m agentgym_dialogue.negotiation.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.negotiation.division import Division, divisions, most_together
from agentgym_dialogue.negotiation.game import negotiation_task
from agentgym_dialogue.task_files import suite_folder, write_suite

SEED = 20_265
ROOMY = 16
"""Points that both can get together from which on a task counts as one with room."""
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"tight": 1300, "room": 1000},
    "validation": {"tight": 120, "room": 80},
    "test": {"tight": 200, "room": 100},
}


def generate(folder: Path) -> None:
    """Write the three splits into a folder; no division of items occurs twice in all."""
    drawn = list(divisions())
    random.Random(SEED).shuffle(drawn)
    by_stratum: dict[str, list[Division]] = {"tight": [], "room": []}
    for division in drawn:
        by_stratum["room" if most_together(*division) >= ROOMY else "tight"].append(division)

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        return negotiation_task(task_id, index, *by_stratum[stratum].pop(), split=split, stratum=stratum)

    write_suite(folder, "dialogue/negotiation", NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "negotiation"))
