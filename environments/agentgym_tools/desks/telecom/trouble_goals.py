"""Troubles with phones, whose cure is partly at the desk and partly in the customer's hands."""

from __future__ import annotations

import random
from collections.abc import Mapping

from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.policy import Policy
from agentgym_tools.desks.telecom.goals import DESK_KINDS, Facts, LineGoal, line_of, pack_of
from agentgym_tools.desks.telecom.network import Situation, cures, situation_of
from agentgym_tools.desks.telecom.policy import TelecomPolicy
from agentgym_tools.desks.telecom.troubles import TROUBLES
from agentgym_tools.desks.telecom.world import ABROAD, HOME, MESSAGES
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call


class TroubleGoal(LineGoal):
    """Have a trouble with the phone cured.

    Args:
        name: Its name in `TROUBLES`.
        place: Where the phone is; "" for anywhere.
    """

    with_phone = (True,)
    can_change = {}

    def __init__(self, name: str, place: str = "") -> None:
        self.name, self.phrase = name, TROUBLES[name].phrase
        self._trouble, self._place = TROUBLES[name], place

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """The line of the phone, if the phone has the trouble."""
        situation = situation_of(world, customer)
        if self._place not in ("", situation.phone["place"]) or not self._is_ill(situation):
            return None
        return super().draw(rng, world, customer)

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The plan, the SIM, and what the rules list of the phone."""
        line = line_of(world, goal)
        calls = [Call("get_plan", {"plan": line["plan_id"]}), Call("get_sim", {"line": line["id"]})]
        arguments = {"check_permissions": {"app": MESSAGES}}
        return [*calls, *(Call(name, arguments.get(name, {})) for name in self._trouble.reads)]

    def wanted(self, world: World, goal: Goal, policy: TelecomPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """Every least set of changes that cures it."""
        pack = pack_of(goal, policy) if "gigabytes" in goal.facts else None
        return cures(situation_of(world, goal.customer), self._trouble.symptom, pack)

    def check(self, world: World, goal: Goal, policy: Policy) -> Call | None:
        """The test of the phone."""
        return Call(self._trouble.check)

    def _is_ill(self, situation: Situation) -> bool:
        working = {
            "service": situation.has_service,
            "data": situation.has_data,
            "fast data": situation.has_fast_data or not situation.has_data,
            "calls": situation.has_calls,
            "mms": situation.has_mms,
        }
        return not working[self._trouble.symptom]


class FixSlowData(TroubleGoal):
    """Slow data: a data pack may have to be bought."""

    volunteered = ("line", "gigabytes")

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """The line, and how much data the customer would buy if it needs more."""
        facts = super().draw(rng, world, customer)
        return None if facts is None else {**facts, "gigabytes": rng.choice((1, 1, 2, 3))}

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The bills, too."""
        return [Call("list_bills", {"customer_id": goal.customer}), *super().further_reads(world, goal)]


KINDS: Mapping[str, GoalKind] = {
    **{
        kind.name: kind
        for kind in (
            TroubleGoal("fix_service"),
            TroubleGoal("fix_data", HOME),
            FixSlowData("fix_slow_data", HOME),
            TroubleGoal("fix_calls"),
            TroubleGoal("fix_mms"),
            TroubleGoal("fix_roaming", ABROAD),
        )
    },
    **{kind.name: kind() for kind in DESK_KINDS},
}
"""All kinds of goals by name."""
