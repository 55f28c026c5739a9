"""Writes the tasks of dialogue/twenty-questions: `python -m agentgym_dialogue.twenty_questions.generate [FOLDER]`.

The declaration (suite.toml), the README and the tables beside them are written by hand.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import NamedTuple

from agentgym.task import Split, Task
from agentgym_dialogue.task_files import suite_folder, write_split
from agentgym_dialogue.twenty_questions.env import twenty_questions_task
from agentgym_dialogue.twenty_questions.table import categories, things

SEED = 20_264
NUM_UNSEEN_A_CATEGORY = 2


class Group(NamedTuple):
    """One stratum: how many things are listed, whether its secrets are unseen ones, and the tasks of each split."""

    stratum: str
    num_listed: int
    is_unseen: bool
    train: int
    validation: int
    test: int


GROUPS = (
    Group("list-8", 8, False, 800, 60, 50),
    Group("list-16", 16, False, 1400, 140, 150),
    Group("list-16-unseen", 16, True, 0, 0, 50),
    Group("list-32", 32, False, 0, 0, 50),
)


def unseen_secrets() -> list[str]:
    """Things that no task of the train and validation splits hides: some of each category."""
    rng = random.Random(SEED)
    by_category = {key: [name for name, thing in things().items() if thing.category == key] for key in categories()}
    return [name for names in by_category.values() for name in rng.sample(names, NUM_UNSEEN_A_CATEGORY)]


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    rng = random.Random(SEED + 1)
    unseen = unseen_secrets()
    seen = [name for name in things() if name not in unseen]
    splits: dict[Split, list[Task]] = {"train": [], "validation": [], "test": []}
    for group in GROUPS:
        for split, tasks in splits.items():
            for number in range(getattr(group, split)):
                pool = unseen if group.is_unseen else seen
                secret = pool[number % len(pool)]
                listed = [secret, *rng.sample([name for name in things() if name != secret], group.num_listed - 1)]
                rng.shuffle(listed)
                tasks.append(_task(split, len(tasks), group.stratum, listed, secret))
    tasks = splits["test"]
    for secret in [*unseen, *rng.sample(seen, 50 - len(unseen))]:
        tasks.append(_task("test", len(tasks), "free", [], secret))
    for split, tasks in splits.items():
        write_split(folder, split, tasks)


def _task(split: Split, index: int, stratum: str, listed: list[str], secret: str) -> Task:
    task_id = f"dialogue/twenty-questions:{split}-{index:05}"
    return twenty_questions_task(task_id, index, listed, secret, split=split, stratum=stratum)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "twenty-questions"))
