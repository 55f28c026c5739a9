"""The changes that every agent at the bank can make: block a card, move money between accounts, change an address."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.bank.reads import BankReads
from agentgym_tools.desks.bank.shown import require
from agentgym_tools.desks.bank.world import BLOCK_REASONS
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds.toolbox import ToolFailure, writes


class BankChanges(BankReads):
    """Read, and make the plainest changes."""

    @writes
    def block_card(self, card_id: str, reason: str) -> Any:
        """Block an active card.

        Args:
            card_id: The card.
            reason: Why: lost, stolen, damaged or pin errors.
        """
        card, why = self.card_in(card_id, "active"), reason.strip().lower()
        if why not in BLOCK_REASONS:
            raise ToolFailure(f"reason must be one of {', '.join(BLOCK_REASONS)}, got {reason[:40]!r}.")
        sql = "UPDATE cards SET state = 'blocked', block_reason = ?, blocked = ? WHERE id = ?"
        self.world.write(sql, why, TODAY, card["id"])
        return f"Card {card['id']} is blocked."

    @writes
    def transfer_money(self, from_account: str, to_account: str, amount_cents: int) -> Any:
        """Move money from one account of a customer to another.

        Args:
            from_account: Number of the account that it leaves.
            to_account: Number of the account that it goes to.
            amount_cents: The amount, in cents.
        """
        source, target = self.account_in(from_account, "open"), self.account_in(to_account, "open")
        require("amount_cents", amount_cents, 1)
        if source["id"] == target["id"] or source["customer_id"] != target["customer_id"]:
            raise ToolFailure("Money moves between two accounts of one customer.")
        self.pay_from(source, amount_cents)
        self.world.write("UPDATE accounts SET balance = balance + ? WHERE id = ?", amount_cents, target["id"])
        return f"{amount_cents} cents went from {source['id']} to {target['id']}."

    @writes
    def change_address(self, customer_id: str, new_street: str, new_town: str, new_zip: str) -> Any:
        """Change a customer's address.

        Args:
            customer_id: The customer.
            new_street: House number and street.
            new_town: The town.
            new_zip: The zip code.
        """
        customer, address = self.customer(customer_id)["id"], (new_street, new_town, new_zip)
        sql = "UPDATE customers SET street = ?, town = ?, zip = ?, moved = ? WHERE id = ?"
        self.world.write(sql, *address, TODAY, customer)
        return f"{customer} lives at {new_street}, {new_zip} {new_town}."

    def card_in(self, card_id: str, state: str) -> Any:
        """A card in a state."""
        return self._in(self.one("cards", card_id), state, "Card")

    def account_in(self, account_id: str, state: str) -> Any:
        """An account in a state."""
        return self._in(self.account(account_id), state, "Account")

    def order_in(self, order_id: int, *states: str) -> Any:
        """A standing order in one of some states."""
        return self._in(self.one("orders", order_id), *states, "Standing order")

    def loan_in(self, loan_id: str, state: str) -> Any:
        """A loan in a state."""
        return self._in(self.one("loans", loan_id), state, "Loan")

    def pay_from(self, account: Any, amount: int) -> None:
        """Take an amount from an account that has it."""
        if account["balance"] < amount:
            raise ToolFailure(f"Account {account['id']} has {account['balance']} cents, fewer than {amount}.")
        self.world.write("UPDATE accounts SET balance = balance - ? WHERE id = ?", amount, account["id"])

    def book(self, subject: str | int, what: str, amount: int) -> None:
        """Note a charge or credit; the same one once."""
        if self.world.row("SELECT 1 FROM bookings WHERE subject = ? AND what = ?", str(subject), what):
            raise ToolFailure(f"{subject}: {what} was booked before.")
        self.world.write("INSERT INTO bookings VALUES (?, ?, ?)", str(subject), what, amount)

    @staticmethod
    def _in(row: Any, *states_and_name: str) -> Any:
        *states, name = states_and_name
        if row["state"] not in states:
            raise ToolFailure(f"{name} {row['id']} is {row['state']}; this takes one that is {' or '.join(states)}.")
        return row
