"""What customers of the insurance company want of contracts."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.insurance import reckoning
from agentgym_tools.desks.insurance.bases import ContractGoal, Facts
from agentgym_tools.desks.insurance.policy import CANCEL_REASONS, InsurancePolicy
from agentgym_tools.desks.insurance.world import PERILS
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.setting.people import FIRST_NAMES, LAST_NAMES
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Outcomes = list[tuple[Call, ...]]


class CancelContract(ContractGoal):
    """Cancel a contract."""

    name, phrase = "cancel_contract", "cancel a contract"
    lines = ("car", "home")
    volunteered = ("contract_id", "insured", "reason")

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """A reason."""
        return {"reason": rng.choice(CANCEL_REASONS)}

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The customer's claims."""
        return [Call("list_claims", {"customer_id": goal.customer})]

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call, with the refund that the rules make of it."""
        contract = reckoning.contract_of(world, goal.facts["contract_id"])
        refund = reckoning.refund_of(world, contract, policy)
        given = {name: goal.facts[name] for name in ("contract_id", "reason")}
        return [(Call("cancel_contract", {**given, "refund_cents": refund}),)]


class ChangeTariff(ContractGoal):
    """Be covered for something at the lowest premium; several tariffs may have it."""

    name, phrase = "change_tariff", "change to the cheapest tariff that covers something"
    volunteered = ("contract_id", "insured", "peril")
    can_reconsider = ("peril",)

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """The peril; none for which the present tariff is among the cheapest."""
        peril = rng.choice([each for group in PERILS[contract["line"]] for each in group])
        return {"peril": peril} if contract["tariff_id"] not in self._cheapest(world, contract, peril) else None

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The customer's claims and the tariffs that cover it."""
        contract = reckoning.contract_of(world, goal.facts["contract_id"])
        return [
            Call("list_claims", {"customer_id": goal.customer}),
            Call("find_tariffs", {"line": contract["line"], "peril": goal.facts["peril"]}),
        ]

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """Each of the cheapest tariffs."""
        contract = reckoning.contract_of(world, goal.facts["contract_id"])
        keys = self._cheapest(world, contract, str(goal.facts["peril"]))
        return [(Call("change_tariff", {"contract_id": contract["id"], "tariff_id": key}),) for key in keys]

    @staticmethod
    def _cheapest(world: World, contract: Any, peril: str) -> list[str]:
        rows = world.rows(
            "SELECT tariffs.* FROM covers JOIN tariffs ON tariffs.id = tariff_id WHERE peril = ? AND line = ? "
            "ORDER BY tariffs.id",
            peril,
            contract["line"],
        )
        lowest = min(row["premium"] for row in rows)
        return [row["id"] for row in rows if row["premium"] == lowest]


class AddDriver(ContractGoal):
    """Let somebody else drive the car."""

    name, phrase = "add_driver", "let another person drive an insured car"
    lines = ("car",)
    volunteered = ("contract_id", "insured", "driver")

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """The person."""
        known = world.rows("SELECT name FROM drivers WHERE contract_id = ?", contract["id"])
        name = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        return {"driver": name, "driver_age": rng.randint(17, 40)} if name not in [row[0] for row in known] else None

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The drivers that there are."""
        return [Call("list_drivers", {"contract_id": goal.facts["contract_id"]})]

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call, with the surcharge of the rules."""
        given = {name: goal.facts[name] for name in ("contract_id", "driver", "driver_age")}
        surcharge = reckoning.surcharge_for(int(goal.facts["driver_age"]), policy)
        return [(Call("add_driver", {**given, "surcharge_cents": surcharge}),)]


