"""What customers of the bank want to know; the answers follow from rows, documents, or both."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from agentgym_tools.desks.bank.goals.bases import BankGoal, Facts
from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.bank.reckoning import (
    TERMS,
    closing_fee,
    foreign_charge,
    month_of_overdraft,
    most_for,
    rate_for,
    repayment_fee,
)
from agentgym_tools.desks.goals import Goal
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Answers = Mapping[str, Value]


class AskBalance(BankGoal):
    """Ask what is on an account."""

    name, phrase, table = "ask_balance", "know what is on an account", "accounts"

    def answers(self, world: World, goal: Goal, policy: BankPolicy) -> Answers:  # type: ignore[override]
        """The balance."""
        return {"balance_cents": self.row(world, goal)["balance"]}


class AskOverdraftCost(BankGoal):
    """Ask what the present overdraft costs."""

    name, phrase, table = "ask_overdraft_cost", "know what the overdraft of an account costs in a month", "accounts"
    matter = "overdrafts"

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Nothing more, where something is overdrawn."""
        return {} if row["balance"] < 0 else None

    def answers(self, world: World, goal: Goal, policy: BankPolicy) -> Answers:  # type: ignore[override]
        """The interest of a month."""
        return {"month_cents": month_of_overdraft(self.row(world, goal), policy)}


class AskPayoff(BankGoal):
    """Ask what repaying a loan today would take."""

    name, phrase, table = "ask_payoff", "know what you would pay in all to repay a loan today", "loans"
    matter, states = "repayment", ("running",)

    def answers(self, world: World, goal: Goal, policy: BankPolicy) -> Answers:  # type: ignore[override]
        """What remains, with the fee."""
        loan = self.row(world, goal)
        return {"payoff_cents": loan["remaining"] + repayment_fee(loan, policy)}


class AskDispute(BankGoal):
    """Ask how a dispute stands."""

    name, phrase, table, states = "ask_dispute", "know how the dispute of a payment stands", "payments", ("disputed",)

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The dispute."""
        return [Call("read_dispute", {"payment_id": goal.facts["payment_id"]})]

    def answers(self, world: World, goal: Goal, policy: BankPolicy) -> Answers:  # type: ignore[override]
        """Its state."""
        row = world.row("SELECT state FROM disputes WHERE payment_id = ?", goal.facts["payment_id"])
        assert row is not None
        return {"dispute_state": row["state"]}


class AskMostLimit(BankGoal):
    """Ask how high a limit could be."""

    name, phrase, table = "ask_most_limit", "know the highest spending limit that there is for a card of yours", "cards"
    matter = "limits"

    def answers(self, world: World, goal: Goal, policy: BankPolicy) -> Answers:  # type: ignore[override]
        """The limit."""
        return {"most_limit_cents": most_for(self.row(world, goal), policy)}


class AskCharge(BankGoal):
    """Ask what sending money abroad would cost."""

    name, phrase = "ask_charge", "know what it costs to send an amount abroad"
    matter, passed = "foreign", ("amount_cents",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """How much."""
        return {"amount_cents": rng.choice((12_000, 34_500, 50_000, 78_900, 123_400, 250_000))}

    def answers(self, world: World, goal: Goal, policy: BankPolicy) -> Answers:  # type: ignore[override]
        """The charge."""
        return {"charge_cents": foreign_charge(int(goal.facts["amount_cents"]), policy)}


class AskInterest(BankGoal):
    """Ask what a fixed deposit brings."""

    name, phrase = "ask_interest", "know the interest of a fixed deposit"
    matter, passed = "deposits", ("months",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """The term."""
        return {"months": rng.choice(TERMS)}

    def answers(self, world: World, goal: Goal, policy: BankPolicy) -> Answers:  # type: ignore[override]
        """The interest."""
        return {"rate": rate_for(int(goal.facts["months"]), policy)}


class AskClosingFee(BankGoal):
    """Ask what closing an account would cost."""

    name, phrase, table = "ask_closing_fee", "know what closing an account would cost", "accounts"
    matter, states = "closing", ("open",)

    def answers(self, world: World, goal: Goal, policy: BankPolicy) -> Answers:  # type: ignore[override]
        """The fee."""
        return {"closing_fee_cents": closing_fee(self.row(world, goal), policy)}


QUESTIONS = (AskBalance, AskOverdraftCost, AskPayoff, AskDispute, AskMostLimit, AskCharge, AskInterest, AskClosingFee)
"""All of them."""
