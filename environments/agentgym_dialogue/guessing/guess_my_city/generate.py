"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.guessing.guess_my_city.generate [SUITE [FOLDER]]`.

The declaration (suite.toml), the README and the tables beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.guessing.guess_my_city.env import guess_my_city_task
from agentgym_dialogue.guessing.guess_my_city.table import cities
from agentgym_dialogue.guessing.secret_lists import list_tasks

SEED = 20_266
NUM_UNSEEN = 20


def unseen_secrets() -> list[str]:
    """Cities that no task of the train and validation splits hides."""
    return random.Random(SEED).sample(list(cities()), NUM_UNSEEN)


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder."""
    for split, tasks in list_tasks(list(cities()), unseen_secrets(), SEED + 1, partial(_task, suite)).items():
        write_split(folder, split, tasks)


def _task(suite: str, split: Split, index: int, stratum: str, listed: Sequence[str], secret: str) -> Task:
    task_id = numbered_id(suite, split, index)
    return guess_my_city_task(task_id, index, listed, secret, split=split, stratum=stratum)


SUITES: Suites = {"dialogue/guess-my-city": generate}

if __name__ == "__main__":
    write_suites(SUITES)
