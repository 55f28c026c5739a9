"""Tasks of desks: a customer, its goals and the policy, drawn until the wanted kind of case comes out.

What follows from a task is in `tasks`, the suites in `generate`.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from agentgym.errors import ConfigError, UnknownNameError
from agentgym.task import Limits, Task
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.domain import Domain, settle
from agentgym_tools.desks.goals import Case, Goal, GoalKind
from agentgym_tools.desks.personas import PERSONAS
from agentgym_tools.desks.policy import Policy
from agentgym_tools.desks.templates import Template
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Value

MAX_DRAWS = 20_000
"""Draws after which a template is given up."""
FEW_DRAWS = 300
"""The same where another template can take its place."""
TRIAL_DRAWS = 1500
"""Draws after which a template counts as one that a world of this size cannot make."""
SHARE_UNKNOWN = 0.3
"""Share of facts that could be unknown to a customer which are."""
MAX_INVALID = 2


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a drawn task.

    Attributes:
        desk: Name of the desk.
        size: Size of its world.
        template: The template; None draws one.
        personas: The customer's behaviour is one of these; none: one of the desk's.
        is_new_policy: Whether the policy's values are those held out from training.
        is_new_customer: Whether the customer is one that is held out from training; None: it does not matter.
    """

    desk: str = "shop"
    size: str = "full"
    template: Template | None = None
    personas: tuple[str, ...] = ()
    is_new_policy: bool = False
    is_new_customer: bool | None = None

    def __post_init__(self) -> None:
        self.domain.world(self.size).close()
        for name in self.personas:
            if name not in PERSONAS:
                raise UnknownNameError("persona", name, PERSONAS)

    @cached_property
    def domain(self) -> Domain:
        """The desk."""
        return desk(self.desk)


@dataclass(frozen=True)
class _Drawn:
    """A task's content."""

    policy: Policy
    customer: str
    persona: str
    cases: Sequence[Case]


def draw_task(task_id: str, rng: random.Random, wanted: Wanted, seed: int, **fields: Any) -> Task:
    """Draw a task.

    Args:
        task_id: Its id.
        rng: Where it is drawn from.
        wanted: What is wanted of it. Where it names no template, one is drawn that the size can make.
        seed: The task's seed.
        fields: Further fields of the task.

    Raises:
        ConfigError: Nothing that fits was drawn: a desk of this size has no such template.
    """
    task = try_to_draw_task(task_id, rng, wanted, seed, MAX_DRAWS, **fields)
    if task is not None:
        return task
    named = "any template" if wanted.template is None else repr(wanted.template.name)
    raise ConfigError(
        f"{MAX_DRAWS} draws at the desk {wanted.desk!r} of size {wanted.size!r} gave no task of {named}; check that "
        "its world and policy can make one"
    )


def try_to_draw_task(
    task_id: str, rng: random.Random, wanted: Wanted, seed: int, max_draws: int, **fields: Any
) -> Task | None:
    """Draw a task as `draw_task` does; None where `max_draws` draws of the wanted template gave none."""
    world = wanted.domain.world(wanted.size)
    try:
        if wanted.template is not None:
            drawn = _draw(rng, wanted, wanted.template, world, max_draws)
        else:
            templates = iter(rng.sample(wanted.domain.templates, len(wanted.domain.templates)))
            drawn = next(filter(None, (_draw(rng, wanted, each, world, FEW_DRAWS) for each in templates)), None)
        return None if drawn is None else _task(task_id, seed, wanted, drawn, fields)
    finally:
        world.close()


def can_draw(rng: random.Random, wanted: Wanted) -> bool:
    """Whether a task of the wanted template comes out in a reasonable number of draws."""
    assert wanted.template is not None
    world = wanted.domain.world(wanted.size)
    try:
        return _draw(rng, wanted, wanted.template, world, TRIAL_DRAWS) is not None
    finally:
        world.close()


def is_held_out(customer: str) -> bool:
    """Whether training never shows a customer: one in five."""
    return zlib.crc32(customer.encode()) % 5 == 0


def _draw(rng: random.Random, wanted: Wanted, template: Template, world: World, max_draws: int) -> _Drawn | None:
    domain = wanted.domain
    for _ in range(max_draws):
        values = domain.policy.draw_values(rng, is_held_out=wanted.is_new_policy)
        with world.call(may_write=False):
            customer = domain.draw_customer(rng, world)
            if wanted.is_new_customer is not None and is_held_out(customer) != wanted.is_new_customer:
                continue
            persona = rng.choice(wanted.personas or domain.personas)
            goals = _draw_goals(rng, domain, world, customer, template, is_wrong_at_first=persona == "correcting")
        if goals is None:
            continue
        policy = domain.policy(*values)
        if template.fits(settle(domain, world, policy, goals, with_reads=False)):
            return _Drawn(policy, customer, persona, settle(domain, world, policy, goals))
    return None


def _draw_goals(
    rng: random.Random, domain: Domain, world: World, customer: str, template: Template, *, is_wrong_at_first: bool
) -> list[Goal] | None:
    goals: list[Goal] = []
    for name in template.kinds:
        kind = domain.kinds[name]
        facts = kind.draw(rng, world, customer)
        if facts is None:
            return None
        unknown = tuple(fact for fact in kind.can_lack if rng.random() < SHARE_UNKNOWN)
        goal = Goal(name, customer, facts, unknown)
        goals.append(replace(goal, at_first=_told_wrongly(rng, world, kind, goal)) if is_wrong_at_first else goal)
    subjects = [tuple(goal.facts.get(fact) for fact in domain.subjects) for goal in goals]
    return goals if len(set(subjects)) == len(subjects) else None


def _told_wrongly(rng: random.Random, world: World, kind: GoalKind, goal: Goal) -> dict[str, Value]:
    """One fact with another value than the goal's; none where the customer can tell no such fact."""
    told = [fact for fact in kind.can_change if fact in goal.facts and fact not in goal.unknown]
    if not told:
        return {}
    fact = rng.choice(told)
    others = [value for value in kind.can_change[fact](world) if value != goal.facts[fact]]
    return {fact: rng.choice(others)} if others else {}


def _num_reads(case: Case) -> int:
    return len(case.reads) + sum(read.finding is not None for read in case.reads)


def _task(
    task_id: str,
    seed: int,
    wanted: Wanted,
    drawn: _Drawn,
    fields: Mapping[str, Any],
) -> Task:
    num_steps = sum(4 + _num_reads(case) + len(case.goal.facts) for case in drawn.cases)
    return Task(
        task_id,
        seed,
        f"Serve one of {wanted.domain.title}.",
        config={"desk": wanted.desk, "size": wanted.size, "policy": drawn.policy.to_json()},
        private={
            "customer": drawn.customer,
            "persona": drawn.persona,
            "goals": [case.goal.to_json() for case in drawn.cases],
        },
        limits=Limits(max_turns=2 * num_steps + 8, max_invalid=MAX_INVALID),
        **fields,
    )
