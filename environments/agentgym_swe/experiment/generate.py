"""Writes the tasks of `SUITES`: `python -m agentgym_swe.experiment.generate [SUITE [FOLDER]]`.

How a task is drawn is in `problem`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from agentgym.authoring.players import call_text
from agentgym.authoring.task_files import First, Suites, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_swe.experiment.env import ExperimentEnv
from agentgym_swe.experiment.problem import draw_task, for_menu
from agentgym_swe.experiment.themes import TRAINED, UNSEEN

TRAIN, VALIDATION, INSTANCES, THEMES = "train", "validation", "unseen_instances", "unseen_themes"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 30},
    "validation": {VALIDATION: 6},
    "test": {INSTANCES: 12, THEMES: 12},
}
"""Strata of each split with their numbers of tasks, spread evenly over the themes."""
MENU_SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 240},
    "validation": {VALIDATION: 24},
    "test": {INSTANCES: 48, THEMES: 48},
}
MENU_ORDER = ("interactions", "linear", "boosting", "forest")
"""In which order models are tried on a task of the menu: the quick ones first."""
CLEAR = 0.93
"""A model that reaches this score solves a task whatever the last digits are; success begins at 0.9."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of swe/experiment into a folder."""

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        return _draw(random.Random(task_id), task_id, index, stratum)

    write_suite(folder, suite, SIZES, make)


def generate_menu(folder: Path, suite: str, first: First = None) -> None:
    """Write the three splits of swe/experiment-menu into a folder; models are trained in a sandbox for it."""
    with closing(ExperimentEnv("menu")) as env:

        def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
            rng = random.Random(task_id)
            while True:
                task = for_menu(_draw(rng, task_id, index, stratum))
                model = next((name for name in MENU_ORDER if _reached(env, task, name) >= CLEAR), None)
                if model is not None:
                    return dataclasses.replace(task, private={"model": model})

        write_suite(folder, suite, MENU_SIZES, make, first)


def _draw(rng: random.Random, task_id: str, index: int, stratum: str) -> Task:
    themes = UNSEEN if stratum == THEMES else TRAINED
    theme = themes[index % len(themes)]
    return draw_task(rng, theme, seed=rng.randrange(2**31), task_id=task_id, stratum=stratum)


def _reached(env: ExperimentEnv, task: Task, model: str) -> float:
    """The score of a model of the menu."""
    env.reset(options={"task": task})
    env.step(call_text("train", model=model))
    score: float = env.step(call_text("submit"))[4]["score"]
    return score


SUITES: Suites = {"swe/experiment": generate, "swe/experiment-menu": generate_menu}

if __name__ == "__main__":
    write_suites(SUITES)