class GetBonus(ContractGoal):
    """Be rewarded for years without claims."""

    name, phrase = "get_bonus", "get the bonus for running without claims"
    lines = ("car", "home")

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The customer's claims."""
        return [Call("list_claims", {"customer_id": goal.customer})]

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call, with the bonus of the rules."""
        bonus = {"contract_id": goal.facts["contract_id"], "percent": policy.bonus_percent}
        return [(Call("grant_bonus", bonus),)]


class DeferPremium(ContractGoal):
    """Pay later."""

    name, phrase = "defer_premium", "pay later what is due on a contract"
    lines = ("car", "home")
    volunteered = ("contract_id", "insured", "days")
    can_reconsider = ("days",)

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """How much later; mostly where something is due."""
        return {"days": rng.choice((7, 10, 14, 21, 30, 40, 60))} if contract["due"] or rng.random() < 0.2 else None

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call."""
        return [(Call("defer_premium", {name: goal.facts[name] for name in ("contract_id", "days")}),)]


class ExtendTrip(ContractGoal):
    """Stay longer."""

    name, phrase = "extend_trip", "have the cover of a trip extended"
    lines = ("travel",)
    volunteered = ("contract_id", "insured", "days")
    can_reconsider = ("days",)

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """How much longer."""
        return {"days": rng.choice((2, 3, 5, 7, 10, 14, 20))}

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call, with the price that the rules make of it."""
        given = {name: goal.facts[name] for name in ("contract_id", "days")}
        price = int(goal.facts["days"]) * policy.extension_day_cents
        return [(Call("extend_trip", {**given, "price_cents": price}),)]


class ReinstateContract(ContractGoal):
    """Have a contract back that lapsed."""

    name, phrase = "reinstate_contract", "have a contract back that is no longer in force"
    lines = ("car", "home")
    states = ("lapsed", "cancelled")

    def wanted(self, world: World, goal: Goal, policy: InsurancePolicy) -> Outcomes:  # type: ignore[override]
        """The one call, with the fee of the rules."""
        fee = {"contract_id": goal.facts["contract_id"], "fee_cents": policy.reinstate_fee_cents}
        return [(Call("reinstate_contract", fee),)]


class AskCover(ContractGoal):
    """Ask how much is covered."""

    name, phrase = "ask_cover", "know up to which amount something is covered"
    states = ("active",)
    volunteered = ("contract_id", "insured", "peril")

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """The peril."""
        return {"peril": rng.choice([each for group in PERILS[contract["line"]] for each in group])}

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The cover of the peril."""
        contract = reckoning.contract_of(world, goal.facts["contract_id"])
        return [Call("get_cover", {"tariff_id": contract["tariff_id"], "peril": goal.facts["peril"]})]

    def answers(self, world: World, goal: Goal, policy: InsurancePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The most that is paid."""
        contract = reckoning.contract_of(world, goal.facts["contract_id"])
        return {"cover_cents": reckoning.most_covered(world, contract["tariff_id"], goal.facts["peril"])}


class AskWaiting(ContractGoal):
    """Ask when the waiting period is over."""

    name, phrase = "ask_waiting", "know in how many days the waiting period of a contract is over"
    states = ("active",)

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """Nothing more, mostly where the contract is new."""
        run = TODAY - contract["started"]
        return {} if 0 <= run < 60 or rng.random() < 0.1 else None

    def answers(self, world: World, goal: Goal, policy: InsurancePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The days, 0 where there is none or it is over."""
        contract = reckoning.contract_of(world, goal.facts["contract_id"])
        return {"waiting_days_left": reckoning.waiting_left(contract, policy)}


class AskRefund(ContractGoal):
    """Ask what a cancellation would bring."""

    name, phrase = "ask_refund", "know what would be paid back if a contract were cancelled today for a good reason"
    lines = ("car", "home")
    states = ("active",)

    def draw_more(self, rng: random.Random, world: World, contract: Any) -> Facts | None:
        """Nothing more, where nothing stands against it."""
        return None if contract["due"] or reckoning.has_open_claim(world, contract["id"]) else {}

    def further_reads(self, world: World, goal: Goal, policy: InsurancePolicy) -> list[Call]:
        """The customer's claims, where a payout matters."""
        return [Call("list_claims", {"customer_id": goal.customer})] if policy.keeps_premium_after_payout else []

    def answers(self, world: World, goal: Goal, policy: InsurancePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The refund that the rules make of it."""
        contract = reckoning.contract_of(world, goal.facts["contract_id"])
        return {"refund_cents": reckoning.refund_of(world, contract, policy)}
