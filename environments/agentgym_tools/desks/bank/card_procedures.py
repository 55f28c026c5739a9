"""Procedures for cards and their payments; only documents name them."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.bank.changes import BankChanges
from agentgym_tools.desks.bank.policy import GROUNDS
from agentgym_tools.desks.bank.shown import require
from agentgym_tools.desks.bank.world import REGIONS
from agentgym_tools.desks.setting.days import TODAY, dated
from agentgym_tools.worlds.toolbox import ToolFailure, reads, unlisted, writes


class CardProcedures(BankChanges):
    """Change cards, dispute their payments, and take payments back."""

    @unlisted
    @writes
    def order_new_card(self, card_id: str, fee_cents: int) -> Any:
        """Order a new card in place of a blocked one.

        Args:
            card_id: The blocked card.
            fee_cents: What it costs, in cents; 0 if nothing.
        """
        card = self.card_in(card_id, "blocked")
        require("fee_cents", fee_cents, 0)
        changed = "state = 'active', block_reason = NULL, blocked = NULL, issued = ?, replaced = replaced + 1"
        self.world.write(f"UPDATE cards SET {changed} WHERE id = ?", TODAY, card["id"])  # noqa: S608 - from this file
        self.book(card["id"], "new card", fee_cents)
        return f"A new card is on its way in place of {card['id']}."

    @unlisted
    @writes
    def lift_card_block(self, card_id: str) -> Any:
        """Make a blocked card active again.

        Args:
            card_id: The card.
        """
        card = self.card_in(card_id, "blocked")
        sql = "UPDATE cards SET state = 'active', block_reason = NULL, blocked = NULL WHERE id = ?"
        self.world.write(sql, card["id"])
        return f"Card {card['id']} is active."

    @unlisted
    @writes
    def set_card_limit(self, card_id: str, new_limit_cents: int) -> Any:
        """Set the monthly spending limit of a card.

        Args:
            card_id: The card.
            new_limit_cents: The new limit, in cents.
        """
        card = self.card_in(card_id, "active")
        require("new_limit_cents", new_limit_cents, 0)
        self.world.write("UPDATE cards SET most = ? WHERE id = ?", new_limit_cents, card["id"])
        return f"Card {card['id']} has a limit of {new_limit_cents} cents."

    @unlisted
    @writes
    def open_card_abroad(self, card_id: str, region: str, days: int) -> Any:
        """Open a card for payments in a region abroad.

        Args:
            card_id: The card.
            region: Andes, Balkans, Gulf, North Asia, Oceania or West Africa.
            days: For how many days.
        """
        card = self.card_in(card_id, "active")
        require("days", days, 1)
        if region not in REGIONS:
            raise ToolFailure(f"region must be one of {', '.join(REGIONS)}, got {region[:40]!r}.")
        if self.world.row("SELECT 1 FROM journeys WHERE card_id = ? AND region = ?", card["id"], region):
            raise ToolFailure(f"{card['id']} is open for {region} already.")
        self.world.write("INSERT INTO journeys VALUES (?, ?, ?)", card["id"], region, days)
        return f"{card['id']} is open for {region}."

    @unlisted
    @writes
    def send_pin_letter(self, card_id: str) -> Any:
        """Send a new PIN of a card by letter.

        Args:
            card_id: The card.
        """
        card = self.card_in(card_id, "active")
        self.book(card["id"], "PIN letter", 0)
        return f"A new PIN of {card['id']} is on its way."

    @unlisted
    @writes
    def set_contactless(self, card_id: str, mode: str) -> Any:
        """Switch contactless payments of a card on or off.

        Args:
            card_id: The card.
            mode: on or off.
        """
        card = self.one("cards", card_id)
        if mode not in ("on", "off"):
            raise ToolFailure(f"mode must be on or off, got {mode[:40]!r}.")
        self.world.write("INSERT OR REPLACE INTO settings VALUES (?, 'contactless', ?)", card["id"], mode)
        return f"Contactless payments of {card['id']} are {mode}."

    @unlisted
    @reads
    def read_dispute(self, payment_id: int) -> Any:
        """Read the dispute of a payment: its ground, day, credit and state.

        Args:
            payment_id: The payment.
        """
        payment = self.one("payments", payment_id)
        self.show("disputes", payment["id"])
        row = self.world.row("SELECT * FROM disputes WHERE payment_id = ?", payment["id"])
        if row is None:
            return {"payment_id": payment["id"], "dispute": None}
        told = {"payment_id": payment["id"], "ground": row["ground"], "state": row["state"]}
        return {**told, "credited_cents": row["credit"], **dated("dispute", row["opened"])}

    @unlisted
    @writes
    def open_dispute(self, payment_id: int, ground: str, credit_cents: int) -> Any:
        """Dispute a payment by card.

        Args:
            payment_id: The payment.
            ground: not received, wrong amount, charged twice, not authorised or poor quality.
            credit_cents: What is credited while the dispute runs, in cents; 0 if nothing.
        """
        payment, why = self.one("payments", payment_id), ground.strip().lower()
        require("credit_cents", credit_cents, 0)
        if why not in GROUNDS:
            raise ToolFailure(f"ground must be one of {', '.join(GROUNDS)}, got {ground[:40]!r}.")
        if payment["kind"] != "card" or payment["state"] != "booked":
            raise ToolFailure(f"{payment['id']} is no booked payment by card.")
        self.world.write("UPDATE payments SET state = 'disputed' WHERE id = ?", payment["id"])
        self.world.write("INSERT INTO disputes VALUES (?, ?, ?, ?, 'open')", payment["id"], why, TODAY, credit_cents)
        return f"Payment {payment['id']} is disputed."

    @unlisted
    @writes
    def withdraw_dispute(self, payment_id: int) -> Any:
        """Withdraw an open dispute.

        Args:
            payment_id: The payment that is disputed.
        """
        payment = self.one("payments", payment_id)
        sql = "UPDATE disputes SET state = 'withdrawn' WHERE payment_id = ? AND state = 'open'"
        if not self.world.write(sql, payment["id"]):
            raise ToolFailure(f"No dispute of {payment['id']} is open.")
        return f"The dispute of {payment['id']} is withdrawn."

    @unlisted
    @writes
    def recall_transfer(self, payment_id: int, fee_cents: int) -> Any:
        """Ask the other bank to send a transfer back.

        Args:
            payment_id: The transfer.
            fee_cents: What that costs, in cents.
        """
        payment = self.one("payments", payment_id)
        require("fee_cents", fee_cents, 0)
        if payment["kind"] != "transfer" or payment["state"] != "booked":
            raise ToolFailure(f"{payment['id']} is no booked transfer.")
        self.world.write("UPDATE payments SET state = 'recalled' WHERE id = ?", payment["id"])
        self.book(payment["id"], "recall", fee_cents)
        return f"Transfer {payment['id']} is recalled."
