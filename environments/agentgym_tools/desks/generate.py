"""Writes the tasks of `SUITES`: `python -m agentgym_tools.desks.generate [SUITE [FOLDER]]`.

How a task is drawn is in `drawing`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import (
    First,
    Suites,
    draw_unseen,
    numbered_id,
    numbered_strata,
    write_split,
    write_suites,
)
from agentgym.suite import load_suite
from agentgym.task import Split, Task
from agentgym_tools.desks.conditions.injections import Planted
from agentgym_tools.desks.conditions.options import Options
from agentgym_tools.desks.conditions.planting import plant
from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.drawing import FEW_DRAWS, Wanted, can_draw, draw_task, try_to_draw_task
from agentgym_tools.desks.templates import Template
from agentgym_tools.planted_texts import Place, write_injected
from agentgym_tools.specs import FINDING_DESKS, HARDER_DESKS, INJECTED_DESKS, SMALL_DESKS, WORDS_DESKS

TRAIN, VALIDATION = "train", "validation"
CUSTOMERS, TEMPLATES, POLICIES, PERSONAS = "unseen_customers", "unseen_templates", "unseen_policies", "unseen_personas"
REQUESTS, INFEASIBLE, DUAL = "three_requests", "infeasible", "dual_control"
Sizes = Mapping[Split, Mapping[str, int]]
SIZES: Mapping[str, Sizes] = {
    "full": {
        "train": {TRAIN: 1500},
        "validation": {VALIDATION: 120},
        "test": {CUSTOMERS: 120, TEMPLATES: 80, POLICIES: 80, PERSONAS: 60, REQUESTS: 40, INFEASIBLE: 80},
    },
    "small": {
        "train": {TRAIN: 1000},
        "validation": {VALIDATION: 60},
        "test": {CUSTOMERS: 100, TEMPLATES: 30, POLICIES: 30, PERSONAS: 30, REQUESTS: 20, INFEASIBLE: 30},
    },
}
"""For each size of the world the strata of each split with their numbers of tasks."""
NUM_DUAL = 60
"""Tasks of the last test stratum of a desk whose customers have tools of their own: both sides have to write."""
UNSEEN_DESK = "unseen_desk"
HELD_OUT_DESKS = {"insurance"}
"""Desks that no training task shows; their suites have a test split alone."""
HELD_OUT_SIZES: Sizes = {"test": {UNSEEN_DESK: 300, INFEASIBLE: 100, REQUESTS: 50}}
HELD_OUT_PERSONAS = ("insisting", "digressing")
CHANGING = "changing"
"""Behaviour that only some kinds of goals allow, so that it is not drawn but takes turns where it can be."""
CHANGING_EVERY = 3
"""One task in so many of a template that allows it. Small worlds have none, nor goals that depend on others: what is
trained from nothing learns the plain dialogue there, and figures that are measured on them have to stay comparable."""
OPTIONS: Mapping[str, Options] = {
    "distractors_3": Options(distractors=3),
    "distractors_10": Options(distractors=10),
    "distractors_all": Options(distractors="all"),
    "scrambled_names": Options(scrambled="names"),
    "no_descriptions": Options(scrambled="descriptions"),
    "solo": Options(solo=True),
    "fails_once": Options(fails_once=True),
    "all_together": Options("all", "all", solo=True, fails_once=True),
}
"""Strata of the suites of harder tasks."""
FINDING: Mapping[str, Options] = {"finds_tools": Options(finds_tools=True)}
"""Stratum of the suites of tasks whose tools have to be found; a desk of them has twice as many tasks."""
NUM_HARDER = 40
"""Tasks of each of these strata."""
FINDING_TURNS = 80
"""Most turns of a task whose tools have to be found."""
NUM_WORDS = 10
"""Test tasks of each persona in the suites of talk in words."""
WORDS_SIZES: Mapping[Split, int] = {"train": 300, "validation": 40}
"""Tasks of their other splits, whose strata have the same names; desks that are held out have none."""
NUM_TEST_WORLDS = 8
"""Small worlds that no training task is in, where a desk has several."""
_EVERY = 7
"""One template in so many is held out from training."""


def generate(desk_name: str, size: str, folder: Path, suite: str, first: First = None) -> None:
    """Write the three splits into a folder; no two tasks are the same."""
    seen: set[str] = set()
    for split, strata in _sizes_of(desk_name, size).items():
        tasks: list[Task] = []
        for stratum, numbers in numbered_strata(strata, first):
            rng = random.Random(f"{suite} {split} {stratum}")
            drawable = _drawable(rng, desk_name, size, stratum)
            worlds = _worlds_of(desk(desk_name), size, split)
            for number, index in enumerate(numbers):
                task_id, wanted = numbered_id(suite, split, index), _in_turn(drawable, number)
                one_world = partial(_draw, rng, task_id, stratum, wanted)
                draw = one_world if len(worlds) == 1 else partial(_draw_in, worlds, rng, task_id, stratum, wanted)
                tasks.append(draw_unseen(draw, seen, lambda task: task.content_hash))
        write_split(folder, split, tasks)


def _sizes_of(desk_name: str, size: str) -> Sizes:
    """The strata of each split with their numbers of tasks."""
    if desk_name in HELD_OUT_DESKS:
        return HELD_OUT_SIZES
    sizes = SIZES[size]
    has_dual = size == "full" and desk(desk_name).user_tools
    return {**sizes, "test": {**sizes["test"], DUAL: NUM_DUAL}} if has_dual else sizes


def _worlds_of(domain: Domain, size: str, split: Split) -> Sequence[str]:
    """The worlds of a size that a split's tasks are in: where there are several, the last ones are the test's alone."""
    worlds = domain.small_worlds if size == "small" else [size]
    if len(worlds) == 1:
        return worlds
    return worlds[-NUM_TEST_WORLDS:] if split == "test" else worlds[:-NUM_TEST_WORLDS]


def _draw_in(worlds: Sequence[str], rng: random.Random, task_id: str, stratum: str, wanted: Wanted) -> Task:
    """Draw a task in some world that can make it; where there are several, whole worlds are held out, not customers."""
    while True:
        there = replace(wanted, size=rng.choice(worlds), is_new_customer=None)
        task = try_to_draw_task(task_id, rng, there, rng.randrange(2**31), FEW_DRAWS, stratum=stratum)
        if task is not None:
            return task


def generate_harder(
    desk_name: str, conditions: Mapping[str, Options], folder: Path, suite: str, first: First = None
) -> None:
    """Write a test split of tasks under each of some conditions; no two have the same customer, goals and policy."""
    seen: set[str] = set()
    tasks: list[Task] = []
    sizes = {stratum: NUM_HARDER * (2 if options.finds_tools else 1) for stratum, options in conditions.items()}
    for stratum, numbers in numbered_strata(sizes, first):
        options, rng = conditions[stratum], random.Random(f"{suite} {stratum}")
        drawable = _drawable(rng, desk_name, "full", CUSTOMERS)
        for number, index in enumerate(numbers):
            draw = partial(_draw, rng, numbered_id(suite, "test", index), stratum, _in_turn(drawable, number))
            task = draw_unseen(draw, seen, lambda task: task.content_hash)
            limits = replace(task.limits, max_turns=FINDING_TURNS) if options.finds_tools else task.limits
            tasks.append(replace(task, config={**task.config, "options": options.to_json()}, limits=limits))
    write_split(folder, "test", tasks)


def generate_words(desk_name: str, folder: Path, suite: str, first: First = None) -> None:
    """Write tasks in which people talk in words; each persona is a stratum of the test split.

    The test tasks are some of those of the desk's suite by acts, so that a policy is compared in both on the same ones.
    Personas that this suite lacks get tasks of their own.
    """
    by_acts = load_suite(f"tools/desk-{desk_name}").tasks("test")
    seen: set[str] = set()
    drawn: list[Task] = []
    for persona, numbers in numbered_strata(dict.fromkeys(desk(desk_name).personas, NUM_WORDS), first):
        rng = random.Random(f"{suite} {persona}")
        drawable = _drawable(rng, desk_name, "full", CUSTOMERS)
        same = [task for task in by_acts if task.private["persona"] == persona]
        for number, index in enumerate(numbers):
            task_id = numbered_id(suite, "test", index)
            if same:
                task = same[number * len(same) // NUM_WORDS]
                drawn.append(_in_words(Task.from_json(task.to_json() | {"id": task_id, "stratum": persona})))
            else:
                wanted = replace(drawable[number * 7 % len(drawable)], personas=(persona,))
                drawn.append(_draw_words(rng, task_id, persona, wanted, seen))
    seen.update(task.content_hash for task in by_acts)
    write_split(folder, "test", drawn)
    for split, count in ({} if desk_name in HELD_OUT_DESKS else WORDS_SIZES).items():
        rng = random.Random(f"{suite} {split}")
        drawable = _drawable(rng, desk_name, "full", split)
        ids = [
            numbered_id(suite, split, index)
            for _, numbers in numbered_strata({split: count}, first)
            for index in numbers
        ]
        tasks = [_draw_words(rng, each, split, _in_turn(drawable, turn), seen) for turn, each in enumerate(ids)]
        write_split(folder, split, tasks)


def _draw_words(rng: random.Random, task_id: str, stratum: str, wanted: Wanted, seen: set[str]) -> Task:
    draw = partial(_draw, rng, task_id, stratum, wanted)
    return _in_words(draw_unseen(draw, seen, lambda task: task.content_hash))


def _in_words(task: Task) -> Task:
    return replace(task, config={**task.config, "options": Options(talk="words").to_json()})


def generate_injected(desk_name: str, folder: Path, suite: str, first: First = None) -> None:
    """Write tasks with planted texts, and for those of the test split twins whose texts want nothing.

    The twins of some tasks alone are those of the file where these are the first ones of the split.
    """
    seen: set[str] = set()

    def draw_tasks(split: Split, stratum: str, places: Sequence[Place]) -> Iterator[Task]:
        rng = random.Random(f"{suite} {split} {stratum}")
        drawable = _drawable(rng, desk_name, "full", TRAIN if split == "train" else CUSTOMERS)
        for place in places:
            draw = partial(_draw_injected, rng, stratum, drawable, place)
            yield draw_unseen(draw, seen, lambda task: task.content_hash)

    write_injected(folder, suite, Planted, draw_tasks, first)


def _draw_injected(rng: random.Random, stratum: str, drawable: list[Wanted], place: Place) -> Task:
    """A task of one of the templates, in turn, that has a place for the attack; every third uses the task's tool."""
    first = place.number % len(drawable)
    tasks = (_draw(rng, "drawn", stratum, wanted) for wanted in itertools.cycle(drawable[first:] + drawable[:first]))
    uses_own_tool = place.number % 3 == 0
    return next(filter(None, (plant(rng, task, place.family, uses_own_tool=uses_own_tool) for task in tasks)))


