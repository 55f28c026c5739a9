"""Travel: flights, exchange rates, bookings and the cards that pay for them. Amounts are whole cents."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.workbench.sets.toolbox import LISTED, OwnTools, require, short
from agentgym_tools.worlds.toolbox import reads, writes

BAG_CENTS, INSURANCE_CENTS = 2500, 1900
"""What a bag and an insurance cost."""


class TravelTools(OwnTools):
    """The tools of travel."""

    @reads
    def list_airports(self) -> Any:
        """List the towns with an airport, and the airports' codes."""
        return {row["town"]: row["code"] for row in self.world.rows("SELECT * FROM airports ORDER BY town")}

    @reads
    def airport_of(self, town: str) -> Any:
        """Show the code of a town's airport.

        Args:
            town: Name of the town.
        """
        row = self.world.row("SELECT code FROM airports WHERE lower(town) = lower(?)", town)
        if row is None:
            self.show("missing", town)
            raise self.not_found(f"{short(town)} has no airport.")
        return row[0]

    @reads
    def find_flights(self, origin: str, destination: str, day: str) -> Any:
        """List the flights between two airports on a day, with prices and free seats.

        Args:
            origin: Code of the airport of departure.
            destination: Code of the airport of arrival.
            day: The day, such as 2031-06-12.
        """
        sql = "SELECT * FROM flights WHERE origin = ? AND destination = ? AND day = ? ORDER BY id"
        self.show(LISTED, f"flights {origin} {destination} {day}")
        return [self._flight_shown(row) for row in self.world.rows(sql, origin, destination, day)]

    @reads
    def get_flight(self, flight: str) -> Any:
        """Show a flight.

        Args:
            flight: Its number, such as F101.
        """
        return self._flight_shown(self._flight(flight))

    @reads
    def get_exchange_rate(self, currency: str) -> Any:
        """Show how many hundredths of a foreign currency 100 cents buy.

        Args:
            currency: Name of the currency.
        """
        return {"hundredths_for_100_cents": self._rate(currency)}

    @reads
    def convert_money(self, amount_cents: int, currency: str) -> Any:
        """Show what an amount is in a foreign currency, in hundredths, rounded down.

        Args:
            amount_cents: The amount in cents, from 0.
            currency: Name of the currency.
        """
        require(amount_cents >= 0, "amount_cents is from 0.")
        value = amount_cents * self._rate(currency) // 100
        self.show("result", str(value))
        return {"hundredths": value}

    @reads
    def list_bookings(self) -> Any:
        """List your bookings."""
        self.show(LISTED, "bookings")
        return [self._booking_shown(row) for row in self.world.rows("SELECT * FROM bookings WHERE owner = ?", self.me)]

    @reads
    def get_booking(self, booking_id: int) -> Any:
        """Show one of your bookings.

        Args:
            booking_id: Number of the booking.
        """
        return self._booking_shown(self._booking(booking_id))

    @reads
    def list_cards(self) -> Any:
        """List your payment cards with their balances."""
        self.show(LISTED, "cards")
        found = []
        for row in self.world.rows("SELECT * FROM cards WHERE owner = ? ORDER BY id", self.me):
            self.show("cards", row["id"])
            found.append(
                {"card": row["id"], "kind": row["kind"], "balance_cents": row["balance"], "state": row["state"]}
            )
        return found

    @writes
    def book_flight(self, flight: str, card: str) -> Any:
        """Book a seat on a flight, paid by a card.

        Args:
            flight: Number of the flight.
            card: Number of one of your cards.
        """
        row = self._flight(flight)
        if row["seats"] < 1:
            raise self.not_possible(f"flight {flight} is sold out.")
        self._pay(card, row["price"])
        self.world.write("UPDATE flights SET seats = seats - 1 WHERE id = ?", flight)
        number = self.world.new_id("bookings")
        values = (number, self.me, flight, card, row["price"], 0, 0, "booked")
        self.world.write("INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *values)
        return {"booking_id": number, "flight": flight, "paid_cents": row["price"]}

    @writes
    def cancel_booking(self, booking_id: int) -> Any:
        """Cancel a booking; what was paid goes back to the card, and the seat is free again.

        Args:
            booking_id: Number of the booking.
        """
        row = self._booking(booking_id)
        if row["state"] == "cancelled":
            raise self.is_so_already(f"booking {booking_id} is cancelled.")
        self.world.write("UPDATE bookings SET state = 'cancelled' WHERE id = ?", booking_id)
        self.world.write("UPDATE cards SET balance = balance + ? WHERE id = ?", row["paid"], row["card"])
        self.world.write("UPDATE flights SET seats = seats + 1 WHERE id = ?", row["flight"])
        return f"Cancelled booking {booking_id}; {row['paid']} cents went back to {row['card']}."

    @writes
    def change_flight(self, booking_id: int, flight: str) -> Any:
        """Move a booking to another flight of the same way; the difference of the prices is paid or paid back.

        Args:
            booking_id: Number of the booking.
            flight: Number of the new flight.
        """
        row, new = self._live(booking_id), self._flight(flight)
        old = self._flight(row["flight"])
        if row["flight"] == flight:
            raise self.is_so_already(f"booking {booking_id} is for flight {flight}.")
        if (old["origin"], old["destination"]) != (new["origin"], new["destination"]):
            raise self.not_possible(f"flight {flight} goes another way than {row['flight']}.")
        if new["seats"] < 1:
            raise self.not_possible(f"flight {flight} is sold out.")
        self._pay(row["card"], new["price"] - old["price"])
        self.world.write("UPDATE flights SET seats = seats + 1 WHERE id = ?", old["id"])
        self.world.write("UPDATE flights SET seats = seats - 1 WHERE id = ?", flight)
        paid = row["paid"] + new["price"] - old["price"]
        self.world.write("UPDATE bookings SET flight = ?, paid = ? WHERE id = ?", flight, paid, booking_id)
        return {"booking_id": booking_id, "flight": flight, "paid_cents": paid}

    @writes
    def add_bags(self, booking_id: int, bags: int) -> Any:
        """Add bags to a booking, at 2500 cents each, paid by its card; a booking has at most five.

        Args:
            booking_id: Number of the booking.
            bags: How many are added, 1 to 3.
        """
        require(1 <= bags <= 3, "bags is from 1 to 3.")
        row = self._live(booking_id)
        if row["bags"] + bags > 5:
            raise self.not_possible(f"booking {booking_id} has {row['bags']} bags.")
        self._pay(row["card"], bags * BAG_CENTS)
        sql = "UPDATE bookings SET bags = bags + ?, paid = paid + ? WHERE id = ?"
        self.world.write(sql, bags, bags * BAG_CENTS, booking_id)
        return f"Booking {booking_id} has {row['bags'] + bags} bags."

    @writes
    def buy_insurance(self, booking_id: int) -> Any:
        """Insure a booking for 1900 cents, paid by its card.

        Args:
            booking_id: Number of the booking.
        """
        row = self._live(booking_id)
        if row["insured"]:
            raise self.is_so_already(f"booking {booking_id} is insured.")
        self._pay(row["card"], INSURANCE_CENTS)
        self.world.write("UPDATE bookings SET insured = 1, paid = paid + ? WHERE id = ?", INSURANCE_CENTS, booking_id)
        return f"Booking {booking_id} is insured."

    @writes
    def set_card_state(self, card: str, state: Literal["active", "frozen"]) -> Any:
        """Freeze one of your cards, or make it active again.

        Args:
            card: Number of the card.
            state: The new state.
        """
        if self._card(card)["state"] == state:
            raise self.is_so_already(f"card {card} is {state}.")
        self.world.write("UPDATE cards SET state = ? WHERE id = ?", state, card)
        return f"Card {card} is {state}."

    @writes
    def move_between_cards(self, card: str, other: str, amount_cents: int) -> Any:
        """Move money from one of your cards to another.

        Args:
            card: Number of the card that gives.
            other: Number of the card that gets.
            amount_cents: How much, in cents, from 100.
        """
        require(amount_cents >= 100, "amount_cents is from 100.")
        require(card != other, "card and other are the same.")
        self._card(other)
        self._pay(card, amount_cents)
        self.world.write("UPDATE cards SET balance = balance + ? WHERE id = ?", amount_cents, other)
        return f"Moved {amount_cents} cents from {card} to {other}."

    @writes
    def top_up_card(self, card: str, amount_cents: int) -> Any:
        """Put money on one of your cards.

        Args:
            card: Number of the card.
            amount_cents: How much, in cents, from 100.
        """
        require(amount_cents >= 100, "amount_cents is from 100.")
        self._card(card)
        self.world.write("UPDATE cards SET balance = balance + ? WHERE id = ?", amount_cents, card)
        return f"Put {amount_cents} cents on {card}."

    def _flight(self, flight: str) -> Any:
        row = self.world.row("SELECT * FROM flights WHERE id = ?", flight)
        if row is None:
            self.show("missing", flight)
            raise self.not_found(f"there is no flight {short(flight)}.")
        self.show("flights", flight)
        return row

    def _flight_shown(self, row: Any) -> dict[str, Any]:
        self.show("flights", row["id"])
        shown = ("origin", "destination", "day", "departs", "seats")
        return {"flight": row["id"], **{key: row[key] for key in shown}, "price_cents": row["price"]}

    def _rate(self, currency: str) -> int:
        row = self.world.row("SELECT per_hundred FROM rates WHERE currency = lower(?)", currency)
        if row is None:
            self.show("missing", currency)
            raise self.not_found(f"there is no rate for {short(currency)}.")
        self.show("rates", currency.lower())
        return int(row[0])

    def _booking(self, booking_id: int) -> Any:
        row = self.world.row("SELECT * FROM bookings WHERE owner = ? AND id = ?", self.me, booking_id)
        if row is None:
            self.show("missing", f"booking {booking_id}")
            self.is_shown_by("bookings")
            raise self.not_found(f"you have no booking {booking_id}.")
        self.show("bookings", booking_id)
        return row

    def _live(self, booking_id: int) -> Any:
        row = self._booking(booking_id)
        if row["state"] == "cancelled":
            raise self.not_possible(f"booking {booking_id} is cancelled.")
        return row

    def _booking_shown(self, row: Any) -> dict[str, Any]:
        self.show("bookings", row["id"])
        shown = {key: row[key] for key in ("flight", "card", "bags", "state")}
        return {"booking_id": row["id"], **shown, "paid_cents": row["paid"], "insured": bool(row["insured"])}

    def _card(self, card: str) -> Any:
        row = self.world.row("SELECT * FROM cards WHERE owner = ? AND id = ?", self.me, card)
        if row is None:
            self.show("missing", card)
            self.is_shown_by("cards")
            raise self.not_found(f"you have no card {short(card)}.")
        self.show("cards", card)
        return row

    def _pay(self, card: str, cents: int) -> None:
        row = self._card(card)
        if row["state"] != "active":
            raise self.not_possible(f"card {card} is frozen.")
        if row["balance"] < cents:
            raise self.not_possible(f"card {card} has {row['balance']} cents, and {cents} are needed.")
        self.world.write("UPDATE cards SET balance = balance - ? WHERE id = ?", cents, card)
