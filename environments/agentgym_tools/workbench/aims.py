"""The aim of a request in the present world: what it comes to, and the net changes of each right way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentgym_tools.workbench.cases import Case, Settled, View, leave
from agentgym_tools.workbench.plan import Stage
from agentgym_tools.workbench.sets.all_sets import Kit
from agentgym_tools.workbench.sets.toolbox import FAILED
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.changes import contents


class UnmeetableError(Exception):
    """A request whose calls fail for no reason that lies in the world: its template is wrong, or should not draw it."""


@dataclass(frozen=True)
class Aim:
    """What is to be reached.

    Attributes:
        case: What the request comes to.
        expected: The contents of the net changes of each right way.
        ideal: The world after the first way.
    """

    case: Case
    expected: Sequence[Sequence[str]]
    ideal: World


def aim_of(stage: Stage, world: World, me: str, past: Sequence[Settled]) -> Aim:
    """The aim of a stage.

    Args:
        stage: The stage.
        world: The world at its beginning, which `mark_start` has been called on.
        me: The person's handle.
        past: The requests before.

    Raises:
        UnmeetableError: It cannot be done here, and cannot be left undone either.
    """
    if stage.is_without_tool:
        return _left(leave("no_tool", ()), world)
    request = stage.request
    with world.call(may_write=False):
        case = request.template.solve(View(world, me, past), request.facts)
    if case.reason:
        return _left(case, world)
    ways: list[World] = []
    for outcome in case.outcomes:
        with world.draft():
            failed = _play(Kit(world, me), outcome, case)
            ways.append(world.fork())
        if failed is not None:
            return _left(failed, world)
    return Aim(case, [contents(way.changes()) for way in ways], ways[0])


def _left(case: Case, world: World) -> Aim:
    return Aim(case, ((),), world.fork())


def _play(kit: Kit, outcome: Sequence[Call], case: Case) -> Case | None:
    """Make the calls; where one fails, what the request comes to then."""
    for call in outcome:
        box = kit.box_of(call)
        result = box.make(call)
        if result.is_failure:
            if not box.reason:
                raise UnmeetableError(f"{call}: {result.text}")
            shown = frozenset(seen for seen in result.seen if seen[0] != FAILED)
            ways = [{(FAILED, call.key)}, *({each} for each in sorted(box.elsewhere)), *([shown] if shown else [])]
            return leave(box.reason, (*case.reads, call), *ways)
    return None
