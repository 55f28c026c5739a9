"""Writes the tasks of dialogue/guess-my-city: `python -m agentgym_dialogue.guess_my_city.generate [FOLDER]`.

The declaration (suite.toml), the README and the tables beside them are written by hand.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.guess_my_city.env import guess_my_city_task
from agentgym_dialogue.guess_my_city.table import cities
from agentgym_dialogue.secret_lists import list_tasks
from agentgym_dialogue.task_files import suite_folder, write_split

SEED = 20_266
NUM_UNSEEN = 20


def unseen_secrets() -> list[str]:
    """Cities that no task of the train and validation splits hides."""
    return random.Random(SEED).sample(list(cities()), NUM_UNSEEN)


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    for split, tasks in list_tasks(list(cities()), unseen_secrets(), SEED + 1, _task).items():
        write_split(folder, split, tasks)


def _task(split: Split, index: int, stratum: str, listed: Sequence[str], secret: str) -> Task:
    task_id = f"dialogue/guess-my-city:{split}-{index:05}"
    return guess_my_city_task(task_id, index, listed, secret, split=split, stratum=stratum)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "guess-my-city"))
