"""What goals at the insurance company's desk have in common: a contract or a claim, and how much has to be read."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.insurance.objections import NEEDS, STAFF, objections
from agentgym_tools.desks.insurance.policy import InsurancePolicy
from agentgym_tools.desks.insurance.reckoning import claim_of, contract_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Facts = dict[str, Value]


def _mistaken_contracts(world: World) -> Sequence[Value]:
    """Numbers between those of contracts, which are nobody's."""
    return [f"V{int(row[0][1:]) + 1}" for row in world.rows("SELECT id FROM contracts ORDER BY id LIMIT 200")]


def _mistaken_claims(world: World) -> Sequence[Value]:
    """Numbers between those of claims, which are nobody's."""
    return [row[0] - 1 for row in world.rows("SELECT id FROM claims ORDER BY id LIMIT 200")]


class InsuranceGoal(GoalKind):
    """A goal whose reading stops where a refusal is founded."""

    def reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:  # type: ignore[override]
        """The first read shows what the request is about; further ones are left out where a refusal needs them not."""
        calls = self.all_reads(world, goal, policy)
        wanted = self.wanted(world, goal, policy)
        against = [objections(world, call, policy) for (call,) in wanted]
        if wanted and all(against) and against[0][0] not in STAFF:
            needed = NEEDS.get(against[0][0], ())
            calls = [call for place, call in enumerate(calls) if place == 0 or call.tool in needed]
        return calls

    @abstractmethod
    def all_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """What has to be read before the request may be fulfilled, in order."""


class ContractGoal(InsuranceGoal):
    """A goal about a contract, whose number the customer may not have at hand.

    Attributes:
        lines: Lines of the contracts that it is drawn for.
        states: States of them.
    """

    lines: tuple[str, ...] = ("car", "home", "travel")
    states: tuple[str, ...] = ("active", "lapsed", "cancelled")
    volunteered: tuple[str, ...] = ("contract_id", "insured")
    can_lack = ("contract_id",)
    can_change = {"contract_id": _mistaken_contracts}

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A contract in one of the lines and states, and what else there is."""
        keys = [row[0] for row in world.rows("SELECT id FROM contracts WHERE customer_id = ? ORDER BY id", customer)]
        found = [contract_of(world, key) for key in keys]
        fitting = [row for row in found if row["line"] in self.lines and row["state"] in self.states]
        if not fitting:
            return None
        contract = rng.choice(fitting)
        more = self.draw_more(rng, world, contract)
        return None if more is None else {"contract_id": contract["id"], "insured": contract["insured"], **more}

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """Further facts; None if the contract does not do."""
        return {}

    def all_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The contract, by its number or by what is insured, and what else there is."""
        key = {"contract_id": goal.facts["contract_id"]}
        first = Call("get_contract", key)
        if "contract_id" in goal.unknown:
            first = Call("find_contract", {"customer_id": goal.customer, "insured": goal.facts["insured"]})
        return [first, *self.further_reads(world, goal, policy)]

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """What has to be read after the contract."""
        return []


class ClaimGoal(InsuranceGoal):
    """A goal about a claim, whose number the customer may not have at hand.

    Attributes:
        states: States of the claims that it is drawn for, each as often as it stands here.
    """

    states: tuple[str, ...] = ("open",)
    volunteered: tuple[str, ...] = ("claim_id", "event")
    can_lack = ("claim_id",)
    can_change = {"claim_id": _mistaken_claims}

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A claim in one of the states, and what else there is."""
        rows = world.rows(
            "SELECT claims.* FROM contracts JOIN claims ON contract_id = contracts.id WHERE customer_id = ? "
            "ORDER BY claims.id",
            customer,
        )
        state = rng.choice(self.states)
        fitting = [row for row in rows if row["state"] == state]
        if not fitting:
            return None
        claim = rng.choice(fitting)
        return {"claim_id": claim["id"], "event": claim["event"], **self.draw_more(rng)}

    def draw_more(self, rng: random.Random) -> Facts:
        """Further facts."""
        return {}

    def all_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The claim, by its number or by the loss, and what else there is."""
        first = Call("get_claim", {"claim_id": goal.facts["claim_id"]})
        if "claim_id" in goal.unknown:
            first = Call("find_claim", {"customer_id": goal.customer, "event": goal.facts["event"]})
        return [first, *self.further_reads(world, goal, policy)]

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """What has to be read after the claim."""
        return []

    @staticmethod
    def documents(goal: Goal) -> Call:
        """The call that lists the claim's documents."""
        return Call("list_documents", {"claim_id": goal.facts["claim_id"]})

    @staticmethod
    def payout_reads(world: World, goal: Goal) -> list[Call]:
        """The calls that show what a payout is reckoned from, beside the claim."""
        claim = claim_of(world, int(goal.facts["claim_id"]))
        contract = contract_of(world, claim["contract_id"])
        return [
            Call("get_contract", {"contract_id": contract["id"]}),
            Call("get_cover", {"tariff_id": contract["tariff_id"], "peril": claim["peril"]}),
        ]
