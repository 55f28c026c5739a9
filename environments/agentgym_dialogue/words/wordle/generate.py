"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.words.wordle.generate [SUITE [FOLDER]]`.

The declaration (suite.toml), the README and the word list beside them are not written here.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.words.wordle.env import wordle_task
from agentgym_dialogue.words.wordle.words import all_words

SEED = 20_263
TEST_SHARE, VALIDATION_SHARE = 0.2, 0.1
MaxTasks = Mapping[int, Mapping[Split, int]]
MAX_TASKS: MaxTasks = {
    200: {"train": 1000, "validation": 20, "test": 40},
    1000: {"train": 1000, "validation": 80, "test": 150},
    3000: {"train": 3000, "validation": 100, "test": 110},
}
"""Most tasks of each vocabulary size and split."""
MAX_TASKS_OF_TRIES: MaxTasks = {
    400: {"train": 300, "validation": 20, "test": 60},
    800: {"train": 400, "validation": 60, "test": 80},
    2315: {"train": 1700, "validation": 120, "test": 160},
}
"""The same of dialogue/wordle-tries: 2,315 words may be hidden in the original game."""


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


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of the usual game into a folder."""
    rng = random.Random(SEED)
    _write(folder, suite, split_of_words(rng), MAX_TASKS, rng, "success")


def generate_tries(folder: Path, suite: str) -> None:
    """Write the three splits with LMRL-Gym's reward; a word is hidden in the split that hides it in the usual game."""
    _write(folder, suite, split_of_words(random.Random(SEED)), MAX_TASKS_OF_TRIES, random.Random(SEED), "tries")


def _write(
    folder: Path, suite: str, chosen: Mapping[str, Split], most: MaxTasks, rng: random.Random, reward: str
) -> None:
    splits: dict[Split, list[Task]] = {"train": [], "validation": [], "test": []}
    for size, counts in most.items():
        for split, tasks in splits.items():
            secrets = [word for word in all_words()[:size] if chosen[word] == split]
            rng.shuffle(secrets)
            for secret in secrets[: counts[split]]:
                task_id, stratum = numbered_id(suite, split, len(tasks)), f"words-{size}"
                tasks.append(
                    wordle_task(task_id, len(tasks), size, secret, reward=reward, split=split, stratum=stratum)
                )
    for split, tasks in splits.items():
        write_split(folder, split, tasks)


SUITES: Suites = {"dialogue/wordle": generate, "dialogue/wordle-tries": generate_tries}

if __name__ == "__main__":
    write_suites(SUITES)
