"""Writes the files of tools/python and tools/python-arithmetic: `python -m agentgym_tools.python.generate [FOLDER]`.

The same files come out each time. The kinds of problem are in `kinds`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

from agentgym.data_folder import data_folder
from agentgym.errors import TaskError
from agentgym.task import Task
from agentgym_tools.python.kinds import arithmetic
from agentgym_tools.python.problem import Family, Kind, Problem, draw_problem, to_task

SUITE, WORDS_SUITE = "tools/python", "tools/python-arithmetic"
FAMILIES: tuple[str, ...] = get_args(Family)[:-1]
UNSEEN, HARDER = "unseen_kinds", "harder"
SIZES: dict[str, tuple[tuple[str, int], ...]] = {
    "train": tuple((family, 60) for family in FAMILIES),
    "validation": tuple((family, 10) for family in FAMILIES),
    "test": (*((family, 15) for family in FAMILIES), (HARDER, 35), (UNSEEN, 48)),
}
"""Strata of each split with their numbers of tasks."""
NEW, TWO_STEPS = "new_tasks", "two_steps"
WORDS_SIZES: dict[str, tuple[tuple[str, int], ...]] = {
    "train": (("train", 2000),),
    "validation": (("validation", 150),),
    "test": ((NEW, 200), (TWO_STEPS, 100)),
}
LARGEST, LARGEST_OF_TWO = 100, 60
"""Bounds of the numbers in word problems, so that no result is above `MAX_NUMBER`."""
MAX_NUMBER = 279

_MAX_DRAWS = 2000


def kinds_of(family: str) -> tuple[Kind, ...]:
    """The kinds of a family."""
    kinds: tuple[Kind, ...] = importlib.import_module(f"agentgym_tools.python.kinds.{family}").KINDS
    return kinds


def make_tasks() -> Iterator[tuple[str, Task]]:
    """The tasks of tools/python with their splits; no reference solution occurs twice in them."""
    solutions: set[str] = set()
    for split, strata in SIZES.items():
        number = 0
        for stratum, count in strata:
            for index in range(count):
                family = FAMILIES[index % len(FAMILIES)] if stratum == HARDER else stratum
                yield split, _new_task(split, stratum, family, number, solutions)
                number += 1


def make_words_tasks() -> Iterator[tuple[str, Task]]:
    """The tasks of tools/python-arithmetic with their splits; no question occurs twice, or in tools/python."""
    questions = {task.instruction for _, task in make_tasks()}
    for split, strata in WORDS_SIZES.items():
        number = 0
        for stratum, count in strata:
            for _ in range(count):
                yield split, _new_words_task(split, stratum, number, questions)
                number += 1


def write_files(folder: Path, make: Callable[[], Iterator[tuple[str, Task]]]) -> None:
    """Write train.jsonl, validation.jsonl and test.jsonl."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[str]] = {split: [] for split in SIZES}
    for split, task in make():
        lines[split].append(_to_line(task))
    for split, texts in lines.items():
        (folder / f"{split}.jsonl").write_text("".join(texts), encoding="utf-8", newline="\n")


def _new_task(split: str, stratum: str, family: str, number: int, solutions: set[str]) -> Task:
    for draw in range(_MAX_DRAWS):
        rng = random.Random(f"{split} {stratum} {number} {draw}")
        level = 3 if stratum == HARDER else 1 + number % 2
        problem, expected = draw_problem(kinds_of(family), rng, level)
        if problem.solution not in solutions:
            solutions.add(problem.solution)
            task_id = f"{SUITE}:{split}-{number:05d}"
            return to_task(problem, expected, seed=number, family=family, level=level, task_id=task_id, stratum=stratum)
    raise TaskError(f"the family {family!r} has no further problem for {split}")


def _new_words_task(split: str, stratum: str, number: int, questions: set[str]) -> Task:
    templates = arithmetic.TWO_STEPS if stratum == TWO_STEPS else arithmetic.ONE_STEP
    for draw in range(_MAX_DRAWS):
        rng = random.Random(f"words {split} {stratum} {number} {draw}")
        text, expression = arithmetic.draw_words(rng, templates, LARGEST_OF_TWO if stratum == TWO_STEPS else LARGEST)
        if text not in questions:
            questions.add(text)
            problem = Problem("words", text, expression)
            level = 2 if stratum == TWO_STEPS else 1
            task_id = f"{WORDS_SUITE}:{split}-{number:05d}"
            return to_task(
                problem,
                problem.expected(),
                seed=number,
                family="arithmetic",
                level=level,
                task_id=task_id,
                stratum=stratum,
            )
    raise TaskError(f"there is no further word problem for {split}")


def _to_line(task: Task) -> str:
    """One line of a task file; suite and split follow from where it lies."""
    fields: dict[str, Any] = task.to_json()
    del fields["suite"], fields["split"]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write the task files of tools/python and tools/python-arithmetic.")
    parser.add_argument("folder", type=Path, nargs="?", default=data_folder("tasks"))
    folder = parser.parse_args().folder
    write_files(folder / SUITE, make_tasks)
    write_files(folder / WORDS_SUITE, make_words_tasks)


if __name__ == "__main__":
    main()
