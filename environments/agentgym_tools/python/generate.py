"""Writes the tasks of `SUITES`: `python -m agentgym_tools.python.generate [SUITE [FOLDER]]`.

The kinds of problem are in `kinds`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import get_args

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.errors import TaskError
from agentgym.task import Split, Task
from agentgym_tools.python.kinds import arithmetic
from agentgym_tools.python.problem import Family, Kind, Problem, draw_problem, to_task

Sizes = Mapping[Split, Mapping[str, int]]
FAMILIES: tuple[str, ...] = get_args(Family)[:-1]
UNSEEN, HARDER = "unseen_kinds", "harder"
SIZES: Sizes = {
    "train": dict.fromkeys(FAMILIES, 60),
    "validation": dict.fromkeys(FAMILIES, 10),
    "test": {**dict.fromkeys(FAMILIES, 15), HARDER: 35, UNSEEN: 48},
}
"""Strata of each split with their numbers of tasks."""
NEW, TWO_STEPS = "new_tasks", "two_steps"
WORDS_SIZES: Sizes = {
    "train": {"train": 2000},
    "validation": {"validation": 150},
    "test": {NEW: 200, TWO_STEPS: 100},
}
LARGEST, LARGEST_OF_TWO = 100, 60
"""Bounds of the numbers in word problems, so that no result is above `MAX_NUMBER`."""
MAX_NUMBER = 279

_MAX_DRAWS = 2000


def kinds_of(family: str) -> tuple[Kind, ...]:
    """The kinds of a family."""
    kinds: tuple[Kind, ...] = importlib.import_module(f"agentgym_tools.python.kinds.{family}").KINDS
    return kinds


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of functions and word problems into a folder."""
    _write(folder, _make_tasks(suite))


def generate_words(folder: Path, suite: str) -> None:
    """Write the three splits of word problems into a folder; no question occurs in the other suite."""
    _write(folder, _make_words_tasks(suite))


def _write(folder: Path, tasks: Iterator[Task]) -> None:
    for split, of_split in groupby(tasks, lambda task: task.split):
        assert split is not None
        write_split(folder, split, of_split, with_empty=True)


def _make_tasks(suite: str) -> Iterator[Task]:
    """The tasks of all splits; no reference solution occurs twice in them."""
    solutions: set[str] = set()
    for split, strata in SIZES.items():
        number = 0
        for stratum, count in strata.items():
            for index in range(count):
                family = FAMILIES[index % len(FAMILIES)] if stratum == HARDER else stratum
                yield _new_task(suite, split, stratum, family, number, solutions)
                number += 1


def _make_words_tasks(suite: str) -> Iterator[Task]:
    """The tasks of all splits; no question occurs twice, or in the other suite."""
    questions = {task.instruction for task in _make_tasks("")}
    for split, strata in WORDS_SIZES.items():
        number = 0
        for stratum, count in strata.items():
            for _ in range(count):
                yield _new_words_task(suite, split, stratum, number, questions)
                number += 1


def _new_task(suite: str, split: Split, stratum: str, family: str, number: int, solutions: set[str]) -> Task:
    for draw in range(_MAX_DRAWS):
        rng = random.Random(f"{split} {stratum} {number} {draw}")
        level = 3 if stratum == HARDER else 1 + number % 2
        problem, expected = draw_problem(kinds_of(family), rng, level)
        if problem.solution not in solutions:
            solutions.add(problem.solution)
            task_id = numbered_id(suite, split, number)
            task = to_task(problem, expected, seed=number, family=family, level=level, task_id=task_id, stratum=stratum)
            return replace(task, split=split)
    raise TaskError(f"the family {family!r} has no more problems for {split}; ask for fewer tasks")


def _new_words_task(suite: str, split: Split, stratum: str, number: int, questions: set[str]) -> Task:
    templates = arithmetic.TWO_STEPS if stratum == TWO_STEPS else arithmetic.ONE_STEP
    for draw in range(_MAX_DRAWS):
        rng = random.Random(f"words {split} {stratum} {number} {draw}")
        text, expression = arithmetic.draw_words(rng, templates, LARGEST_OF_TWO if stratum == TWO_STEPS else LARGEST)
        if text not in questions:
            questions.add(text)
            problem = Problem("words", text, expression)
            level = 2 if stratum == TWO_STEPS else 1
            task = to_task(
                problem,
                problem.expected(),
                seed=number,
                family="arithmetic",
                level=level,
                task_id=numbered_id(suite, split, number),
                stratum=stratum,
            )
            return replace(task, split=split)
    raise TaskError(f"there are no more word problems for {split}; ask for fewer tasks")


SUITES: Suites = {"tools/python": generate, "tools/python-arithmetic": generate_words}

if __name__ == "__main__":
    write_suites(SUITES)
