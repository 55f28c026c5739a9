"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.bargaining.social_scenario.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.bargaining.social_scenario.game import scenario_task
from agentgym_dialogue.bargaining.social_scenario.scenarios import WISHES, draw_scenario

SEED = 20_277
NUM_UNSEEN = 5
"""How many wishes, the last ones, are never trained on."""
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"known_wishes": 2000},
    "validation": {"known_wishes": 200},
    "test": {"unseen_wishes": 200, "known_wishes": 100},
}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no scenario occurs twice in all."""
    rng, seen = random.Random(SEED), set[str]()
    wishes = {"known_wishes": list(WISHES)[:-NUM_UNSEEN], "unseen_wishes": list(WISHES)[-NUM_UNSEEN:]}

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        drawn = draw_unseen(partial(draw_scenario, rng, wishes[stratum]), seen, str)
        return scenario_task(task_id, index, *drawn, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


SUITES: Suites = {"dialogue/social-scenario": generate}

if __name__ == "__main__":
    write_suites(SUITES)
