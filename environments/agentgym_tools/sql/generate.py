"""Writes the tasks of `SUITES`: `python -m agentgym_tools.sql.generate [SUITE [FOLDER]]`.

How a task is drawn is in `drawing`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from agentgym.authoring.task_files import First, Suites, write_suite, write_suites
from agentgym.errors import TaskError
from agentgym.task import Split, Task
from agentgym_tools.sql.databases import SIZES
from agentgym_tools.sql.drawing import draw_task, templates_of
from agentgym_tools.sql.schema import schema_names
from agentgym_tools.sql.templates import TEMPLATES, Template

HELD_OUT_SCHEMA = "energy"
SMALL_SCHEMAS = ("library", "school", "farm")
SMALL_TEMPLATES = ("list_filter", "count_filter", "names", "missing", "sorted", "join_list")
TRAIN_DATABASES, VALIDATION_DATABASES, TEST_DATABASES = (0, 1, 2), (3,), (4,)

QUESTIONS, CHANGES, AMBIGUOUS = "questions", "changes", "ambiguous"
INSTANCES, TEMPLATE, SCHEMA = "unseen_instances", "unseen_templates", "unseen_schema"
TEST_CHANGES, TEST_AMBIGUOUS = "unseen_changes", "unseen_ambiguous"
SIZES_OF_STRATA: Mapping[Split, Mapping[str, int]] = {
    "train": {QUESTIONS: 1000, CHANGES: 180, AMBIGUOUS: 120},
    "validation": {f"validation_{QUESTIONS}": 120, f"validation_{CHANGES}": 30, f"validation_{AMBIGUOUS}": 20},
    "test": {
        INSTANCES: 150,
        TEMPLATE: 130,
        SCHEMA: 100,
        TEST_CHANGES: 70,
        f"{TEMPLATE}_changes": 20,
        TEST_AMBIGUOUS: 60,
    },
}
"""Strata of each split with their numbers of tasks."""
SIZES_OF_SMALL: Mapping[Split, Mapping[str, int]] = {
    "train": {"train": 2400},
    "validation": {"validation": 100},
    "test": {INSTANCES: 200},
}


def generate(folder: Path, suite: str, first: First = None) -> None:
    """Write the three splits of tools/sql into a folder."""
    seen: set[str] = set()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        kind = next((each for each in ("change", "ambiguous") if each in stratum), "question")
        templates = templates_of([kind], is_held_out=stratum.startswith(TEMPLATE))
        places = _places(split, stratum)
        try:  # by turns, so that each template has its share although some find fair tasks less often
            return _draw(task_id, stratum, [templates[index % len(templates)]], places, seen)
        except TaskError:  # a template of few words may have none left
            return _draw(task_id, stratum, templates, places, seen)

    write_suite(folder, suite, SIZES_OF_STRATA, make, first)


def generate_small(folder: Path, suite: str, first: First = None) -> None:
    """Write the three splits of tools/sql-small into a folder."""
    seen: set[str] = set()
    templates = [TEMPLATES[name] for name in SMALL_TEMPLATES]

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        places = [(name, number) for name in SMALL_SCHEMAS for number in _databases(split)]
        return _draw(task_id, stratum, templates, places, seen, is_small=True)

    write_suite(folder, suite, SIZES_OF_SMALL, make, first)


def _draw(
    task_id: str,
    stratum: str,
    templates: Sequence[Template],
    places: Sequence[tuple[str, int]],
    seen: set[str],
    is_small: bool = False,
) -> Task:
    rng = random.Random(task_id)
    task = draw_task(
        rng,
        templates,
        places,
        is_small=is_small,
        is_new=lambda text: text not in seen,
        task_id=task_id,
        seed=rng.randrange(2**31),
        stratum=stratum,
    )
    seen.add(task.instruction)
    return task


def _places(split: Split, stratum: str) -> list[tuple[str, int]]:
    if stratum == SCHEMA:
        return [(HELD_OUT_SCHEMA, number) for number in range(len(SIZES))]
    return [(name, number) for name in schema_names() if name != HELD_OUT_SCHEMA for number in _databases(split)]


def _databases(split: Split) -> tuple[int, ...]:
    return {"train": TRAIN_DATABASES, "validation": VALIDATION_DATABASES, "test": TEST_DATABASES}[split]


SUITES: Suites = {"tools/sql": generate, "tools/sql-small": generate_small}

if __name__ == "__main__":
    write_suites(SUITES)
