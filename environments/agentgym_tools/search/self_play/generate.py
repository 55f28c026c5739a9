"""Writes the tasks of `SUITES`: `python -m agentgym_tools.search.self_play.generate [SUITE [FOLDER]]`.

How an answer is drawn is in `game`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_tools.search.drawing import Side
from agentgym_tools.search.self_play.game import draw_answer

NUM_ARTICLES = 300
TRAIN, VALIDATION, ANSWERS, CHAINS = "train", "validation", "unseen_chains", "longer_chains"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 150},
    "validation": {VALIDATION: 30},
    "test": {ANSWERS: 60, CHAINS: 60},
}
"""Strata of each split with their numbers of tasks: there are few chains in a small world."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no chain occurs twice."""
    seen: set[str] = set()
    for split, strata in SIZES.items():
        tasks: list[Task] = []
        for stratum, count in strata.items():
            rng = random.Random(f"search self-play {split} {stratum}")
            for _ in range(count):
                draw = partial(_draw, rng, stratum, numbered_id(suite, split, len(tasks)))
                tasks.append(draw_unseen(draw, seen, lambda task: str(task.private["question"])))
        write_split(folder, split, tasks)


def _draw(rng: random.Random, stratum: str, task_id: str) -> Task:
    side: Side = "known" if stratum == TRAIN else "held_out"
    hops = 3 if stratum == CHAINS else 2
    return draw_answer(task_id, rng.randrange(2**31), NUM_ARTICLES, hops, side=side, stratum=stratum)


SUITES: Suites = {"tools/search-solver": generate, "tools/search-proposer": generate}
"""Both roles have the same tasks."""

if __name__ == "__main__":
    write_suites(SUITES)
