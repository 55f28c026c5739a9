"""Writes the tasks of `SUITES`: `python -m agentgym_tools.workbench.generate [SUITE [FOLDER]]`.

How an entry is drawn is in `drawing`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import First, Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_tools.workbench.drawing import TROUBLES, Trouble, Wanted, draw_entry
from agentgym_tools.workbench.requests.all_requests import HELD_OUT, TEMPLATES
from agentgym_tools.workbench.rows.people import PEOPLE

BASE, TOOL, VALUE, NOTHING, LONG = "base", "missing_tool", "missing_parameter", "nothing_to_do", "long_results"
UNSEEN, MANY, SMALL = "unseen_templates", "four_or_more", "small"
TROUBLE_OF: Mapping[str, Trouble] = {TOOL: "tool", VALUE: "value", NOTHING: "nothing"}
"""By stratum what one request of each of its entries has."""
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {
        f"train_{BASE}": 700,
        f"train_{TOOL}": 260,
        f"train_{VALUE}": 260,
        f"train_{NOTHING}": 220,
        f"train_{LONG}": 160,
    },
    "validation": {
        f"validation_{name}": count for name, count in ((BASE, 70), (TOOL, 25), (VALUE, 25), (NOTHING, 20), (LONG, 10))
    },
    "test": {BASE: 120, TOOL: 90, VALUE: 90, NOTHING: 80, LONG: 80, UNSEEN: 100, MANY: 60},
}
"""Strata of each split with their numbers of tasks."""
SIZES_OF_SMALL: Mapping[Split, Mapping[str, int]] = {
    "train": {"train": 800},
    "validation": {"validation": 80},
    "test": {SMALL: 200},
}
SMALL_TEMPLATES = (
    *("lock_all", "unlock", "temperature", "lights", "mode", "brake", "litres", "count_unlocked", "stop"),
    *("navigate", "fan", "start", "fill"),
)
"""Kinds of requests of the suite for tiny models, all about a car."""
SMALL_DISTRACTORS = (0,)


def wanted_for(split: Split, stratum: str) -> Wanted:
    """What kind of entry a stratum has."""
    name = stratum.removeprefix(f"{split}_")
    known = [each for each in TEMPLATES if each not in HELD_OUT]
    people = [each for each in PEOPLE if each.split == split]
    usual = [each.id for each in people if not each.is_heavy]
    heavy = [each.id for each in PEOPLE if each.is_heavy and (each.split == "test") == (split == "test")]
    wanted = Wanted(usual, known, trouble=TROUBLE_OF.get(name, ""))
    if name == LONG:
        return replace(wanted, people=heavy, must=[each for each in known if TEMPLATES[each].is_long])
    if name == UNSEEN:
        return replace(wanted, templates=list(TEMPLATES), must=sorted(HELD_OUT))
    return replace(wanted, sizes=(4, 5, 6)) if name == MANY else wanted


def generate(folder: Path, suite: str, first: First = None) -> None:
    """Write the three splits of tools/workbench into a folder."""
    _write(folder, suite, SIZES, wanted_for, first)


def generate_small(folder: Path, suite: str, first: First = None) -> None:
    """Write the three splits of tools/workbench-small into a folder."""

    def wanted(split: Split, stratum: str) -> Wanted:
        people = [each.id for each in PEOPLE if each.split == split and not each.is_heavy]
        return Wanted(people, SMALL_TEMPLATES, (2,), sets=("vehicle",), num_distractors=SMALL_DISTRACTORS)

    _write(folder, suite, SIZES_OF_SMALL, wanted, first)


def _write(
    folder: Path,
    suite: str,
    sizes: Mapping[Split, Mapping[str, int]],
    wanted_for: Callable[[Split, str], Wanted],
    first: First,
) -> None:
    seen: set[str] = set()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rng = random.Random(task_id)
        wanted = wanted_for(split, stratum)
        if stratum in (MANY, SMALL) or suite.endswith(SMALL):
            wanted = replace(wanted, trouble=TROUBLES[index % len(TROUBLES)])
        draw = partial(draw_entry, rng, wanted, task_id, rng.randrange(2**31), stratum)
        return draw_unseen(draw, seen, lambda task: task.content_hash)

    write_suite(folder, suite, sizes, make, first)


SUITES: Suites = {"tools/workbench": generate, "tools/workbench-small": generate_small}

if __name__ == "__main__":
    write_suites(SUITES)
