"""Writes the tasks of dialogue/social-scenario: `python -m agentgym_dialogue.social_scenario.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.social_scenario.game import scenario_task
from agentgym_dialogue.social_scenario.scenarios import WISHES, draw_scenario
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite

SEED = 20_277
NUM_UNSEEN = 5
"""How many wishes, the last ones, are never trained on."""
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"known_wishes": 2000},
    "validation": {"known_wishes": 200},
    "test": {"unseen_wishes": 200, "known_wishes": 100},
}


def generate(folder: Path) -> None:
    """Write the three splits into a folder; no scenario occurs twice in all."""
    rng, seen = random.Random(SEED), set[str]()
    wishes = {"known_wishes": list(WISHES)[:-NUM_UNSEEN], "unseen_wishes": list(WISHES)[-NUM_UNSEEN:]}

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        drawn = draw_unseen(partial(draw_scenario, rng, wishes[stratum]), seen, str)
        return scenario_task(task_id, index, *drawn, split=split, stratum=stratum)

    write_suite(folder, "dialogue/social-scenario", NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "social-scenario"))
