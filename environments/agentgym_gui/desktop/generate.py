"""Writes the tasks of `SUITES`: `python -m agentgym_gui.desktop.generate [SUITE [FOLDER]]`.

What is drawn is in `agentgym_gui.templates`; suite.toml and README are written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_gui.templates.all_templates import (
    BUS,
    HELD_OUT_APPLICATIONS,
    HELD_OUT_TEMPLATES,
    OFFICE,
    TEMPLATES,
)
from agentgym_gui.templates.tasks import plan_of, task_of

_RARE = ("popups.", "orders.", "impossible.")
NUM_TRAIN, NUM_RARE = 2, 3
"""Training tasks of a template; of those with a dialog in the way, an order, no solution or mistakes to undo."""
NUM_UNSEEN = 3
NUM_APPLICATION = 6
NUM_OFFICE, NUM_BUS = 6, 4
"""Test tasks of a template of LibreOffice, and of an application on the accessibility bus."""
SMALL = ("mousepad.add_line", "mousepad.show_line_numbers", "mousepad.word_wrap", "terminal.count_lines")
"""Templates of gui/desktop-small, which take turns: few steps, few elements, and something to copy or to choose."""
SIZES_SMALL: Mapping[Split, Mapping[str, int]] = {
    "train": {"train": 400},
    "validation": {"validation": 20},
    "test": {"unseen_tasks": 80},
}
FIRST_SMALL = 1000
"""The first seed of a plan there, so that no task is one of gui/desktop."""
SPARE_TURNS = 2
"""How many turns more than an expert its tasks allow: a tiny model that is lost stays lost."""


def stratum_of(name: str) -> str:
    """Where a template's tasks go: "train" for those that all splits but `unseen_…` share."""
    plan = TEMPLATES[name].plan(0)
    if HELD_OUT_APPLICATIONS & set(plan.applications):
        return "unseen_applications"
    is_held_out = name in HELD_OUT_TEMPLATES or TEMPLATES[name].twin in HELD_OUT_TEMPLATES
    return "unseen_templates" if is_held_out else "train"


def _repeats(name: str) -> int:
    is_rare = name.startswith(_RARE) or TEMPLATES[name].plan(0).num_mistakes > 0
    return NUM_RARE if is_rare else NUM_TRAIN


def strata() -> Mapping[Split, Mapping[str, list[str]]]:
    """The templates of each stratum, one for each of its tasks."""
    where = {name: stratum_of(name) for name in sorted(TEMPLATES) if name not in (*OFFICE, *BUS)}
    shared = [name for name, stratum in where.items() if stratum == "train"]
    held = {
        stratum: [name for name in where if where[name] == stratum for _ in range(count)]
        for stratum, count in (("unseen_templates", NUM_UNSEEN), ("unseen_applications", NUM_APPLICATION))
    }
    return {
        "train": {"train": [name for name in shared for _ in range(_repeats(name))]},
        "validation": {"validation": shared},
        "test": {"unseen_instances": shared, **held},
    }


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of gui/desktop into a folder; no task occurs twice."""
    names = strata()
    ordered = {split: [name for part in parts.values() for name in part] for split, parts in names.items()}
    seen: set[str] = set()
    seeds: dict[str, int] = {}

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        name = ordered[split][index]

        def draw() -> Task:
            seeds[name] = seeds.get(name, 0) + 1
            return task_of(name, seeds[name])

        task = draw_unseen(draw, seen, lambda drawn: drawn.content_hash)
        return replace(task, id=task_id, stratum=stratum)

    counts = {split: {stratum: len(each) for stratum, each in parts.items()} for split, parts in names.items()}
    write_suite(folder, suite, counts, make)


def generate_small(folder: Path, suite: str) -> None:
    """Write the three splits of gui/desktop-small into a folder; no two tasks ask the same of the same files."""
    seen: set[tuple[str, str]] = set()
    seeds = dict.fromkeys(SMALL, FIRST_SMALL)

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        name = SMALL[index % len(SMALL)]

        def draw() -> Task:
            seeds[name] += 1
            return task_of(name, seeds[name])

        task = draw_unseen(draw, seen, lambda drawn: (drawn.instruction, str(drawn.config["files"])))
        turns = len(plan_of(task.config).oracle) + SPARE_TURNS
        return replace(task, id=task_id, stratum=stratum, limits=replace(task.limits, max_turns=turns))

    write_suite(folder, suite, SIZES_SMALL, make)


def generate_office(folder: Path, suite: str) -> None:
    """Write the test split of gui/desktop-office into a folder: some tasks of each template of LibreOffice."""
    _write_tests(folder, suite, "office", OFFICE, NUM_OFFICE)


def generate_bus(folder: Path, suite: str) -> None:
    """Write the test split of gui/desktop-bus into a folder: some tasks of each template of its two applications."""
    _write_tests(folder, suite, "bus", BUS, NUM_BUS)


def _write_tests(folder: Path, suite: str, stratum: str, templates: Sequence[str], repeats: int) -> None:
    names = [name for name in templates for _ in range(repeats)]

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        return replace(task_of(names[index], index % repeats), id=task_id, stratum=stratum)

    write_suite(folder, suite, {"test": {stratum: len(names)}}, make)


SUITES: Suites = {
    "gui/desktop": generate,
    "gui/desktop-small": generate_small,
    "gui/desktop-office": generate_office,
    "gui/desktop-bus": generate_bus,
}

if __name__ == "__main__":
    write_suites(SUITES)
