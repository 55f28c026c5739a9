"""Tasks of desks: a customer, its goals and the policy, drawn until the wanted kind of case comes out.

What follows from a task is in `tasks`, the suites in `generate`.
"""

from __future__ import annotations

import itertools
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
from agentgym_tools.desks.goals import Case, Condition, Goal, GoalKind
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
SAME_DRAWS = 60
"""Draws of a goal that shares facts with another one after which it is given up."""
WISH_DRAWS, MAX_WISHES = 40, 5
"""Draws of what a customer wanted first, and wishes tried, after which it does not change its mind about a goal."""
MAX_INVALID = 2


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a drawn task.

    Attributes:
        desk: Name of the desk.
        size: Size of its world.
        template: The template; None draws one.
        personas: The customer's behaviour is one of these; none: one of the desk's. One that changes its mind is drawn
            only where it can.
        is_new_policy: Whether the policy's values are those held out from training.
        is_new_customer: Whether the customer is one that is held out from training; None: it does not matter.
        is_dual: Whether both the customer's own tools and the desk's have to change something.
    """

    desk: str = "shop"
    size: str = "full"
    template: Template | None = None
    personas: tuple[str, ...] = ()
    is_new_policy: bool = False
    is_new_customer: bool | None = None
    is_dual: bool = False

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
        cases = settle(domain, world, policy, goals, with_reads=False)
        if not template.fits(cases) or (wanted.is_dual and not needs_both_sides(domain, cases)):
            continue
        if PERSONAS[persona].reconsiders:
            goals = _with_first_wishes(rng, domain, world, policy, cases)
            if not any(goal.changes_mind for goal in goals):
                continue
        return _Drawn(policy, customer, persona, settle(domain, world, policy, goals))
    return None


def needs_both_sides(domain: Domain, cases: Sequence[Case]) -> bool:
    """Whether every right ending has a change by the customer's own tools and one by the desk's."""
    changes = [case.outcomes for case in cases if case.is_due and case.decision == "do"]
    return all(
        any(all(any(call.tool in tools for call in calls) for calls in outcomes) for outcomes in changes)
        for tools in (domain.user_tools, domain.toolbox.tools)
    )


def _draw_goals(
    rng: random.Random, domain: Domain, world: World, customer: str, template: Template, *, is_wrong_at_first: bool
) -> list[Goal] | None:
    goals: list[Goal] = []
    for number, name in enumerate(template.kinds, 1):
        kind = domain.kinds[name]
        if template.only_if is not None and number == len(template.kinds):
            depending = _draw_depending(rng, world, kind, goals, template)
            if depending is None:
                return None
            goals.append(depending)
            break
        facts = kind.draw(rng, world, customer)
        if facts is None:
            return None
        unknown = tuple(fact for fact in kind.can_lack if rng.random() < SHARE_UNKNOWN)
        goal = Goal(name, customer, facts, unknown)
        goals.append(replace(goal, at_first=_told_wrongly(rng, world, kind, goal)) if is_wrong_at_first else goal)
    compared = goals[:-1] if template.same else goals
    subjects = [tuple(goal.facts.get(fact) for fact in domain.subjects) for goal in compared]
    return goals if len(set(subjects)) == len(subjects) else None


def _draw_depending(
    rng: random.Random, world: World, kind: GoalKind, goals: Sequence[Goal], template: Template
) -> Goal | None:
    """A goal that is asked for only if the one before it ends in the template's way; they share some facts."""
    assert template.only_if is not None
    before = goals[-1]
    for _ in range(SAME_DRAWS if template.same else 1):
        facts = kind.draw(rng, world, before.customer)
        if facts is not None and all(facts.get(fact) == before.facts.get(fact) for fact in template.same):
            unknown = tuple(fact for fact in before.unknown if fact in template.same)
            if not set(unknown) <= set(kind.can_lack):
                return None
            condition = Condition(len(goals) - 1, template.only_if)
            return Goal(kind.name, before.customer, facts, unknown, only_if=condition)
    return None


def _with_first_wishes(
    rng: random.Random, domain: Domain, world: World, policy: Policy, cases: Sequence[Case]
) -> list[Goal]:
    """The goals of cases, each with something that the customer wanted first, where it can have wanted that."""
    goals = [case.goal for case in cases]
    for number, case in enumerate(cases):
        may_change = case.is_due and domain.kinds[case.goal.kind].can_reconsider
        drawn = (_wanted_first(rng, domain, world, case.goal) for _ in range(WISH_DRAWS if may_change else 0))
        for at_first in itertools.islice(filter(None, drawn), MAX_WISHES):
            tried = [*goals[:number], replace(case.goal, at_first=at_first, changes_mind=True), *goals[number + 1 :]]
            settled = settle(domain, world, policy, tried, with_reads=False)[number]
            if _is_proposed_first(domain, policy, settled):
                goals = tried
                break
    return goals


def _wanted_first(rng: random.Random, domain: Domain, world: World, goal: Goal) -> dict[str, Value] | None:
    """Another value of a fact about which the customer may change its mind, from a goal about the same thing."""
    kind = domain.kinds[goal.kind]
    fact = rng.choice(kind.can_reconsider)
    with world.call(may_write=False):
        other = kind.draw(rng, world, goal.customer)
    if other is None or fact in goal.unknown or not (fact in other and fact in goal.facts):
        return None
    is_same = all(other.get(each) == goal.facts.get(each) for each in domain.subjects if each != fact)
    return {fact: other[fact]} if is_same and other[fact] != goal.facts[fact] else None


def _is_proposed_first(domain: Domain, policy: Policy, case: Case) -> bool:
    """Whether a right agent proposes what the customer wanted first: the policy allows it and asks for a yes to it.

    It is one change, so that nothing has been done when the customer changes its mind.
    """
    first = case.first
    if first is None or first.decision != "do" or any(case.wants(call) for calls in first.wanted for call in calls):
        return False
    return all(len(calls) == 1 and domain.needs_yes(calls[0].tool, policy) for calls in first.wanted)


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
