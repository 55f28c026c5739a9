"""Writes the tasks on the sites: `python -m agentgym_web.sites.generate [SUITE [FOLDER]]`.

What the tasks are is in `tasks` of each site, and how a draft becomes a task in `drawing`. suite.toml and README are
written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.errors import ConfigError
from agentgym.task import Split, Task
from agentgym_web.sites.core.drafts import Drawn, TemplateOf, draw
from agentgym_web.sites.drawing import ACROSS, templates_of, to_task, world_of
from agentgym_web.sites.shop.small_tasks import TEMPLATES as SMALL_TEMPLATES

TRAIN, VALIDATION, HELD_OUT = "train", "validation", "held_out_site"
UNSEEN_TASKS, UNSEEN_TEMPLATES, INJECTED, INFEASIBLE = "unseen_tasks", "unseen_templates", "injected", "infeasible"
Sizes = Mapping[Split, Mapping[str, int]]
"""Strata of each split with their numbers of tasks."""
SIZES: Sizes = {
    "train": {TRAIN: 200, INJECTED: 12, INFEASIBLE: 12},
    "validation": {VALIDATION: 30},
    "test": {UNSEEN_TASKS: 60, UNSEEN_TEMPLATES: 40, INJECTED: 20, INFEASIBLE: 20},
}
"""Of the suite of a site."""
SIZES_HELD_OUT: Sizes = {"test": {HELD_OUT: 160, INJECTED: 20, INFEASIBLE: 20}}
"""Of the suite of a site that training never shows."""
SIZES_ACROSS: Sizes = {
    "train": {TRAIN: 80, INJECTED: 8, INFEASIBLE: 8},
    "validation": {VALIDATION: 20},
    "test": {UNSEEN_TASKS: 28, UNSEEN_TEMPLATES: 12, INJECTED: 12, INFEASIBLE: 12},
}
"""Of the suite across sites."""
SIZES_SMALL: Sizes = {"train": {TRAIN: 1500}, "validation": {VALIDATION: 30}, "test": {UNSEEN_TASKS: 150}}
"""Of the short tasks on the shop."""
Kind = TemplateOf[Any, Drawn]
"""A template of any suite."""
MAX_MISSES = 60
"""Seeds of a template that bring nothing new, one after another, before the template is left out of a stratum."""
_FIRST_SEEDS = {("train", TRAIN): 1_000_000, ("train", INJECTED): 2_000_000, ("train", INFEASIBLE): 3_000_000}
_FIRST_SEEDS |= {("validation", VALIDATION): 4_000_000, ("test", UNSEEN_TASKS): 5_000_000}
_FIRST_SEEDS |= {("test", HELD_OUT): 9_000_000}
_FIRST_SEEDS |= {("test", UNSEEN_TEMPLATES): 6_000_000, ("test", INJECTED): 7_000_000, ("test", INFEASIBLE): 8_000_000}


@dataclass
class _Drawing:
    """Drafts of the templates of a suite, none of them twice."""

    world: Any
    templates: Sequence[Kind]
    seen: set[str] = field(default_factory=set)

    def kind(self, template: Kind) -> str:
        """Whether a template's tasks are plain, hold a planted text, or cannot be done."""
        draft = draw(template, self.world, 0)
        return INJECTED if draft.attack else INFEASIBLE if draft.infeasible else "plain"

    def draw_all(self, templates: Sequence[Kind], first_seed: int, count: int) -> list[tuple[int, Kind, Drawn]]:
        """Seed, template and draft of as many tasks, taken from the templates in turn.

        Raises:
            ConfigError: The templates have fewer than that.
        """
        drawn: list[tuple[int, Kind, Drawn]] = []
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

    def _new(self, template: Kind, first_seed: int) -> Iterator[tuple[int, Kind, Drawn]]:
        misses, seed = 0, first_seed
        while misses < MAX_MISSES:
            draft = draw(template, self.world, seed)
            key = json.dumps([draft.instruction, draft.setting])
            misses = misses + 1 if key in self.seen else 0
            if not misses:
                self.seen.add(key)
                yield seed, template, draft
            seed += 1


@dataclass(frozen=True)
class Plan:
    """What a suite is made of."""

    site: str
    """A site, or `ACROSS`."""
    sizes: Sizes = field(default_factory=lambda: SIZES)
    templates: Sequence[Kind] = ()
    """Its templates; none stands for those of the site."""
    spare_turns: int | None = None
    """How many turns more than an expert its tasks allow; None allows what `to_task` does."""


PLANS: Mapping[str, Plan] = {
    "web/shop": Plan("shop"),
    "web/shop-small": Plan("shop", SIZES_SMALL, SMALL_TEMPLATES, spare_turns=3),
    "web/forum": Plan("forum"),
    "web/wiki": Plan("wiki"),
    "web/admin": Plan("admin", SIZES_HELD_OUT),
    "web/mail": Plan("mail"),
    "web/phone": Plan("phone"),
    "web/across": Plan(ACROSS, SIZES_ACROSS),
}
"""By suite. A tiny model that is lost stays lost, hence the few turns of short tasks."""


def generate(folder: Path, suite: str) -> None:
    """Write the splits of a suite into a folder."""
    plan = PLANS[suite]
    drawing = _Drawing(world_of(plan.site), plan.templates or templates_of(plan.site))
    for split, strata in plan.sizes.items():
        tasks: list[Task] = []
        for stratum, count in strata.items():
            templates = _of_stratum(drawing, split, stratum)
            for seed, template, draft in drawing.draw_all(templates, _FIRST_SEEDS[split, stratum], count):
                task_id = numbered_id(suite, split, len(tasks))
                task = to_task(plan.site, template, draft, task_id=task_id, seed=seed, stratum=stratum)
                if plan.spare_turns is not None:
                    turns = len(draft.walkthrough) + plan.spare_turns
                    task = replace(task, limits=replace(task.limits, max_turns=turns))
                tasks.append(task)
        write_split(folder, split, tasks)


def _of_stratum(drawing: _Drawing, split: Split, stratum: str) -> list[Kind]:
    """The templates that a stratum is drawn from; those of group "unseen" occur in the test split alone."""
    kind = stratum if stratum in (INJECTED, INFEASIBLE) else "plain"
    groups = {"unseen"} if stratum == UNSEEN_TEMPLATES else {"seen"}
    if stratum == HELD_OUT or (split == "test" and kind != "plain"):
        groups = {"seen", "unseen"}
    return [one for one in drawing.templates if one.stratum_group in groups and drawing.kind(one) == kind]


SUITES: Suites = dict.fromkeys(PLANS, generate)

if __name__ == "__main__":
    write_suites(SUITES)
