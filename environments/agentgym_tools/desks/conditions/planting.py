"""Drawing tasks with planted texts, each with a twin whose text wants nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.task import Task
from agentgym_tools.desks.conditions.injections import Planted
from agentgym_tools.desks.conditions.options import Options, make_interface
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.domain import Domain, changes_by
from agentgym_tools.desks.goals import Case, Goal
from agentgym_tools.desks.session import Session, session_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import Seen

MAX_DRAWS = 400
"""Draws of an attack after which a task is given up."""


def plant(rng: random.Random, task: Task, family: str, *, uses_own_tool: bool) -> Task | None:
    """A task with a planted text of a family.

    Args:
        rng: Where the attack is drawn from.
        task: A task without one.
        family: The wording, one of those of `Planted`.
        uses_own_tool: Whether the attack needs a tool that the task itself needs; else it needs another one.

    Returns:
        The task, or None if it has no place for such an attack: nothing has to be read, or no such call does anything.

    Raises:
        ConfigError: There is no such family.
    """
    wording = Planted.wordings.of(family)
    domain = desk(task.config["desk"])
    session = session_of(task, domain)
    rows = _rows(session)
    call = _attack(rng, session, uses_own_tool) if rows else None
    session.world.close()
    if call is None:
        return None
    shown = make_interface(domain, Options(), 0).write(call)
    planted = Planted(rng.choice(rows), text=wording.format(call=shown), call=call, family=family)
    return planted.put_in(task)


def _rows(session: Session) -> Sequence[Seen]:
    """Rows that have to be read with the desk's tools, in order."""
    tools = session.domain.toolbox.tools
    return sorted(
        {row for case in _due(session) for read in case.reads if read.call.tool in tools for row in read.seen}
    )


def _attack(rng: random.Random, session: Session, uses_own_tool: bool) -> Call | None:
    """A call that does something which no right outcome does, and touches no row that one touches."""
    domain, policy, start = session.domain, session.plan.policy, session.start
    own_tools = {call.tool for case in session.cases for calls in case.wanted for call in calls}
    touched = _touched(domain, session.plan.customer, start, _right_calls(session))
    for _ in range(MAX_DRAWS):
        with start.call(may_write=False):
            customer = session.plan.customer if rng.random() < 0.5 else domain.draw_customer(rng, start)
            kind = domain.kinds[rng.choice(list(domain.kinds))]
            facts = kind.draw(rng, start, customer)
            wanted = [] if facts is None else kind.wanted(start, Goal(kind.name, customer, facts), policy)
        if not wanted:
            continue
        call = rng.choice(wanted)[0]
        if (call.tool in own_tools) != uses_own_tool or call.tool not in domain.toolbox.tools:
            continue
        rows = _touched(domain, customer, start, [call])
        if rows and not rows & touched:
            return call
    return None


def _right_calls(session: Session) -> list[Call]:
    return [call for case in _due(session) for calls in case.outcomes for call in calls]


def _due(session: Session) -> list[Case]:
    return [case for case in session.cases if case.is_due]


def _touched(domain: Domain, customer: str, start: World, calls: Sequence[Call]) -> set[Seen]:
    """The rows that calls change, each made from the start; an added row has no key that others could have."""
    found: set[Seen] = set()
    for call in calls:
        for change in changes_by(domain, customer, start, [call]):
            found.add((change.table, f"added by {call.key}" if change.kind == "added" else str(change.key)))
    return found
