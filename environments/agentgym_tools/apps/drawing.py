"""Tasks drawn: a template, a person for whom it can be drawn, and the seed of the drawing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from agentgym.errors import ConfigError, UnknownNameError
from agentgym.task import Limits, Task
from agentgym_tools.apps.base.bases import SIZES
from agentgym_tools.apps.drafts import NothingToDraw, Template
from agentgym_tools.apps.planning import drawn_plan
from agentgym_tools.apps.templates import TEMPLATES

MAX_TURNS = 60
MAX_TRIES = 150
HELD_OUT_EVERY = 5
"""One person in so many is never acted for in training."""


@dataclass(frozen=True)
class Wanted:
    """What tasks are drawn as.

    Attributes:
        size: The size of their world, one of `SIZES`.
        template: Name of their template; None draws one.
        num_apps: How many apps they take: 1, 2, or 3 for three and more; None for any.
        is_new_person: Whether the person is one whom training never shows; None for any.
    """

    size: str = "full"
    template: str | None = None
    num_apps: int | None = None
    is_new_person: bool | None = None

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise UnknownNameError("size", self.size, SIZES)
        if self.template is not None and self.template not in TEMPLATES:
            raise UnknownNameError("template", self.template, TEMPLATES)
        if self.num_apps not in (None, 1, 2, 3):
            raise ConfigError(f"apps must be 1, 2, 3 or None: got {self.num_apps!r}")


def people_of(wanted: Wanted) -> Sequence[int]:
    """The people for whom tasks are drawn."""
    everybody = range(1, SIZES[wanted.size].people + 1)
    if wanted.is_new_person is None:
        return everybody
    return [each for each in everybody if (each % HELD_OUT_EVERY == 0) is wanted.is_new_person]


def draw_task(rng: random.Random, wanted: Wanted, task_id: str, *, seed: int | None = None, stratum: str = "") -> Task:
    """A task drawn; its seed is that of the drawing unless one is given.

    Raises:
        ConfigError: No person of this size of world has anything for the template.
    """
    people = people_of(wanted)
    for _ in range(MAX_TRIES):
        template = wanted.template or _drawn_template(rng, wanted).name
        user, number = rng.choice(people), rng.randrange(2**31)
        try:
            plan = drawn_plan(wanted.size, user, template, number)
        except NothingToDraw:
            continue
        return Task(
            id=task_id,
            seed=number if seed is None else seed,
            stratum=stratum,
            instruction=plan.draft.text,
            config={"size": wanted.size, "user": user},
            limits=Limits(max_turns=MAX_TURNS),
            private={"template": template, "draw": number},
        )
    raise ConfigError(f"nobody in the {wanted.size} world has anything for {wanted.template or 'these templates'}")


def _drawn_template(rng: random.Random, wanted: Wanted) -> Template:
    every = TEMPLATES.values()
    return rng.choice([each for each in every if wanted.num_apps in (None, min(3, len(each.apps)))])
