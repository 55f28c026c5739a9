"""Writes the tasks of `SUITES`: `python -m agentgym_swe.experiment.generate [SUITE [FOLDER]]`.

How a task is drawn is in `problem`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_swe.experiment.problem import draw_task
from agentgym_swe.experiment.themes import TRAINED, UNSEEN

TRAIN, VALIDATION, INSTANCES, THEMES = "train", "validation", "unseen_instances", "unseen_themes"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 30},
    "validation": {VALIDATION: 6},
    "test": {INSTANCES: 12, THEMES: 12},
}
"""Strata of each split with their numbers of tasks, spread evenly over the themes."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of swe/experiment into a folder."""

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rng = random.Random(task_id)
        themes = UNSEEN if stratum == THEMES else TRAINED
        theme = themes[index % len(themes)]
        return draw_task(rng, theme, seed=rng.randrange(2**31), task_id=task_id, stratum=stratum)

    write_suite(folder, suite, SIZES, make)


SUITES: Suites = {"swe/experiment": generate}

if __name__ == "__main__":
    write_suites(SUITES)
