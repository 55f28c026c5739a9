"""Payments: a wallet with a balance, cards, transfers between people, and requests for money."""

from __future__ import annotations

import sqlite3
from typing import Any, Literal

from agentgym_tools.apps.api.app import App, cents, change, look, pattern, text
from agentgym_tools.apps.calendar_days import date_of, moment
from agentgym_tools.worlds.toolbox import ToolFailure

_TRANSFERS = (
    "SELECT transfers.*, giver.name AS giver_name, taker.name AS taker_name FROM transfers JOIN people AS giver ON "
    "giver.id = sender JOIN people AS taker ON taker.id = receiver"
)
_REQUESTS = (
    "SELECT requests.*, asking.name AS asking_name, asked.name AS asked_name FROM requests JOIN people AS asking ON "
    "asking.id = requester JOIN people AS asked ON asked.id = payer"
)
Answered = Literal["pending", "paid", "declined", "cancelled"]


def _card(row: sqlite3.Row) -> dict[str, Any]:
    fields = {"card_id": row["id"], "kind": row["kind"], "last4": row["last4"], "expires": row["expires"]}
    return {**fields, "left_cents": row["room"], "is_default": bool(row["is_default"])}


def _transfer(row: sqlite3.Row) -> dict[str, Any]:
    people = {"from": row["giver_name"], "to": row["taker_name"]}
    more = {"note": row["note"], "made": moment(row["made"]), "is_private": bool(row["is_private"])}
    return {"transfer_id": row["id"], **people, "amount_cents": row["amount"], **more}


def _request(row: sqlite3.Row) -> dict[str, Any]:
    people = {"from": row["asking_name"], "of": row["asked_name"], "amount_cents": row["amount"]}
    return {
        "request_id": row["id"],
        **people,
        "note": row["note"],
        "made": moment(row["made"]),
        "state": row["state"],
        "reminders": row["reminders"],
    }


