"""What customers of the bank want of accounts: their money, holds, fees, cheques, overdrafts and deposits."""

from __future__ import annotations

import random
from typing import Any

from agentgym_tools.desks.bank.goals.bases import BankGoal, Facts, Outcomes, consents, rows_of
from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.bank.reckoning import TERMS, closing_fee, foreign_charge, rate_for, refund_of
from agentgym_tools.desks.bank.world import HOME
from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.setting.people import FIRST_NAMES, LAST_NAMES
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call


class MoveMoney(BankGoal):
    """Move money to another account of one's own."""

    name, phrase, table, tool = "move_money", "move money to another account of yours", "accounts", "transfer_money"
    passed = ("to_account", "amount_cents")
    can_reconsider = ("amount_cents",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Where to, and how much."""
        others = [each["id"] for each in rows_of(world, "accounts", row["customer_id"]) if each["id"] != row["id"]]
        amount = rng.choice((5_000, 20_000, 45_000, 60_000, 75_000, 90_000, 110_000, 140_000, 200_000))
        return {"to_account": rng.choice(others), "amount_cents": amount} if others else None

    def keyed(self, goal: Goal) -> dict[str, Any]:
        """The account that the money leaves."""
        return {"from_account": goal.facts["account_id"]}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The other account."""
        return [Call("get_account", {"account_id": goal.facts["to_account"]})]


class StopCheque(BankGoal):
    """Keep a cheque from being cashed."""

    name, phrase, table, tool = "stop_a_cheque", "have a cheque stopped", "accounts", "stop_cheque"
    passed = ("cheque_number",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """The cheque."""
        cheques = world.rows("SELECT number FROM cheques WHERE account_id = ? ORDER BY number", row["id"])
        return {"cheque_number": rng.choice(cheques)["number"]} if cheques else None

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """The fee."""
        return {"fee_cents": policy.cheque_fee_cents}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The cheque."""
        return [Call("read_cheque", {name: goal.facts[name] for name in ("account_id", "cheque_number")})]


class GetFeeBack(BankGoal):
    """Have a fee given back."""

    name, phrase, table, tool = "get_fee_back", "get a fee back", "fees", "give_fee_back"

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """How much of it."""
        return {"amount_cents": refund_of(self.row(world, goal), policy)}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """What was given back before."""
        return [Call("read_fee_history", {"account_id": self.row(world, goal)["account_id"]})]


class FreeAccount(BankGoal):
    """Have the hold on an account lifted."""

    name, phrase, table, tool = "free_account", "have the hold on an account lifted", "accounts", "lift_hold"

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Nothing more; rarely for an account without one."""
        return {} if row["state"] == "held" or rng.random() < 0.05 else None

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The hold."""
        return [Call("read_hold", {"account_id": goal.facts["account_id"]})]


class ChangeOverdraft(BankGoal):
    """Overdraw an account by more, or by less."""

    name, phrase, table, tool = "change_overdraft", "have another overdraft on an account", "accounts", "set_overdraft"
    passed = ("overdraft_cents",)
    can_reconsider = ("overdraft_cents",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """How far."""
        amounts = [each for each in (10_000, 60_000, 80_000, 120_000, 180_000, 280_000) if each != row["overdraft"]]
        return {"overdraft_cents": rng.choice(amounts)} if row["product"] == "checking" or rng.random() < 0.1 else None

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The second holder's consents, where one is wanted."""
        return consents(world, self.row(world, goal), "overdraft", policy)


class FixSavings(BankGoal):
    """Put money on a fixed deposit; several terms may bring the most."""

    name, phrase, table = "fix_savings", "put savings on the fixed deposit with the highest interest", "accounts"
    tool, passed = "open_fixed_deposit", ("amount_cents",)
    can_reconsider = ("amount_cents",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """How much."""
        amount = rng.choice((40_000, 70_000, 90_000, 120_000, 180_000, 250_000, 400_000))
        return {"amount_cents": amount} if row["product"] == "savings" or rng.random() < 0.05 else None

    def wanted(self, world: World, goal: Goal, policy: BankPolicy) -> Outcomes:  # type: ignore[override]
        """Each of the best terms."""
        best = max(rate_for(months, policy) for months in TERMS)
        given = {name: goal.facts[name] for name in ("account_id", "amount_cents")}
        return [
            (Call(self.tool, {**given, "months": months, "rate": best}),)
            for months in TERMS
            if rate_for(months, policy) == best
        ]


class EndAccount(BankGoal):
    """Close an account."""

    name, phrase, table, tool = "end_account", "close an account", "accounts", "close_account"

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """The fee."""
        return {"fee_cents": closing_fee(self.row(world, goal), policy)}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """What runs on it, and the second holder's consents, where one is wanted."""
        account = {"account_id": goal.facts["account_id"]}
        runs = [Call("list_standing_orders", account), Call("list_loans", account)]
        return [*runs, *consents(world, self.row(world, goal), "closing", policy)]


class SendAbroad(BankGoal):
    """Send money to a beneficiary abroad."""

    name, phrase, table, tool = "send_money_abroad", "send money abroad", "accounts", "send_abroad"
    passed = ("beneficiary", "amount_cents")
    can_reconsider = ("amount_cents",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """To whom and how much; rarely somebody who is not on the list, or from a savings account."""
        rows = world.rows("SELECT * FROM beneficiaries WHERE customer_id = ? ORDER BY name", row["customer_id"])
        names = [each["name"] for each in rows if each["account"][:2] != HOME]
        stranger = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        amount = rng.choice((8_000, 15_000, 33_300, 60_000, 87_500, 120_000, 170_000, 240_000, 350_000))
        if not names or (row["product"] != "checking" and rng.random() < 0.9):
            return None
        return {"beneficiary": stranger if rng.random() < 0.1 else rng.choice(names), "amount_cents": amount}

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """The charge."""
        return {"charge_cents": foreign_charge(int(goal.facts["amount_cents"]), policy)}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The list."""
        return [Call("list_beneficiaries", {"customer_id": goal.customer})]


ACCOUNT_GOALS = (
    *(MoveMoney, StopCheque, GetFeeBack, FreeAccount, ChangeOverdraft, FixSavings),
    *(EndAccount, SendAbroad),
)
"""All of them."""
