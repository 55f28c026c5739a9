"""The airline's tools."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.desks.airline import ledger
from agentgym_tools.desks.airline.reading import AirlineReading
from agentgym_tools.worlds.toolbox import ToolFailure, writes

MAX_TEXT, MAX_BAGS, MAX_MILES = 60, 9, 100_000
PASSENGER_COLUMNS = (("passengers", "name"), ("tickets", "passenger"), ("services", "passenger"))
"""Where the name of a booking's passenger stands, beside reports of bags, which stay as they were filed."""


class AirlineTools(AirlineReading):
    """Find customers, bookings and flights; change bookings and pay what is due."""

    @writes
    def cancel_booking(self, booking_id: str, reason: str, fee_cents: int, refund_to: Literal["card", "credit"]) -> Any:
        """Cancel a booking with all its flights that have not been flown; what was paid for them goes back.

        Args:
            booking_id: The booking.
            reason: Why the customer cancels, one of: change of plans, illness, death in the family, jury duty.
            fee_cents: What is kept back for each passenger, in cents.
            refund_to: The customer's card or travel credit.
        """
        booking = ledger.active_booking(self.world, booking_id)
        people = self.world.rows("SELECT name FROM passengers WHERE booking_id = ?", booking["id"])
        paid = ledger.give_up_tickets(self.world, booking)
        refund = ledger.pay_back(self.world, booking, paid, len(people) * fee_cents, refund_to)
        sql = "UPDATE bookings SET state = 'cancelled', cancel_reason = ? WHERE id = ?"
        self.world.write(sql, reason[:MAX_TEXT], booking["id"])
        return f"Booking {booking['id']} is cancelled; {refund} cents go to the {refund_to}."

    @writes
    def remove_passenger(
        self, booking_id: str, passenger: str, reason: str, fee_cents: int, refund_to: Literal["card", "credit"]
    ) -> Any:
        """Take one of several passengers off a booking; what was paid for that passenger goes back.

        Args:
            booking_id: The booking.
            passenger: The passenger's name as the booking has it.
            reason: Why, one of: change of plans, illness, death in the family, jury duty.
            fee_cents: What is kept back, in cents.
            refund_to: The customer's card or travel credit.
        """
        booking = ledger.active_booking(self.world, booking_id)
        person = ledger.passenger_of(self.world, booking, passenger)
        if len(self.world.rows("SELECT name FROM passengers WHERE booking_id = ?", booking["id"])) < 2:
            raise ToolFailure(f"{person['name']} is the only passenger of {booking['id']}; cancel the booking instead.")
        paid = ledger.give_up_tickets(self.world, booking, person["name"])
        refund = ledger.pay_back(self.world, booking, paid, fee_cents, refund_to)
        for table, column in PASSENGER_COLUMNS:
            sql = f"DELETE FROM {table} WHERE booking_id = ? AND {column} = ?"  # noqa: S608 - names from this file
            self.world.write(sql, booking["id"], person["name"])
        row = (booking["id"], person["name"], reason[:MAX_TEXT])
        self.world.write("INSERT OR REPLACE INTO removals VALUES (?, ?, ?)", *row)
        return f"{person['name']} is taken off {booking['id']}; {refund} cents go to the {refund_to}."

    @writes
    def change_flight(
        self, booking_id: str, flight_id: str, new_flight_id: str, fee_cents: int, pay_with: Literal["card", "credit"]
    ) -> Any:
        """Change a flight of a booking, for all passengers, to another one on the route; a higher price is charged too.

        Args:
            booking_id: The booking.
            flight_id: The flight that is given up.
            new_flight_id: The flight that takes its place.
            fee_cents: The fee for each passenger, in cents; without the difference of the prices.
            pay_with: The customer's card or travel credit.
        """
        booking = ledger.active_booking(self.world, booking_id)
        num_tickets = len(ledger.tickets_of(self.world, booking, flight_id))
        more = ledger.move_tickets(self.world, booking, flight_id, new_flight_id)
        ledger.require_cents(fee_cents)
        cost = num_tickets * (fee_cents + more)
        ledger.charge(self.world, booking, "change", cost, pay_with)
        return f"{booking['id']} has {new_flight_id} in place of {flight_id}; {cost} cents are charged."

    @writes
    def rebook_flight(self, booking_id: str, flight_id: str, new_flight_id: str) -> Any:
        """Replace a flight of a booking that is late or was cancelled with another one on the route, free of charge.

        Args:
            booking_id: The booking.
            flight_id: The flight that is given up.
            new_flight_id: The flight that takes its place.
        """
        booking = ledger.active_booking(self.world, booking_id)
        ledger.move_tickets(self.world, booking, flight_id, new_flight_id)
        return f"{booking['id']} has {new_flight_id} in place of {flight_id}."

    @writes
    def upgrade_passenger(
        self,
        booking_id: str,
        flight_id: str,
        passenger: str,
        pay_with: Literal["card", "credit", "miles"],
        price: int,
    ) -> Any:
        """Move a passenger to the business cabin of a flight.

        Args:
            booking_id: The booking.
            flight_id: The flight.
            passenger: The passenger's name as the booking has it.
            pay_with: The customer's card, travel credit or miles.
            price: What it costs, in cents; in miles if it is paid with miles.
        """
        booking = ledger.active_booking(self.world, booking_id)
        ticket = ledger.ticket_ahead(self.world, booking, flight_id, passenger)
        if ticket["cabin"] == "business":
            raise ToolFailure(f"{ticket['passenger']} flies in business already.")
        if ledger.row_of(self.world, "flights", flight_id)["business"] < 1:
            raise ToolFailure(f"No seat is left in the business cabin of {ticket['flight_id']}.")
        ledger.to_business(self.world, ticket)
        ledger.charge(self.world, booking, "upgrade", price, pay_with)
        return f"{ticket['passenger']} flies in business on {ticket['flight_id']}."

    @writes
    def add_bags(self, booking_id: str, passenger: str, bags: int, fee_cents: int) -> Any:
        """Add checked bags to those of a passenger, on all flights of the booking; the card is charged.

        Args:
            booking_id: The booking.
            passenger: The passenger's name as the booking has it.
            bags: How many more.
            fee_cents: What they cost together, in cents.
        """
        booking = ledger.active_booking(self.world, booking_id)
        person = ledger.passenger_of(self.world, booking, passenger)
        if not 1 <= bags <= MAX_BAGS:
            raise ToolFailure(f"bags must be from 1 to {MAX_BAGS}, got {str(bags)[:20]}.")
        sql = "UPDATE passengers SET bags = bags + ? WHERE booking_id = ? AND name = ?"
        self.world.write(sql, bags, booking["id"], person["name"])
        ledger.charge(self.world, booking, "bags", fee_cents, "card")
        return f"{person['name']} has {person['bags'] + bags} bags."

    @writes
    def choose_seat(self, booking_id: str, flight_id: str, passenger: str, seat: str, fee_cents: int) -> Any:
        """Give a passenger of the economy cabin a free seat on a flight; a seat chosen before is given up.

        Args:
            booking_id: The booking.
            flight_id: The flight.
            passenger: The passenger's name as the booking has it.
            seat: The seat, such as 14C.
            fee_cents: What it costs, in cents; the card is charged.
        """
        booking = ledger.active_booking(self.world, booking_id)
        ticket = ledger.ticket_ahead(self.world, booking, flight_id, passenger)
        sql = "SELECT * FROM seats WHERE flight_id = ? AND seat = ? AND taken_by = ''"
        free = self.world.row(sql, ticket["flight_id"], seat.strip().upper())
        if free is None or ticket["cabin"] != "economy":
            raise ToolFailure(f"Seat {seat[:5]} of {flight_id} is not free for somebody in {ticket['cabin']}.")
        ledger.take_seat(self.world, ticket, free["seat"])
        ledger.charge(self.world, booking, "seat", fee_cents, "card")
        return f"{ticket['passenger']} has seat {free['seat']} on {ticket['flight_id']}."

    @writes
    def book_service(
        self,
        booking_id: str,
        flight_id: str,
        passenger: str,
        service: Literal["wheelchair", "special meal", "pet in cabin", "sports equipment"],
        fee_cents: int,
    ) -> Any:
        """Book a service for a passenger on a flight; the card is charged.

        Args:
            booking_id: The booking.
            flight_id: The flight.
            passenger: The passenger's name as the booking has it.
            service: The service.
            fee_cents: What it costs, in cents.
        """
        booking = ledger.active_booking(self.world, booking_id)
        ticket = ledger.ticket_ahead(self.world, booking, flight_id, passenger)
        key = (booking["id"], ticket["flight_id"], ticket["passenger"], service)
        sql = "SELECT 1 FROM services WHERE booking_id = ? AND flight_id = ? AND passenger = ? AND service = ?"
        if self.world.row(sql, *key):
            raise ToolFailure(f"{ticket['passenger']} has that service on {ticket['flight_id']} already.")
        self.world.write("INSERT INTO services VALUES (?, ?, ?, ?)", *key)
        ledger.charge(self.world, booking, service, fee_cents, "card")
        return f"The {service} is booked for {ticket['passenger']} on {ticket['flight_id']}."

    @writes
    def correct_name(self, booking_id: str, passenger: str, new_name: str) -> Any:
        """Correct the name of a passenger.

        Args:
            booking_id: The booking.
            passenger: The name as the booking has it.
            new_name: The right name, written in the same way.
        """
        booking = ledger.active_booking(self.world, booking_id)
        person = ledger.passenger_of(self.world, booking, passenger)
        name = new_name.strip().upper()
        taken = self.world.row("SELECT 1 FROM passengers WHERE booking_id = ? AND name = ?", booking["id"], name)
        if not name or len(name) > MAX_TEXT or taken:
            raise ToolFailure(f"new_name must be another name than those of the passengers, got {name[:40]!r}.")
        for table, column in PASSENGER_COLUMNS:
            sql = f"UPDATE {table} SET {column} = ? WHERE booking_id = ? AND {column} = ?"  # noqa: S608 - as above
            self.world.write(sql, name, booking["id"], person["name"])
        return f"{person['name']} of {booking['id']} is now {name}."

    @writes
    def pay_compensation(
        self, booking_id: str, flight_id: str, amount_cents: int, pay_to: Literal["card", "credit"]
    ) -> Any:
        """Pay compensation for a flight of a booking; once for each flight.

        Args:
            booking_id: The booking.
            flight_id: The flight.
            amount_cents: The sum for all passengers, in cents.
            pay_to: The customer's card or travel credit.
        """
        booking = ledger.row_of(self.world, "bookings", booking_id)
        flight = ledger.tickets_of(self.world, booking, flight_id)[0]["flight_id"]
        ledger.require_cents(amount_cents, least=1)
        ledger.require_new(self.world, "payouts", booking, flight)
        self.world.write("INSERT INTO payouts VALUES (?, ?, ?, ?)", booking["id"], flight, amount_cents, pay_to)
        if pay_to == "credit":
            ledger.pay_in(self.world, booking, "credit", amount_cents)
        return f"{amount_cents} cents are paid for {flight}."

    @writes
    def credit_miles(self, booking_id: str, flight_id: str, miles: int) -> Any:
        """Credit the customer of a booking with miles for one of its flights; once for each flight.

        Args:
            booking_id: The booking.
            flight_id: The flight.
            miles: How many.
        """
        booking = ledger.row_of(self.world, "bookings", booking_id)
        flight = ledger.tickets_of(self.world, booking, flight_id)[0]["flight_id"]
        if not 1 <= miles <= MAX_MILES:
            raise ToolFailure(f"miles must be from 1 to {MAX_MILES}, got {str(miles)[:20]}.")
        ledger.require_new(self.world, "mile_credits", booking, flight)
        self.world.write("INSERT INTO mile_credits VALUES (?, ?, ?)", booking["id"], flight, miles)
        ledger.pay_in(self.world, booking, "miles", miles)
        return f"{miles} miles are credited for {flight}."

    @writes
    def pay_bag_claim(self, report_id: str, amount_cents: int) -> Any:
        """Pay for a bag that came late, to the customer's card; once for each report.

        Args:
            report_id: The report of the bag.
            amount_cents: The sum, in cents.
        """
        report = ledger.row_of(self.world, "bag_reports", report_id)
        ledger.require_cents(amount_cents, least=1)
        if report["paid"]:
            raise ToolFailure(f"{report['paid']} cents were paid for {report['id']} already.")
        self.world.write("UPDATE bag_reports SET paid = ? WHERE id = ?", amount_cents, report["id"])
        return f"{amount_cents} cents are paid for {report['id']}."
