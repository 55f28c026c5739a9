"""Writes the tasks of `SUITES`: `python -m agentgym_tools.lookup.generate [SUITE [FOLDER]]`.

How a question is drawn is in `questions`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split
from agentgym_tools.lookup.questions import Difficulty, draw_task

TRAIN, VALIDATION = "train", "validation"
BASES, COMBINATIONS, SHAPES, CHAINS = "unseen_bases", "new_combinations", "unseen_shape", "longer_chains"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 3000},
    "validation": {VALIDATION: 200},
    "test": {BASES: 300, COMBINATIONS: 150, SHAPES: 150, CHAINS: 150},
}
"""Strata of each split with their numbers of tasks."""

_FIRST_SEEDS = {
    TRAIN: 1_000_000,
    VALIDATION: 2_000_000,
    BASES: 6_000_000,
    COMBINATIONS: 7_000_000,
    SHAPES: 8_000_000,
    CHAINS: 9_000_000,
}
_SHARE_OF_ONE_HOP = 0.15


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; every stratum has seeds of its own."""
    for split, strata in SIZES.items():
        drawn = [(seed, stratum) for stratum, count in strata.items() for seed in _seeds(stratum, count)]
        tasks = [
            draw_task(seed, _draw_difficulty(seed, stratum), task_id=numbered_id(suite, split, index), stratum=stratum)
            for index, (seed, stratum) in enumerate(drawn)
        ]
        write_split(folder, split, tasks)


def _seeds(stratum: str, count: int) -> range:
    return range(_FIRST_SEEDS[stratum], _FIRST_SEEDS[stratum] + count)


def _draw_difficulty(seed: int, stratum: str) -> Difficulty:
    rng = random.Random(f"difficulty {seed}")
    usual = 1 if stratum != SHAPES and rng.random() < _SHARE_OF_ONE_HOP else 2
    return Difficulty(
        hops=3 if stratum == CHAINS else usual,
        distractors=rng.randint(2, 4),
        names="new" if stratum == COMBINATIONS else "known",
        shapes="held_out" if stratum == SHAPES else "known",
    )


SUITES: Suites = {"tools/lookup": generate}

if __name__ == "__main__":
    write_suites(SUITES)
