"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.guessing.twenty_questions.generate [SUITE [FOLDER]]`.

The declaration (suite.toml), the README and the tables beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.guessing.secret_lists import list_tasks
from agentgym_dialogue.guessing.twenty_questions.env import twenty_questions_task
from agentgym_dialogue.guessing.twenty_questions.table import categories, things

SEED = 20_264
NUM_UNSEEN_A_CATEGORY = 2


def unseen_secrets() -> list[str]:
    """Things that no task of the train and validation splits hides: some of each category."""
    rng = random.Random(SEED)
    by_category = {key: [name for name, thing in things().items() if thing.category == key] for key in categories()}
    return [name for names in by_category.values() for name in rng.sample(names, NUM_UNSEEN_A_CATEGORY)]


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder."""
    for split, tasks in list_tasks(list(things()), unseen_secrets(), SEED + 1, partial(_task, suite)).items():
        write_split(folder, split, tasks)


def _task(suite: str, split: Split, index: int, stratum: str, listed: Sequence[str], secret: str) -> Task:
    task_id = numbered_id(suite, split, index)
    return twenty_questions_task(task_id, index, listed, secret, split=split, stratum=stratum)


SUITES: Suites = {"dialogue/twenty-questions": generate}

if __name__ == "__main__":
    write_suites(SUITES)
