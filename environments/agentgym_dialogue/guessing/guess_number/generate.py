"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.guessing.guess_number.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.guessing.guess_number.env import guess_number_task

SEED = 20_261
HIGHEST = 40
SIZES = range(5, 17)
"""Numbers in the ranges that are trained on."""
LARGER_SIZES = range(17, 41)
NUM_VALIDATION, NUM_TEST, NUM_LARGER = 200, 300, 100
VALIDATION_RANGES, TEST_RANGES = 0.1, 0.15
"""Shares of the ranges that belong to the held-out splits; the other ranges are trained on, with every secret.

A range never has some of its secrets in training and others held out: those seen in training would then say which ones
a test holds.
"""

Game = tuple[range, int]


def _games(ranges: Sequence[range], rng: random.Random) -> list[Game]:
    """Every range with every secret, in random order."""
    games = [(numbers, secret) for numbers in ranges for secret in numbers]
    rng.shuffle(games)
    return games


def _ranges(sizes: range, rng: random.Random) -> list[range]:
    ranges = [range(low, low + size) for size in sizes for low in range(1, HIGHEST - size + 2)]
    rng.shuffle(ranges)
    return ranges


def _tasks(suite: str, split: Split, strata: Sequence[tuple[str, Sequence[Game]]]) -> list[Task]:
    numbered = enumerate((stratum, game) for stratum, games in strata for game in games)
    return [
        guess_number_task(numbered_id(suite, split, index), index, *game, split=split, stratum=stratum)
        for index, (stratum, game) in numbered
    ]


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder."""
    rng = random.Random(SEED)
    ranges = _ranges(SIZES, rng)
    num_validation, num_test = (int(len(ranges) * share) for share in (VALIDATION_RANGES, TEST_RANGES))
    held_out = num_validation + num_test
    splits: dict[Split, list[tuple[str, Sequence[Game]]]] = {
        "train": [("known_range", _games(ranges[held_out:], rng))],
        "validation": [("unseen_range", _games(ranges[:num_validation], rng)[:NUM_VALIDATION])],
        "test": [
            ("unseen_range", _games(ranges[num_validation:held_out], rng)[:NUM_TEST]),
            ("larger_range", _games(_ranges(LARGER_SIZES, rng), rng)[:NUM_LARGER]),
        ],
    }
    for split, strata in splits.items():
        write_split(folder, split, _tasks(suite, split, strata))


SUITES: Suites = {"dialogue/guess-number": generate}

if __name__ == "__main__":
    write_suites(SUITES)
