"""Writes the tasks of dialogue/negotiation: `python -m agentgym_dialogue.negotiation.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path

from agentgym.task import Split
from agentgym_dialogue.negotiation.division import Division, divisions, most_together
from agentgym_dialogue.negotiation.game import negotiation_task
from agentgym_dialogue.task_files import suite_folder, write_split

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
    for split, counts in NUM_TASKS.items():
        chosen = [(stratum, by_stratum[stratum].pop()) for stratum, count in counts.items() for _ in range(count)]
        tasks = [
            negotiation_task(f"dialogue/negotiation:{split}-{index:05}", index, *division, split=split, stratum=stratum)
            for index, (stratum, division) in enumerate(chosen)
        ]
        write_split(folder, split, tasks)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "negotiation"))
