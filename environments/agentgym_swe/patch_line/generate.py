"""Writes the tasks of `SUITES`: `python -m agentgym_swe.patch_line.generate [SUITE [FOLDER]]`.

How a program and its mistakes are drawn is in `problem`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from itertools import product
from pathlib import Path

from agentgym.authoring.task_files import First, Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_swe.patch_line.grammar import AGGREGATES, FILTERS, SHAPES, Stage
from agentgym_swe.patch_line.mistakes import TRAINED, UNSEEN
from agentgym_swe.patch_line.problem import Case, draw_case, to_task

ONE, TWO = "one_mistake", "two_mistakes"
COMBINATIONS, MISTAKES = "unseen_combinations", "unseen_mistakes"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {ONE: 10800, TWO: 1200},
    "validation": {ONE: 80, TWO: 20},
    "test": {COMBINATIONS: 200, MISTAKES: 100, TWO: 100},
}
"""Strata of each split with their numbers of tasks."""
STAGES = (1, 1, 1, 2, 1, 1, 3, 1, 1, 2)
"""Loops of the programs, in turn: seven of ten programs have one."""
HELD_OUT_SHARE = 0.2


def held_out() -> frozenset[tuple[str, str, str]]:
    """Combinations of what is done, with which value and which filter, that training never shows."""
    combinations = list(product(AGGREGATES, SHAPES, FILTERS))
    return frozenset(random.Random("held out").sample(combinations, round(HELD_OUT_SHARE * len(combinations))))


def generate(folder: Path, suite: str, first: First = None) -> None:
    """Write the three splits of swe/patch-line into a folder; no program with its mistakes occurs twice."""
    seen: set[str] = set()
    hidden = held_out()

    def is_hidden(stage: Stage) -> bool:
        return stage.combination in hidden

    def is_shown(stage: Stage) -> bool:
        return stage.combination not in hidden

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rng = random.Random(task_id)
        draw = partial(
            draw_case,
            rng,
            STAGES[index % len(STAGES)],
            tuple(UNSEEN if stratum == MISTAKES else TRAINED),
            2 if stratum == TWO else 1,
            is_hidden if stratum == COMBINATIONS else is_shown,
        )
        case, seed = draw_unseen(draw, seen, _key)
        return to_task(case, seed=seed, task_id=task_id, stratum=stratum)

    write_suite(folder, suite, SIZES, make, first)


def _key(drawn: tuple[Case, int]) -> str:
    return f"{drawn[0].text} {drawn[0].lines}"


SUITES: Suites = {"swe/patch-line": generate}

if __name__ == "__main__":
    write_suites(SUITES)
