"""What customers of the bank want of cards and payments."""

from __future__ import annotations

import random
from typing import Any

from agentgym_tools.desks.bank.goals.bases import BankGoal, Facts
from agentgym_tools.desks.bank.policy import GROUNDS, BankPolicy
from agentgym_tools.desks.bank.reckoning import credit_for, replacement_fee
from agentgym_tools.desks.bank.world import BLOCK_REASONS, REGIONS
from agentgym_tools.desks.goals import Goal
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call

MOSTLY_ACTIVE = ("active",) * 4 + ("blocked",)


class BlockCard(BankGoal):
    """Have a card blocked."""

    name, phrase, table, tool = "report_card", "have a card blocked", "cards", "block_card"
    passed = ("reason",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """A reason; rarely for a card that is blocked."""
        return {"reason": rng.choice(BLOCK_REASONS)} if row["state"] == "active" or rng.random() < 0.1 else None


class ChangeLimit(BankGoal):
    """Spend more, or less."""

    name, phrase, table, tool = "change_card_limit", "have another spending limit for a card", "cards", "set_card_limit"
    passed = ("new_limit_cents",)
    can_reconsider = ("new_limit_cents",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """The limit."""
        limit = rng.choice((40_000, 120_000, 180_000, 220_000, 260_000, 320_000, 380_000, 450_000, 650_000, 950_000))
        return {"new_limit_cents": limit} if row["state"] == "active" or rng.random() < 0.1 else None


class ReplaceCard(BankGoal):
    """Get a new card."""

    name, phrase, table, tool = "replace_card", "get a new card in place of a blocked one", "cards", "order_new_card"

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """The fee."""
        return {"fee_cents": replacement_fee(self.row(world, goal), policy)}

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Nothing more; rarely for an active card."""
        return {} if row["state"] == "blocked" or rng.random() < 0.1 else None


class FreeCard(BankGoal):
    """Use a blocked card again."""

    name, phrase, table, tool = "free_card", "use a blocked card again", "cards", "lift_card_block"

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Nothing more; rarely for an active card."""
        return {} if row["state"] == "blocked" or rng.random() < 0.1 else None


class UseAbroad(BankGoal):
    """Pay by card on a journey."""

    name, phrase, table, tool = "use_card_abroad", "use a card on a journey abroad", "cards", "open_card_abroad"
    passed = ("region", "days")
    can_reconsider = ("region", "days")

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Where and for how long."""
        found: Facts = {"region": rng.choice(REGIONS), "days": rng.choice((5, 10, 14, 18, 25, 35, 45, 55, 80))}
        return found if row["state"] == "active" or rng.random() < 0.1 else None


class GetPin(BankGoal):
    """Get a new PIN."""

    name, phrase, table, tool = "get_new_pin", "get a new PIN for a card", "cards", "send_pin_letter"

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Nothing more; rarely for a blocked card."""
        return {} if row["state"] == "active" or rng.random() < 0.1 else None


class DisputePayment(BankGoal):
    """Complain about a payment."""

    name, phrase, table, tool = "dispute_payment", "dispute a payment", "payments", "open_dispute"
    passed = ("ground",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """A ground; rarely for a transfer, or a payment that is disputed."""
        is_fit = row["kind"] == "card" and row["state"] == "booked"
        return {"ground": rng.choice(GROUNDS)} if is_fit or rng.random() < 0.15 else None

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """The credit."""
        return {"credit_cents": credit_for(self.row(world, goal)["amount"], policy)}


class DropDispute(BankGoal):
    """Give a dispute up."""

    name, phrase, table, tool = "drop_dispute", "withdraw the dispute of a payment", "payments", "withdraw_dispute"
    states = ("disputed",)

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """The dispute."""
        return [Call("read_dispute", {"payment_id": goal.facts["payment_id"]})]


class GetTransferBack(BankGoal):
    """Have a transfer sent back."""

    name, phrase, table, tool = "get_transfer_back", "get a transfer back", "payments", "recall_transfer"
    states = ("booked",)

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Nothing more; rarely for a payment by card."""
        return {} if row["kind"] == "transfer" or rng.random() < 0.1 else None

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """The fee."""
        return {"fee_cents": policy.recall_fee_cents}


CARD_GOALS = (
    *(BlockCard, ChangeLimit, ReplaceCard, FreeCard, UseAbroad, GetPin),
    *(DisputePayment, DropDispute, GetTransferBack),
)
"""All of them."""
