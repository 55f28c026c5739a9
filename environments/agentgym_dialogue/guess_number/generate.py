"""Writes the tasks of dialogue/guess-number: `python -m agentgym_dialogue.guess_number.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are written by hand.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.guess_number.env import guess_number_task
from agentgym_dialogue.task_files import suite_folder, write_split

SEED = 20_261
HIGHEST = 40
SIZES = range(5, 17)
"""Numbers in the ranges that are trained on."""
LARGER_SIZES = range(17, 41)
NUM_TRAIN, NUM_VALIDATION, NUM_HEADLINE, NUM_OTHER = 2400, 200, 200, 100
HELD_OUT_RANGES = 0.1
"""Share of the ranges that appear in the test split alone."""

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


def _tasks(split: Split, strata: Sequence[tuple[str, Sequence[Game]]]) -> list[Task]:
    numbered = enumerate((stratum, game) for stratum, games in strata for game in games)
    return [
        guess_number_task(f"dialogue/guess-number:{split}-{index:05}", index, *game, split=split, stratum=stratum)
        for index, (stratum, game) in numbered
    ]


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    rng = random.Random(SEED)
    ranges = _ranges(SIZES, rng)
    num_held_out = int(len(ranges) * HELD_OUT_RANGES)
    unseen_ranges = _games(ranges[:num_held_out], rng)
    games = iter(_games(ranges[num_held_out:], rng))
    larger = _games(_ranges(LARGER_SIZES, rng), rng)
    splits: dict[Split, list[tuple[str, Sequence[Game]]]] = {
        "train": [("combination", list(islice(games, NUM_TRAIN)))],
        "validation": [("combination", list(islice(games, NUM_VALIDATION)))],
        "test": [
            ("combination", list(islice(games, NUM_HEADLINE))),
            ("range", unseen_ranges[:NUM_OTHER]),
            ("larger", larger[:NUM_OTHER]),
        ],
    }
    for split, strata in splits.items():
        write_split(folder, split, _tasks(split, strata))


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "guess-number"))
