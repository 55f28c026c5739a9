"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.bargaining.negotiation.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.bargaining.negotiation.division import Division, divisions, most_together
from agentgym_dialogue.bargaining.negotiation.game import negotiation_task

SEED = 20_265
ROOMY = 16
"""Points that both can get together from which on a task counts as one with room."""
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"tight": 1300, "room": 1000},
    "validation": {"tight": 120, "room": 80},
    "test": {"tight": 200, "room": 100},
}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no division of items occurs twice in all."""
    drawn = list(divisions())
    random.Random(SEED).shuffle(drawn)
    by_stratum: dict[str, list[Division]] = {"tight": [], "room": []}
    for division in drawn:
        by_stratum["room" if most_together(*division) >= ROOMY else "tight"].append(division)

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        return negotiation_task(task_id, index, *by_stratum[stratum].pop(), split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


SUITES: Suites = {"dialogue/negotiation": generate}

if __name__ == "__main__":
    write_suites(SUITES)
