"""Writes the tasks of dialogue/wordle: `python -m agentgym_dialogue.wordle.generate [FOLDER]`.

The declaration (suite.toml), the README and the word list beside them are not written here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.task_files import suite_folder, write_split
from agentgym_dialogue.wordle.env import wordle_task
from agentgym_dialogue.wordle.words import all_words

SEED = 20_263
TEST_SHARE, VALIDATION_SHARE = 0.2, 0.1
MAX_TASKS: Mapping[int, Mapping[Split, int]] = {
    200: {"train": 1000, "validation": 20, "test": 40},
    1000: {"train": 1000, "validation": 80, "test": 150},
    3000: {"train": 3000, "validation": 100, "test": 110},
}
"""Most tasks of each vocabulary size and split."""


def split_of_words(rng: random.Random) -> dict[str, Split]:
    """For every word the split that may hide it, in the same shares among common and rarer words."""
    words, chosen, start = all_words(), {}, 0
    for end in MAX_TASKS:
        band = list(words[start:end])
        rng.shuffle(band)
        num_test, num_validation = int(len(band) * TEST_SHARE), int(len(band) * VALIDATION_SHARE)
        for index, word in enumerate(band):
            split: Split = "test" if index < num_test else "train"
            chosen[word] = "validation" if num_test <= index < num_test + num_validation else split
        start = end
    return chosen


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    rng = random.Random(SEED)
    chosen = split_of_words(rng)
    splits: dict[Split, list[Task]] = {"train": [], "validation": [], "test": []}
    for size, counts in MAX_TASKS.items():
        for split, tasks in splits.items():
            secrets = [word for word in all_words()[:size] if chosen[word] == split]
            rng.shuffle(secrets)
            for secret in secrets[: counts[split]]:
                task_id, stratum = f"dialogue/wordle:{split}-{len(tasks):05}", f"words-{size}"
                tasks.append(wordle_task(task_id, len(tasks), size, secret, split=split, stratum=stratum))
    for split, tasks in splits.items():
        write_split(folder, split, tasks)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "wordle"))
