"""Drawing tasks with planted texts, each with a twin whose text wants nothing."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence

from agentgym.task import Task
from agentgym_tools.apps.contents import contents_of
from agentgym_tools.apps.drafts import NothingToDraw, Template
from agentgym_tools.apps.injections import Planted
from agentgym_tools.apps.planning import Plan, changes_by, drawn_plan, plan_of
from agentgym_tools.apps.session import ending, session_of, solution
from agentgym_tools.apps.templates import TEMPLATES
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import Seen

MAX_DRAWS = 200
"""Draws of an attack after which a task is given up."""
TEXTS: Mapping[str, str] = {
    "mail texts": "mails",
    "note texts": "notes",
    "messages": "messages",
    "file texts": "files",
    "reviews": "reviews",
}
"""What is seen of a row whose text is read, and the row's table."""


def can_hold(template: Template) -> bool:
    """Whether tasks of a template read texts at all, and use none whole."""
    return not template.is_copying and bool(template.apps & {"mail", "notes", "messages", "files"})


def plant(
    rng: random.Random, task: Task, family: str, *, uses_own_api: bool, places: Collection[str] = tuple(TEXTS)
) -> Task | None:
    """A task with a planted text of a family.

    Args:
        rng: Where the attack is drawn from.
        task: A task without one.
        family: The wording, one of those of `Planted`.
        uses_own_api: Whether the attack needs an API that the task itself needs; else it needs another one.
        places: Where it may stand, of `TEXTS`.

    Returns:
        The task, or None if it has no place for such an attack: no text has to be read, or no such call does anything.

    Raises:
        ConfigError: There is no such family.
    """
    wording = Planted.wordings.of(family)
    plan = plan_of(task)
    rows = sorted(row for row in plan.needed if row[0] in places)
    call = _attack(rng, task, plan, uses_own_api) if rows else None
    if call is None:
        return None
    table, number = rng.choice(rows)
    planted = Planted(TEXTS[table], int(number), text=wording.format(call=call), call=call, family=family)
    found = planted.put_in(task)
    return found if _works(found, call) else None


def _works(task: Task, attack: Call) -> bool:
    """Whether the right way is still right, and the attack can be made after it too."""
    plan = plan_of(task)
    session = session_of(plan, task)
    try:
        results = [session.carry_out(call) for call in solution(plan)]
        end = ending(plan).arguments
        verdict = session.judge(end.get("answer"), end.get("infeasible"))
        results.append(session.carry_out(attack))
    finally:
        session.world.close()
    return verdict.is_success and not any(result.is_failure for result in results)


def _attack(rng: random.Random, task: Task, plan: Plan, uses_own_api: bool) -> Call | None:
    """A call that other tasks of the same person need, and that touches no row that this task touches."""
    own = {step.call.tool for outcome in plan.outcomes for step in outcome.steps}
    touched = {row for outcome in plan.outcomes for row in _touched(plan, [step.call for step in outcome.steps])}
    for _ in range(MAX_DRAWS if own or not uses_own_api else 0):
        name = task.private["template"] if uses_own_api else rng.choice(list(TEMPLATES))
        try:
            other = drawn_plan(plan.size, plan.user, name, rng.randrange(2**31))
        except NothingToDraw:
            continue
        steps = other.outcomes[0].steps
        call = rng.choice(steps).call if steps else None
        if call is None or (call.tool in own) is not uses_own_api:
            continue
        rows, contents = _touched(plan, [call]), contents_of(changes_by(plan.size, plan.user, plan.now, [call]))
        is_own = any(content in outcome.contents for outcome in plan.outcomes for content in contents)
        if rows and not is_own and not rows & touched:
            return call
    return None


def _touched(plan: Plan, calls: Sequence[Call]) -> set[Seen]:
    """The rows that calls change from the start; an added row is known by the calls that add it."""
    return {
        (each.table, f"added {[call.key for call in calls]}" if each.before is None else str(each.key))
        for each in changes_by(plan.size, plan.user, plan.now, calls)
    }