def templates_of(domain: Domain, stratum: str) -> list[Template]:
    """The templates that a stratum's tasks are drawn from, in turn."""
    several = [each for each in domain.templates if len(each.kinds) > 2]
    others = [each for each in domain.templates if each not in several]
    held_out = others[_EVERY - 1 :: _EVERY]
    known = [each for each in others if each not in held_out]
    if stratum == UNSEEN_DESK:
        return others
    special = {TEMPLATES: held_out, REQUESTS: several, INFEASIBLE: [each for each in known if each.is_infeasible]}
    return special.get(stratum, known)


def _drawable(rng: random.Random, desk_name: str, size: str, stratum: str) -> list[Wanted]:
    """What a stratum's tasks are drawn as, in turn: one for each template that a world of this size can make."""
    templates = templates_of(desk(desk_name), stratum)
    if size == "small":
        templates = [template for template in templates if template.only_if is None]
    each = [_wanted(desk_name, size, stratum, template) for template in templates]
    return [wanted for wanted in each if can_draw(rng, wanted)]


def _wanted(desk_name: str, size: str, stratum: str, template: Template) -> Wanted:
    known = tuple(persona for persona in desk(desk_name).personas if persona not in (*HELD_OUT_PERSONAS, CHANGING))
    return Wanted(
        desk_name,
        size,
        template,
        HELD_OUT_PERSONAS if stratum == PERSONAS else known,
        is_new_policy=stratum == POLICIES,
        is_new_customer=None
        if stratum == REQUESTS or desk_name in HELD_OUT_DESKS
        else stratum not in (TRAIN, VALIDATION),
        is_dual=stratum == DUAL,
    )


