"""Writes the tasks of dialogue/twenty-questions: `python -m agentgym_dialogue.twenty_questions.generate [FOLDER]`.

The declaration (suite.toml), the README and the tables beside them are written by hand.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.secret_lists import list_tasks
from agentgym_dialogue.task_files import suite_folder, write_split
from agentgym_dialogue.twenty_questions.env import twenty_questions_task
from agentgym_dialogue.twenty_questions.table import categories, things

SEED = 20_264
NUM_UNSEEN_A_CATEGORY = 2


def unseen_secrets() -> list[str]:
    """Things that no task of the train and validation splits hides: some of each category."""
    rng = random.Random(SEED)
    by_category = {key: [name for name, thing in things().items() if thing.category == key] for key in categories()}
    return [name for names in by_category.values() for name in rng.sample(names, NUM_UNSEEN_A_CATEGORY)]


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    for split, tasks in list_tasks(list(things()), unseen_secrets(), SEED + 1, _task).items():
        write_split(folder, split, tasks)


def _task(split: Split, index: int, stratum: str, listed: Sequence[str], secret: str) -> Task:
    task_id = f"dialogue/twenty-questions:{split}-{index:05}"
    return twenty_questions_task(task_id, index, listed, secret, split=split, stratum=stratum)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "twenty-questions"))
