"""Writes the tasks on the sites: `python -m agentgym_web.sites.generate [SUITE [FOLDER]]`.

What the tasks are is in `tasks` of each site, and how a draft becomes a task in `drawing`. suite.toml and README are
written by hand.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.errors import ConfigError
from agentgym.task import Limits, Split, Task
from agentgym_web.sites.core.all_sites import SITES, load_site, load_templates
from agentgym_web.sites.core.drafts import Draft, Template, draw
from agentgym_web.sites.core.site import connect, snapshot
from agentgym_web.sites.drawing import to_task
from agentgym_web.sites.shop.small_tasks import TEMPLATES as SMALL_TEMPLATES

TRAIN, VALIDATION = "train", "validation"
UNSEEN_TASKS, UNSEEN_TEMPLATES, INJECTED, INFEASIBLE = "unseen_tasks", "unseen_templates", "injected", "infeasible"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 200, INJECTED: 12, INFEASIBLE: 12},
    "validation": {VALIDATION: 30},
    "test": {UNSEEN_TASKS: 60, UNSEEN_TEMPLATES: 40, INJECTED: 20, INFEASIBLE: 20},
}
"""Strata of each split with their numbers of tasks."""
SMALL_SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {TRAIN: 1500},
    "validation": {VALIDATION: 60},
    "test": {UNSEEN_TASKS: 150},
}
"""The same of the short tasks on the shop."""
SMALL_SPARE_TURNS = 3
"""How many turns more than an expert the short tasks allow."""
MAX_MISSES = 60
"""Seeds of a template that bring nothing new, one after another, before the template is left out of a stratum."""
_FIRST_SEEDS = {("train", TRAIN): 1_000_000, ("train", INJECTED): 2_000_000, ("train", INFEASIBLE): 3_000_000}
_FIRST_SEEDS |= {("validation", VALIDATION): 4_000_000, ("test", UNSEEN_TASKS): 5_000_000}
_FIRST_SEEDS |= {("test", UNSEEN_TEMPLATES): 6_000_000, ("test", INJECTED): 7_000_000, ("test", INFEASIBLE): 8_000_000}


@dataclass
class _Drawing:
    """Drafts of the templates of a site, none of them twice."""

    db: sqlite3.Connection
    templates: Sequence[Template]
    seen: set[str] = field(default_factory=set)

    def kind(self, template: Template) -> str:
        """Whether a template's tasks are plain, hold a planted text, or cannot be done."""
        draft = draw(template, self.db, 0)
        return INJECTED if draft.attack else INFEASIBLE if draft.infeasible else "plain"

    def draw_all(self, templates: Sequence[Template], first_seed: int, count: int) -> list[tuple[int, Template, Draft]]:
        """Seed, template and draft of as many tasks, taken from the templates in turn.

        Raises:
            ConfigError: The templates have fewer than that.
        """
        drawn: list[tuple[int, Template, Draft]] = []
        sources = [self._new(template, first_seed) for template in templates]
        while len(drawn) < count and sources:
            for source in list(sources):
                found = next(source, None)
                if found is None:
                    sources.remove(source)
                elif len(drawn) < count:
                    drawn.append(found)
        if len(drawn) < count:
            raise ConfigError(f"expected {count} tasks of {len(templates)} templates, which have only {len(drawn)}")
        return drawn

    def _new(self, template: Template, first_seed: int) -> Iterator[tuple[int, Template, Draft]]:
        misses, seed = 0, first_seed
        while misses < MAX_MISSES:
            draft = draw(template, self.db, seed)
            key = json.dumps([draft.instruction, draft.user])
            misses = misses + 1 if key in self.seen else 0
            if not misses:
                self.seen.add(key)
                yield seed, template, draft
            seed += 1


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of a site's suite into a folder."""
    name = suite.removeprefix("web/")
    drawing = _Drawing(connect(snapshot(load_site(name))), load_templates(name))
    for split, strata in SIZES.items():
        tasks: list[Task] = []
        for stratum, count in strata.items():
            templates = templates_of(drawing, split, stratum)
            for seed, template, draft in drawing.draw_all(templates, _FIRST_SEEDS[split, stratum], count):
                task_id = numbered_id(suite, split, len(tasks))
                tasks.append(to_task(name, template, draft, task_id=task_id, seed=seed, stratum=stratum))
        write_split(folder, split, tasks)


def templates_of(drawing: _Drawing, split: Split, stratum: str) -> list[Template]:
    """The templates that a stratum is drawn from; those of group "unseen" occur in the test split alone."""
    kind = stratum if stratum in (INJECTED, INFEASIBLE) else "plain"
    groups = {"unseen"} if stratum == UNSEEN_TEMPLATES else {"seen"}
    if split == "test" and kind != "plain":
        groups = {"seen", "unseen"}
    return [one for one in drawing.templates if one.stratum_group in groups and drawing.kind(one) == kind]


def generate_small(folder: Path, suite: str) -> None:
    """Write the three splits of short tasks on the shop into a folder; every task is in one of them."""
    drawing = _Drawing(connect(snapshot(load_site("shop"))), SMALL_TEMPLATES)
    for split, strata in SMALL_SIZES.items():
        ((stratum, count),) = strata.items()
        drawn = drawing.draw_all(SMALL_TEMPLATES, _FIRST_SEEDS[split, stratum], count)
        tasks = [
            to_task("shop", template, draft, task_id=numbered_id(suite, split, index), seed=seed, stratum=stratum)
            for index, (seed, template, draft) in enumerate(drawn)
        ]
        write_split(folder, split, [replace(task, limits=_limits(task)) for task in tasks])


def _limits(task: Task) -> Limits:
    """Little more than an expert's turns: a tiny model that is lost stays lost."""
    return replace(task.limits, max_turns=len(task.private["walkthrough"]) + SMALL_SPARE_TURNS)


SUITES: Suites = {**{f"web/{name}": generate for name in SITES}, "web/shop-small": generate_small}

if __name__ == "__main__":
    write_suites(SUITES)