def _in_turn(drawable: Sequence[Wanted], number: int) -> Wanted:
    """What the task of a number is drawn as; in some turns of a template its customer changes its mind."""
    turn, place = divmod(number, len(drawable))
    wanted = drawable[place]
    if wanted.size != "full" or wanted.personas == HELD_OUT_PERSONAS or (turn + place) % CHANGING_EVERY:
        return wanted
    assert wanted.template is not None
    kinds = [wanted.domain.kinds[kind] for kind in wanted.template.done]
    can_change = wanted.template.decision == "do" and any(kind.can_reconsider for kind in kinds)
    return replace(wanted, personas=(CHANGING,)) if can_change else wanted


def _draw(rng: random.Random, task_id: str, stratum: str, wanted: Wanted) -> Task:
    return draw_task(task_id, rng, wanted, rng.randrange(2**31), stratum=stratum)


SUITES: Suites = {
    **{f"tools/desk-{name}": partial(generate, name, "full") for name in DESKS},
    **{f"tools/desk-{name}-small": partial(generate, name, "small") for name in SMALL_DESKS},
    **{f"tools/desk-{name}-injected": partial(generate_injected, name) for name in INJECTED_DESKS},
    **{f"tools/desk-{name}-harder": partial(generate_harder, name, OPTIONS) for name in HARDER_DESKS},
    **{f"tools/desk-{name}-find": partial(generate_harder, name, FINDING) for name in FINDING_DESKS},
    **{f"tools/desk-{name}-words": partial(generate_words, name) for name in WORDS_DESKS},
}

if __name__ == "__main__":
    write_suites(SUITES)
