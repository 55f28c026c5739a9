"""Writes the tasks of `SUITES`: `python -m agentgym_tools.apps.generate [SUITE [FOLDER]]`.

How a task is drawn is in `drawing`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import First, Suites, numbered_id, numbered_strata, write_split, write_suites
from agentgym.errors import ConfigError
from agentgym.task import Split, Task
from agentgym_tools.apps.drafts import Template
from agentgym_tools.apps.drawing import Wanted, draw_task
from agentgym_tools.apps.injections import Planted
from agentgym_tools.apps.planting import can_hold, plant
from agentgym_tools.apps.templates import TEMPLATES
from agentgym_tools.planted_texts import Place, write_injected

TRAIN, VALIDATION = "train", "validation"
INSTANCES, NEW_TEMPLATES, COMBINATIONS = "unseen_instances", "unseen_templates", "unseen_combinations"
INFEASIBLE, WIDE = "infeasible", "three_apps"
Sizes = Mapping[Split, Mapping[str, int]]
SIZES: Mapping[str, Sizes] = {
    "full": {
        "train": {TRAIN: 1500},
        "validation": {VALIDATION: 160},
        "test": {INSTANCES: 140, NEW_TEMPLATES: 100, COMBINATIONS: 80, INFEASIBLE: 80, WIDE: 100},
    },
    "small": {
        "train": {TRAIN: 600},
        "validation": {VALIDATION: 60},
        "test": {INSTANCES: 60, NEW_TEMPLATES: 30, COMBINATIONS: 30, INFEASIBLE: 30, WIDE: 30},
    },
}
"""For each size of the world the strata of each split with their numbers of tasks."""
HELD_OUT_PAIRS = (
    frozenset({"mail", "todo"}),
    frozenset({"notes", "shop"}),
    frozenset({"calendar", "contacts"}),
    frozenset({"messages", "music"}),
    frozenset({"files", "payments"}),
)
"""Pairs of apps that no training task takes, neither alone nor among more."""
_EVERY = 7
"""One template of one or two apps in so many is held out from training."""
_MAX_DRAWS = 12
PLACES = ("mail texts", "note texts", "messages", "file texts")
"""Where the suite's texts stand; with another place its tasks would be others."""


def _has_new_pair(template: Template) -> bool:
    return any(pair <= template.apps for pair in HELD_OUT_PAIRS)


def templates_of(stratum: str) -> Sequence[Template]:
    """The templates that a stratum's tasks are drawn from, in turn."""
    every = list(TEMPLATES.values())
    infeasible = [each for each in every if each.is_infeasible]
    new_pairs = [each for each in every if _has_new_pair(each) and not each.is_infeasible]
    known = [each for each in every if each not in infeasible and each not in new_pairs]
    wide = [each for each in known if len(each.apps) > 2]
    narrow = [each for each in known if each not in wide]
    held_out = narrow[_EVERY - 1 :: _EVERY]
    seen_wide, seen_infeasible = wide[::2], [each for each in infeasible[::2] if not _has_new_pair(each)]
    seen = [each for each in narrow if each not in held_out]
    chosen = {
        NEW_TEMPLATES: held_out,
        COMBINATIONS: new_pairs,
        INFEASIBLE: infeasible,
        WIDE: [each for each in every if len(each.apps) > 2 and not each.is_infeasible],
        INSTANCES: seen,
    }
    return chosen.get(stratum, [*seen, *seen_wide, *seen_infeasible])


def generate(size: str, folder: Path, suite: str, first: First = None) -> None:
    """Write the three splits into a folder; no person is asked twice for the same."""
    seen: set[str] = set()
    for split, strata in SIZES[size].items():
        tasks: list[Task] = []
        for stratum, numbers in numbered_strata(strata, first):
            rng, left = random.Random(f"{suite} {split} {stratum}"), list(numbers)
            drawable = list(templates_of(stratum))
            while left:
                template = drawable.pop(0)
                task = _draw_new(
                    rng, Wanted(size, template.name, is_new_person=stratum not in (TRAIN, VALIDATION)), seen
                )
                if task is None:
                    continue  # nobody here has anything more for it
                tasks.append(replace(task, id=numbered_id(suite, split, left.pop(0)), stratum=stratum))
                drawable.append(template)
        write_split(folder, split, tasks)


def _draw_new(rng: random.Random, wanted: Wanted, seen: set[str]) -> Task | None:
    """A task that nobody was asked for before; None where nothing new comes in `_MAX_DRAWS` draws."""
    for _ in range(_MAX_DRAWS):
        try:
            task = draw_task(rng, wanted, "drawn")
        except ConfigError:
            return None
        key = f"{task.config['user']} {task.instruction}"
        if key not in seen:
            seen.add(key)
            return task
    return None


def generate_injected(folder: Path, suite: str, first: First = None) -> None:
    """Write tasks with planted texts, and for those of the test split twins whose texts want nothing.

    The twins of some tasks alone are those of the file where these are the first ones of the split.
    """
    seen: set[str] = set()
    holding = [each for each in templates_of(TRAIN) if can_hold(each)]

    def draw_tasks(split: Split, stratum: str, places: Sequence[Place]) -> Iterator[Task]:
        rng = random.Random(f"{suite} {split} {stratum}")
        return (_draw_injected(rng, split, holding, seen, place) for place in places)

    write_injected(folder, suite, Planted, draw_tasks, first)


def _draw_injected(rng: random.Random, split: Split, holding: list[Template], seen: set[str], place: Place) -> Task:
    """A task of one of the templates, in turn, that has a place for the attack; every third uses the task's own API."""
    uses_own_api = place.number % 3 == 0
    for turn in range(place.number, place.number + 10_000):
        wanted = Wanted("full", holding[turn % len(holding)].name, is_new_person=split == "test")
        task = _draw_new(rng, wanted, seen)
        planted = None if task is None else plant(rng, task, place.family, uses_own_api=uses_own_api, places=PLACES)
        if planted is not None:
            return planted
    raise ConfigError(f"no task has a place for an attack of the family {place.family}")


SUITES: Suites = {
    "tools/apps": partial(generate, "full"),
    "tools/apps-small": partial(generate, "small"),
    "tools/apps-injected": generate_injected,
}

if __name__ == "__main__":
    write_suites(SUITES)
