"""What customers of the bank want of standing orders, loans, beneficiaries, advisers, and for themselves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agentgym_tools.desks.bank.goals.bases import BankGoal, Facts, Outcomes
from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.bank.reckoning import free_appointments, repayment_fee
from agentgym_tools.desks.bank.world import COUNTRIES, HOME, PAYEES, TOPICS
from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.setting.people import FIRST_NAMES, LAST_NAMES, STREETS, TOWNS
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value


class ChangeOrder(BankGoal):
    """Pay another amount each month."""

    name, phrase, table = "change_order", "change the amount of a standing order", "orders"
    tool, passed = "change_order_amount", ("new_amount_cents",)
    can_reconsider = ("new_amount_cents",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """The amount, from a small part to twice of what it is."""
        if row["state"] != "active" and rng.random() < 0.8:
            return None
        percent = rng.choice((2, 60, 80, 110, 125, 140, 180, 230))
        return {"new_amount_cents": row["amount"] * percent // 100}


class RestOrder(BankGoal):
    """Pause a standing order."""

    name, phrase, table, tool = "rest_order", "have a standing order paused", "orders", "pause_order"
    passed = ("months",)
    can_reconsider = ("months",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """For how long."""
        return {"months": rng.randint(1, 7)} if row["state"] == "active" or rng.random() < 0.2 else None


class EndOrder(BankGoal):
    """Cancel a standing order."""

    name, phrase, table, tool = "end_order", "cancel a standing order", "orders", "cancel_order_for_good"

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Nothing more."""
        return {} if row["state"] == "active" or rng.random() < 0.2 else None


class NewOrder(BankGoal):
    """Pay somebody each month."""

    name, phrase, table, tool = "new_order", "set up a standing order", "accounts", "set_up_order"
    passed = ("payee", "amount_cents", "in_days")
    can_reconsider = ("amount_cents", "in_days")

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """To whom, how much and when; rarely from a savings account."""
        if row["product"] != "checking" and rng.random() < 0.9:
            return None
        amount = rng.choice((400, 700, 900, 1_200, 1_800, 2_500, 9_000, 30_000))
        return {"payee": rng.choice(PAYEES), "amount_cents": amount, "in_days": rng.randint(1, 28)}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The orders that there are."""
        return [Call("list_standing_orders", {"account_id": goal.facts["account_id"]})]


class PayOffLoan(BankGoal):
    """Repay a loan early."""

    name, phrase, table, tool = "pay_off_loan", "repay a loan early", "loans", "repay_loan"

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """The fee."""
        return {"fee_cents": repayment_fee(self.row(world, goal), policy)}


class PayLater(BankGoal):
    """Defer instalments."""

    name, phrase, table, tool = "pay_loan_later", "pay instalments of a loan later", "loans", "defer_instalments"
    passed = ("months",)
    can_reconsider = ("months",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """By how much."""
        return {"months": rng.randint(1, 4)} if row["state"] == "running" or rng.random() < 0.3 else None


class MoveInstalments(BankGoal):
    """Pay instalments on another day."""

    name, phrase, table = "move_instalment_day", "pay instalments of a loan on another day of the month", "loans"
    tool, passed = "set_instalment_day", ("day_of_month",)
    can_reconsider = ("day_of_month",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """The day."""
        day = rng.choice([each for each in (1, 5, 10, 15, 20, 25) if each != row["day_of_month"]])
        return {"day_of_month": day} if row["state"] == "running" or rng.random() < 0.3 else None


class NewBeneficiary(BankGoal):
    """Have somebody on the list."""

    name, phrase, tool = "new_beneficiary", "put somebody on your list of beneficiaries", "add_beneficiary"
    volunteered = ("beneficiary", "beneficiary_account")

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Who; now and then somebody who is on it."""
        rows = world.rows("SELECT * FROM beneficiaries WHERE customer_id = ? ORDER BY name", row["id"])
        if rows and rng.random() < 0.2:
            known = rng.choice(rows)
            return {"beneficiary": known["name"], "beneficiary_account": known["account"]}
        account = f"{rng.choice((HOME, *COUNTRIES))}{rng.randint(100_000, 999_999)}"
        name = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        is_known = any(each["name"] == name for each in rows)
        return None if is_known else {"beneficiary": name, "beneficiary_account": account}

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """Who it is."""
        return {"name": goal.facts["beneficiary"], "account": goal.facts["beneficiary_account"]}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The list."""
        return [Call("list_beneficiaries", {"customer_id": goal.customer})]


class DropBeneficiary(BankGoal):
    """Have somebody taken off the list; now and then somebody who is not on it."""

    name, phrase, tool = "drop_beneficiary", "take somebody off your list of beneficiaries", "remove_beneficiary"
    volunteered = ("beneficiary",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Who."""
        rows = world.rows("SELECT name FROM beneficiaries WHERE customer_id = ? ORDER BY name", row["id"])
        stranger = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        return {"beneficiary": stranger if not rows or rng.random() < 0.2 else rng.choice(rows)["name"]}

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """Who it is."""
        return {"name": goal.facts["beneficiary"]}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The list."""
        return [Call("list_beneficiaries", {"customer_id": goal.customer})]


def _streets(world: World) -> Sequence[Value]:
    return [f"{number} {street}" for number in (4, 17, 52) for street in STREETS]


class MoveHouse(BankGoal):
    """Have the address changed."""

    name, phrase, tool = "move_house", "have your address changed", "change_address"
    passed = ("new_street", "new_town", "new_zip")
    can_change = {"new_street": _streets}
    can_reconsider = ("new_street",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """The new address."""
        street = f"{rng.randint(1, 99)} {rng.choice(STREETS)}"
        return {"new_street": street, "new_town": rng.choice(TOWNS), "new_zip": f"{rng.randint(10_000, 99_999)}"}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The accounts."""
        return [Call("list_accounts", {"customer_id": goal.customer})]


class SeeAdviser(BankGoal):
    """Talk with an adviser as soon as may be; several may have time."""

    name, phrase = "see_adviser", "have the earliest appointment with an adviser"
    tool = "book_appointment"
    volunteered = ("topic", "town")
    can_reconsider = ("town",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """On what and where."""
        found: Facts = {"topic": rng.choice(TOPICS), "town": rng.choice(TOWNS)}
        return found if free_appointments(world, found["town"], found["topic"]) else None

    def wanted(self, world: World, goal: Goal, policy: BankPolicy) -> Outcomes:  # type: ignore[override]
        """Each of the earliest that the rules allow; if there is none, the last."""
        free = free_appointments(world, goal.facts["town"], goal.facts["topic"])
        allowed = [row for row in free if row["day"] - TODAY >= policy.lead_days] or free[-1:]
        earliest = [row["id"] for row in allowed if row["day"] == allowed[0]["day"]]
        return [(Call(self.tool, {"customer_id": goal.customer, "appointment_id": key}),) for key in earliest]

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The customer's appointments and the free ones."""
        own = Call("read_appointments", {"customer_id": goal.customer})
        return [own, Call("read_calendar", {name: goal.facts[name] for name in ("town", "topic")})]


MONEY_GOALS = (
    *(ChangeOrder, RestOrder, EndOrder, NewOrder, PayOffLoan, PayLater, MoveInstalments),
    *(NewBeneficiary, DropBeneficiary, MoveHouse, SeeAdviser),
)
"""All of them."""
