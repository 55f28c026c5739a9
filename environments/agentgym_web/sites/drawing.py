"""Tasks from templates: drawn at random for play, and by `generate` for the suites."""

from __future__ import annotations

import importlib
import random
import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from agentgym.task import Limits, Split, Task
from agentgym_web.sites.core.all_sites import SITES, load_site, load_templates
from agentgym_web.sites.core.drafts import Drawn, TemplateOf, draw
from agentgym_web.sites.core.site import connect, snapshot

ACROSS = "across"
"""Stands for a site where tasks go across several of them."""


def draw_task(site: str, rng: random.Random, seed: int) -> Task:
    """A task of a template that training has.

    Args:
        site: The site, or `ACROSS`.
        rng: Draws the template.
        seed: Seed of the task, which its instance is drawn with.
    """
    template = rng.choice([each for each in templates_of(site) if each.stratum_group == "seen"])
    draft = draw(template, world_of(site), seed)
    return to_task(site, template, draft, task_id=f"{site}/{template.name}/{seed}", seed=seed)


def to_task(
    site: str,
    template: TemplateOf[Any, Drawn],
    draft: Drawn,
    *,
    task_id: str,
    seed: int = 0,
    suite: str = "",
    split: Split | None = None,
    stratum: str = "",
) -> Task:
    """A draft as a task.

    Args:
        site: The site that it is on, or `ACROSS`.
        template: Its template.
        draft: What the template made.
        task_id: Its id.
        seed: Its seed.
        suite: Its suite.
        split: Its split.
        stratum: Its stratum.
    """
    config = {"site": site, "template": template.name, **draft.setting}
    return Task(
        task_id,
        seed,
        instruction=draft.instruction,
        suite=suite,
        split=split,
        stratum=stratum,
        config=config,
        private=dict(draft.private()),
        limits=Limits(max_turns=max_turns(draft.walkthrough), max_invalid=3),
    )


def max_turns(walkthrough: Sequence[object]) -> int:
    """How many turns a task may take: twice those of an expert, and ten."""
    return 2 * len(walkthrough) + 10


def templates_of(site: str) -> Sequence[TemplateOf[Any, Drawn]]:
    """The templates of the tasks on a site, or of those across sites."""
    if site != ACROSS:
        return load_templates(site)
    found: Sequence[TemplateOf[Any, Drawn]] = importlib.import_module("agentgym_web.sites.across.tasks").TEMPLATES
    return found


def world_of(site: str) -> Any:
    """What the templates of a site draw from: its database; across sites, the databases of all of them by name."""
    return {name: database(name) for name in SITES} if site == ACROSS else database(site)


@cache
def database(site: str) -> sqlite3.Connection:
    """The database of a site as it is at the start, for reading."""
    return connect(snapshot(load_site(site)))
