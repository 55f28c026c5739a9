"""Writes the tasks of dialogue/wordle-tries: `python -m agentgym_dialogue.wordle.generate_tries [FOLDER]`.

A word is hidden in the split that hides it in dialogue/wordle, so that no training on one suite tells about the other.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.task_files import suite_folder, write_split
from agentgym_dialogue.wordle import generate as wordle
from agentgym_dialogue.wordle.env import wordle_task
from agentgym_dialogue.wordle.words import all_words

MAX_TASKS: Mapping[int, Mapping[Split, int]] = {
    400: {"train": 300, "validation": 20, "test": 60},
    800: {"train": 400, "validation": 60, "test": 80},
    2315: {"train": 1700, "validation": 120, "test": 160},
}
"""Most tasks of each vocabulary size and split. 2,315 words may be hidden in the original game."""


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    chosen = wordle.split_of_words(random.Random(wordle.SEED))
    rng = random.Random(wordle.SEED)
    splits: dict[Split, list[Task]] = {"train": [], "validation": [], "test": []}
    for size, counts in MAX_TASKS.items():
        for split, tasks in splits.items():
            secrets = [word for word in all_words()[:size] if chosen[word] == split]
            rng.shuffle(secrets)
            for secret in secrets[: counts[split]]:
                task_id, stratum = f"dialogue/wordle-tries:{split}-{len(tasks):05}", f"words-{size}"
                task = wordle_task(task_id, len(tasks), size, secret, reward="tries", split=split, stratum=stratum)
                tasks.append(task)
    for split, tasks in splits.items():
        write_split(folder, split, tasks)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "wordle-tries"))
