"""Tasks from templates: drawn at random for play, and by `generate` for the suites."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from functools import cache

from agentgym.task import Limits, Split, Task
from agentgym_web.sites.core.all_sites import load_site, load_templates
from agentgym_web.sites.core.drafts import Draft, Template, draw
from agentgym_web.sites.core.site import connect, snapshot


def draw_task(site: str, rng: random.Random, seed: int) -> Task:
    """A task of a template that training has.

    Args:
        site: The site.
        rng: Draws the template.
        seed: Seed of the task, which its instance is drawn with.
    """
    template = rng.choice([each for each in load_templates(site) if each.stratum_group == "seen"])
    draft = draw(template, database(site), seed)
    return to_task(site, template, draft, task_id=f"{site}/{template.name}/{seed}", seed=seed)


def to_task(
    site: str,
    template: Template,
    draft: Draft,
    *,
    task_id: str,
    seed: int = 0,
    suite: str = "",
    split: Split | None = None,
    stratum: str = "",
) -> Task:
    """A draft as a task.

    Args:
        site: The site that it is on.
        template: Its template.
        draft: What the template made.
        task_id: Its id.
        seed: Its seed.
        suite: Its suite.
        split: Its split.
        stratum: Its stratum.
    """
    config = {"site": site, "template": template.name, "path": draft.path, "user": draft.user}
    return Task(
        task_id,
        seed,
        instruction=draft.instruction,
        suite=suite,
        split=split,
        stratum=stratum,
        config=config,
        private=draft.private(),
        limits=Limits(max_turns=max_turns(draft.walkthrough), max_invalid=3),
    )


def max_turns(walkthrough: Sequence[object]) -> int:
    """How many turns a task may take: twice those of an expert, and ten."""
    return 2 * len(walkthrough) + 10


@cache
def database(site: str) -> sqlite3.Connection:
    """The database of a site as it is at the start, for reading."""
    return connect(snapshot(load_site(site)))