class Payments(App):
    """The payments app."""

    about = "your balance, cards, money sent to and received from people, requests for money"

    @look
    def get_balance(self) -> Any:
        """Say how much money is in your wallet."""
        return {"balance_cents": self._balance(self.user)}

    @look
    def find_person(self, query: str) -> Any:
        """Find the e-mail addresses of people with whom you have exchanged money, by a part of the name."""
        sql = (
            "SELECT DISTINCT people.id, name, email FROM people JOIN transfers ON people.id IN (sender, receiver) "
            "WHERE ? IN (sender, receiver) AND people.id != ? AND instr(lower(name), ?) ORDER BY name"
        )
        rows = self.world.rows(sql, self.user, self.user, pattern(query))
        return [{"name": row["name"], "email": row["email"]} for row in rows[:20]]

    @look
    def list_cards(self) -> Any:
        """List your cards with what is left on them."""
        sql = "SELECT * FROM cards WHERE owner = ? ORDER BY id"
        return self.page_of("cards", _card, sql, self.user, page=0, limit=20)

    @change
    def set_default_card(self, card_id: int) -> Any:
        """Choose the card that is used where none is named."""
        self.own("cards", card_id, "card")
        self.world.write("UPDATE cards SET is_default = 0 WHERE owner = ? AND is_default", self.user)
        self.update("cards", card_id, is_default=1)
        return "Chosen."

    @change
    def delete_card(self, card_id: int) -> Any:
        """Remove a card; not the default one."""
        if self.own("cards", card_id, "card")["is_default"]:
            raise ToolFailure("That is your default card; choose another one first.")
        self.remove("cards", card_id)
        return "Removed."

    @change
    def top_up(self, card_id: int, amount_cents: int) -> Any:
        """Move money from a card to your wallet."""
        row, amount = self.own("cards", card_id, "card"), cents(amount_cents)
        if row["expires"] < date_of(self.today)[:7]:
            raise ToolFailure(f"Card {card_id} has expired.")
        if row["room"] < amount:
            raise ToolFailure(f"Card {card_id} has only {row['room']} cents left.")
        self.update("cards", card_id, room=row["room"] - amount)
        self._book(self.user, amount)
        return {"balance_cents": self._balance(self.user)}

    @change
    def withdraw(self, card_id: int, amount_cents: int) -> Any:
        """Move money from your wallet to a card."""
        row, amount = self.own("cards", card_id, "card"), cents(amount_cents)
        self._pay(amount)
        self.update("cards", card_id, room=row["room"] + amount)
        return {"balance_cents": self._balance(self.user)}

    @change
    def send_money(self, email: str, amount_cents: int, note: str = "") -> Any:
        """Send money to a person from your wallet."""
        person = self.person("email", email)["id"]
        if person == self.user:
            raise ToolFailure("That is your own address.")
        return {"transfer_id": self._transfer_to(person, cents(amount_cents), note)}

    @look
    def list_transfers(
        self, direction: Literal["sent", "received", "both"] = "both", page: int = 0, limit: int = 10
    ) -> Any:
        """List your transfers, the newest first.

        Args:
            direction: Whether you sent or received them.
        """
        sent, received = int(direction in ("sent", "both")), int(direction in ("received", "both"))
        sql = f"{_TRANSFERS} WHERE (? AND sender = ?) OR (? AND receiver = ?) ORDER BY made DESC, transfers.id"
        values = (sent, self.user, received, self.user)
        return self.page_of("transfers", _transfer, sql, *values, page=page, limit=limit)

    @look
    def search_transfers(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find your transfers by a part of the note or of the other person's name, the newest first."""
        wanted = pattern(query)
        sql = (
            f"{_TRANSFERS} WHERE (sender = ? AND instr(lower(taker.name || ' ' || note), ?)) OR (receiver = ? AND "
            "instr(lower(giver.name || ' ' || note), ?)) ORDER BY made DESC, transfers.id"
        )
        values = (self.user, wanted, self.user, wanted)
        return self.page_of("transfers", _transfer, sql, *values, page=page, limit=limit)

    @look
    def get_transfer(self, transfer_id: int) -> Any:
        """Read a transfer."""
        return _transfer(self._own_transfer(transfer_id))

    @change
    def set_transfer_note(self, transfer_id: int, note: str) -> Any:
        """Change the note of a transfer that you sent."""
        self._sent_transfer(transfer_id)
        self.update("transfers", transfer_id, note=text(note, "note", may_be_empty=True, most=200))
        return "Changed."

    @change
    def set_private(self, transfer_id: int, is_private: bool = True) -> Any:
        """Hide a transfer that you sent from others, or show it.

        Args:
            is_private: Whether it is hidden from now on.
        """
        self._sent_transfer(transfer_id)
        self.update("transfers", transfer_id, is_private=int(is_private))
        return "Done."

    @change
    def request_money(self, email: str, amount_cents: int, note: str = "") -> Any:
        """Ask a person for money."""
        person = self.person("email", email)["id"]
        if person == self.user:
            raise ToolFailure("That is your own address.")
        number = self.add(
            "requests",
            requester=self.user,
            payer=person,
            amount=cents(amount_cents),
            note=text(note, "note", may_be_empty=True, most=200),
            made=self.now,
            state="pending",
            reminders=0,
        )
        return {"request_id": number}

    @look
    def list_requests(self, state: Answered = "pending", page: int = 0, limit: int = 10) -> Any:
        """List requests of others for your money, the newest first.

        Args:
            state: What became of them.
        """
        sql = f"{_REQUESTS} WHERE payer = ? AND state = ? ORDER BY made DESC, requests.id"
        return self.page_of("requests", _request, sql, self.user, state, page=page, limit=limit)

    @look
    def list_own_requests(self, state: Answered = "pending", page: int = 0, limit: int = 10) -> Any:
        """List your requests for the money of others, the newest first.

        Args:
            state: What became of them.
        """
        sql = f"{_REQUESTS} WHERE requester = ? AND state = ? ORDER BY made DESC, requests.id"
        return self.page_of("requests", _request, sql, self.user, state, page=page, limit=limit)

    @change
    def pay_request(self, request_id: int) -> Any:
        """Pay what somebody has asked you for; the transfer has the request's note."""
        row = self._open_request(request_id, "payer")
        number = self._transfer_to(row["requester"], row["amount"], row["note"])
        self.update("requests", request_id, state="paid")
        return {"transfer_id": number}

    @change
    def decline_request(self, request_id: int) -> Any:
        """Refuse to pay what somebody has asked you for."""
        self._open_request(request_id, "payer")
        self.update("requests", request_id, state="declined")
        return "Declined."

    @change
    def cancel_request(self, request_id: int) -> Any:
        """Take a request of yours back."""
        self._open_request(request_id, "requester")
        self.update("requests", request_id, state="cancelled")
        return "Cancelled."

    @change
    def remind(self, request_id: int) -> Any:
        """Remind somebody of a request of yours."""
        row = self._open_request(request_id, "requester")
        self.update("requests", request_id, reminders=row["reminders"] + 1)
        return "Reminded."

    def _balance(self, person: int) -> int:
        row = self.world.row("SELECT balance FROM wallets WHERE owner = ?", person)
        assert row is not None
        if person == self.user:
            self.show("wallets", person)
        return int(row["balance"])

    def _book(self, person: int, amount: int) -> None:
        self.world.write("UPDATE wallets SET balance = balance + ? WHERE owner = ?", amount, person)

    def _pay(self, amount: int) -> None:
        balance = self._balance(self.user)
        if balance < amount:
            raise ToolFailure(f"Your wallet has only {balance} cents.")
        self._book(self.user, -amount)

    def _transfer_to(self, person: int, amount: int, note: str) -> int:
        self._pay(amount)
        self._book(person, amount)
        kept = text(note, "note", may_be_empty=True, most=200)
        values = {"sender": self.user, "receiver": person, "amount": amount, "note": kept}
        return self.add("transfers", **values, made=self.now, is_private=0)

    def _own_transfer(self, number: int) -> sqlite3.Row:
        row = self.world.row(f"{_TRANSFERS} WHERE transfers.id = ?", number)
        if row is None or self.user not in (row["sender"], row["receiver"]):
            raise ToolFailure(f"You have no transfer {number}.")
        self.show("transfers", number)
        return row

    def _sent_transfer(self, number: int) -> None:
        if self._own_transfer(number)["sender"] != self.user:
            raise ToolFailure(f"Transfer {number} was not sent by you.")

    def _open_request(self, number: int, side: str) -> sqlite3.Row:
        row = self.world.row("SELECT * FROM requests WHERE id = ?", number)
        if row is None or row[side] != self.user:
            whose = "to you" if side == "payer" else "of yours"
            raise ToolFailure(f"There is no request {number} {whose}.")
        self.show("requests", number)
        if row["state"] != "pending":
            raise ToolFailure(f"Request {number} is {row['state']} already.")
        return row
