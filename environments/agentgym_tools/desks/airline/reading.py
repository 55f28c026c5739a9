"""The airline's tools that only read."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.desks.airline.booking import alternatives, hours_until
from agentgym_tools.desks.airline.ledger import row_of
from agentgym_tools.desks.airline.rules import days_since, days_without_bag, landing_day
from agentgym_tools.desks.airline.world import DAY, NOW, time_of
from agentgym_tools.desks.setting.days import EPOCH, date_of
from agentgym_tools.worlds.toolbox import Toolbox, ToolFailure, reads

MAX_MEMBER = 10**9


class AirlineReading(Toolbox):
    """Find customers, bookings and flights."""

    @reads
    def find_customer_by_email(self, email: str) -> Any:
        """Find a customer by the e-mail address.

        Args:
            email: The whole address.
        """
        return self._customer("SELECT * FROM customers WHERE email = ?", email.strip().lower())

    @reads
    def find_customer_by_member(self, member_number: int) -> Any:
        """Find a customer by the member number.

        Args:
            member_number: The number.
        """
        number = member_number if 0 < member_number < MAX_MEMBER else 0
        return self._customer("SELECT * FROM customers WHERE member = ?", number)

    @reads
    def find_customer_by_name(self, name: str, birth_date: str) -> Any:
        """Find a customer by name and date of birth.

        Args:
            name: First and last name.
            birth_date: Such as 1999-12-31.
        """
        sql = "SELECT * FROM customers WHERE name = ? AND birth_date = ?"
        return self._customer(sql, name.strip(), birth_date.strip())

    @reads
    def get_account(self, customer_id: str) -> Any:
        """Read a customer's tier, miles and travel credit.

        Args:
            customer_id: The customer.
        """
        customer = row_of(self.world, "customers", customer_id)
        self.show("accounts", customer["id"])
        return {
            "customer_id": customer["id"],
            "tier": customer["tier"],
            "miles": customer["miles"],
            "credit_cents": customer["credit"],
        }

    @reads
    def find_bookings(self, customer_id: str, destination: str | None = None) -> Any:
        """List a customer's bookings.

        Args:
            customer_id: The customer.
            destination: City to which the trip goes; without it, all bookings.
        """
        customer = row_of(self.world, "customers", customer_id)
        self.show("trips", customer["id"])
        sql = "SELECT * FROM bookings WHERE customer_id = ? ORDER BY id"
        return [
            {"booking_id": row["id"], "destination": row["destination"], "state": row["state"]}
            for row in self.world.rows(sql, customer["id"])
            if destination is None or row["destination"].casefold() == destination.strip().casefold()
        ]

    @reads
    def get_booking(self, booking_id: str) -> Any:
        """Read a booking: its fare, its passengers with their bags, its flights with seats and services.

        Args:
            booking_id: The booking.
        """
        booking = row_of(self.world, "bookings", booking_id)
        self.show("bookings", booking["id"])
        people = self.world.rows("SELECT * FROM passengers WHERE booking_id = ? ORDER BY name", booking["id"])
        tickets = self._tickets(booking["id"])
        flights = {row["flight_id"]: row for row in tickets}
        return {
            "booking_id": booking["id"],
            "customer_id": booking["customer_id"],
            "destination": booking["destination"],
            "state": booking["state"],
            "fare": booking["fare"],
            "insured": bool(booking["insured"]),
            "hours_since_booking": (NOW - booking["booked"]) // 60,
            "paid_cents": sum(row["price"] for row in tickets),
            "passengers": [{"passenger": row["name"], "age": row["age"], "bags": row["bags"]} for row in people],
            "flights": [
                {
                    "flight_id": key,
                    "origin": flight["origin"],
                    "destination": flight["destination"],
                    **_when(flight),
                    "state": flight["state"],
                    "tickets": [_ticket(row) for row in tickets if row["flight_id"] == key],
                }
                for key, flight in flights.items()
            ],
        }

    @reads
    def get_flight(self, flight_id: str) -> Any:
        """Read a flight: its times, its delay and the cause, its length, its price and the seats left.

        Args:
            flight_id: The flight; every departure has its own.
        """
        flight = row_of(self.world, "flights", flight_id)
        self.show("flights", flight["id"])
        return {
            "flight_id": flight["id"],
            "origin": flight["origin"],
            "destination": flight["destination"],
            **_when(flight),
            "state": flight["state"],
            "delay_minutes": flight["delay"],
            **({"cause": flight["cause"]} if flight["cause"] else {}),
            "expected_departure": time_of(flight["departs"] + flight["delay"]),
            "expected_landing": time_of(flight["departs"] + flight["delay"] + flight["minutes"]),
            "km": flight["km"],
            **(_offer(flight) if flight["state"] == "scheduled" else {}),
        }

    @reads
    def find_alternatives(self, flight_id: str, date: str, sort_by: Literal["earliest", "cheapest"]) -> Any:
        """Find other flights on the same route on a day.

        Args:
            flight_id: The flight that would be replaced.
            date: The day, such as 2031-09-28.
            sort_by: Which comes first.
        """
        flight = row_of(self.world, "flights", flight_id)
        day = _minute_of(date)
        self.show("alternatives", f"{flight['id']} {date}")
        found = alternatives(self.world, flight, day, day + DAY - 1)
        if sort_by == "cheapest":
            found = sorted(found, key=lambda row: row["price"])
        return [{"flight_id": row["id"], **_when(row), **_offer(row)} for row in found]

    @reads
    def find_seats(
        self, flight_id: str, zone: Literal["front", "exit", "standard"], place: Literal["window", "middle", "aisle"]
    ) -> Any:
        """Find the seats of one kind on a flight, for passengers in economy, and which of them are free.

        Args:
            flight_id: The flight.
            zone: Part of the cabin.
            place: Place in the row.
        """
        flight = row_of(self.world, "flights", flight_id)
        self.show("seats", f"{flight['id']} {zone} {place}")
        sql = "SELECT * FROM seats WHERE flight_id = ? AND zone = ? AND place = ? ORDER BY seat"
        rows = self.world.rows(sql, flight["id"], zone, place)
        return [{"seat": row["seat"], "is_free": not row["taken_by"]} for row in rows]

    @reads
    def get_payouts(self, booking_id: str) -> Any:
        """Read for which flights of a booking compensation was paid and miles were credited.

        Args:
            booking_id: The booking.
        """
        booking = row_of(self.world, "bookings", booking_id)
        self.show("payouts", booking["id"])
        paid = self.world.rows("SELECT * FROM payouts WHERE booking_id = ? ORDER BY flight_id", booking["id"])
        miles = self.world.rows("SELECT * FROM mile_credits WHERE booking_id = ? ORDER BY flight_id", booking["id"])
        return {
            "compensation": [{"flight_id": row["flight_id"], "amount_cents": row["amount"]} for row in paid],
            "miles": [{"flight_id": row["flight_id"], "miles": row["miles"]} for row in miles],
        }

    @reads
    def find_bag_reports(self, booking_id: str, passenger: str) -> Any:
        """Find what was reported of a passenger's bags that did not come with a flight of a booking.

        Args:
            booking_id: The booking.
            passenger: The passenger's name as the booking has it.
        """
        booking = row_of(self.world, "bookings", booking_id)
        name = passenger.strip().upper()
        self.show("bag_reports", f"{booking['id']} {name}")
        sql = "SELECT * FROM bag_reports WHERE booking_id = ? AND passenger = ? ORDER BY id"
        return [self._report(row) for row in self.world.rows(sql, booking["id"], name)]

    def _customer(self, sql: str, *values: str | int) -> Any:
        row = self.world.row(sql, *values)
        if row is None:
            raise ToolFailure("There is no such customer.")
        self.show("customers", row["id"])
        return {
            "customer_id": row["id"],
            "member_number": row["member"],
            "name": row["name"],
            "email": row["email"],
            "birth_date": row["birth_date"],
            "tier": row["tier"],
        }

    def _tickets(self, booking_id: str) -> list[Any]:
        """The tickets of a booking with their flights and services, in order of departure."""
        return self.world.rows(
            "SELECT tickets.*, origin, destination, departs, state, (SELECT group_concat(service, ', ') FROM services "
            "WHERE services.booking_id = tickets.booking_id AND services.flight_id = tickets.flight_id "
            "AND services.passenger = tickets.passenger) AS services "
            "FROM tickets JOIN flights ON flights.id = flight_id WHERE booking_id = ? "
            "ORDER BY departs, flight_id, passenger",
            booking_id,
        )

    def _report(self, report: Any) -> dict[str, Any]:
        flight = row_of(self.world, "flights", report["flight_id"])
        landed = landing_day(flight)
        return {
            "report_id": report["id"],
            "passenger": report["passenger"],
            "flight_id": flight["id"],
            "landed_on": date_of(landed),
            "reported_on": date_of(report["filed"]),
            "reported_days_after_landing": report["filed"] - landed,
            "bag": "still missing" if report["returned"] is None else f"returned on {date_of(report['returned'])}",
            "days_without_bag": days_without_bag(self.world, report),
            "paid_cents": report["paid"],
        }


def _when(flight: Any) -> dict[str, Any]:
    """When a flight departs, and how far away that is."""
    hours = hours_until(flight)
    apart = {"hours_until_departure": hours} if hours >= 0 else {"days_since_departure": days_since(flight)}
    return {"departs": time_of(flight["departs"]), **apart}


def _offer(flight: Any) -> dict[str, Any]:
    return {
        "price_cents": flight["price"],
        "seats_left": {"economy": flight["economy"], "business": flight["business"]},
    }


def _ticket(row: Any) -> dict[str, Any]:
    return {
        "passenger": row["passenger"],
        "cabin": row["cabin"],
        **({"seat": row["seat"]} if row["seat"] else {}),
        **({"services": row["services"]} if row["services"] else {}),
    }


def _minute_of(text: str) -> int:
    """The first minute of a day that was written as 2031-09-28."""
    try:
        day = type(EPOCH).fromisoformat(text.strip())
    except ValueError:
        raise ToolFailure(f"date must be written as 2031-09-28, got {text[:20]!r}.") from None
    return (day - EPOCH).days * DAY
