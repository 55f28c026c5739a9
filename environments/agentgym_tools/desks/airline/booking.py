"""A booking as rules and goals see it: with its passengers, its flights, its tickets and its customer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_tools.desks.airline.booked import passenger_name
from agentgym_tools.desks.airline.world import NOW
from agentgym_tools.worlds import World

ADULT_AGE = 18


@dataclass(frozen=True)
class Booking:
    """A booking.

    Attributes:
        row: Its own row.
        customer: The row of its customer.
        passengers: Rows of the passengers by name.
        flights: Rows of its flights in order of departure.
        tickets: Rows of its tickets.
    """

    row: Any
    customer: Any
    passengers: Mapping[str, Any]
    flights: Sequence[Any]
    tickets: Sequence[Any]

    @classmethod
    def load(cls, world: World, key: str) -> Booking | None:
        """The booking with this id, or None."""
        row = world.row("SELECT * FROM bookings WHERE id = ?", key)
        if row is None:
            return None
        customer = world.row("SELECT * FROM customers WHERE id = ?", row["customer_id"])
        people = world.rows("SELECT * FROM passengers WHERE booking_id = ? ORDER BY name", key)
        tickets = world.rows("SELECT * FROM tickets WHERE booking_id = ?", key)
        sql = "SELECT * FROM flights WHERE id IN (SELECT flight_id FROM tickets WHERE booking_id = ?)"
        flights = world.rows(f"{sql} ORDER BY departs, id", key)
        return cls(row, customer, {each["name"]: each for each in people}, flights, tickets)

    @property
    def id(self) -> str:
        """Its key."""
        return str(self.row["id"])

    @property
    def fare(self) -> str:
        """Its fare: saver, standard or flex."""
        return str(self.row["fare"])

    @property
    def tier(self) -> str:
        """Its customer's tier: basic, silver or gold."""
        return str(self.customer["tier"])

    @property
    def is_active(self) -> bool:
        """Whether it may be changed at all."""
        return self.row["state"] in ("confirmed", "begun")

    @property
    def ahead(self) -> list[Any]:
        """Its flights that have not been flown."""
        return [flight for flight in self.flights if flight["state"] != "flown"]

    @property
    def hours_left(self) -> int:
        """Whole hours until its next flight departs, or -1 if no flight is left."""
        return hours_until(self.ahead[0]) if self.ahead else -1

    @property
    def is_disrupted(self) -> bool:
        """Whether the airline has cancelled one of the flights ahead."""
        return any(flight["state"] == "cancelled" for flight in self.ahead)

    @property
    def is_customer_aboard(self) -> bool:
        """Whether the customer is one of the passengers."""
        first, last = str(self.customer["name"]).split(" ", 1)
        return passenger_name(first, last) in self.passengers

    def flight(self, key: str) -> Any:
        """The flight of this id, or None if the booking does not have it."""
        return next((flight for flight in self.flights if flight["id"] == key), None)

    def seats_needed(self, flight: str) -> dict[str, int]:
        """How many of its passengers fly in each cabin of a flight."""
        cabins = [ticket["cabin"] for ticket in self.tickets if ticket["flight_id"] == flight]
        return {cabin: cabins.count(cabin) for cabin in ("economy", "business")}

    def keeps_order(self, old: str, new: Any) -> bool:
        """Whether its flights stay in order if one of them is replaced."""
        place = next(place for place, flight in enumerate(self.flights) if flight["id"] == old)
        before, after = self.flights[:place], self.flights[place + 1 :]
        is_after = all(flight["departs"] + flight["minutes"] < new["departs"] for flight in before)
        return is_after and all(new["departs"] + new["minutes"] < flight["departs"] for flight in after)


def flight_of(world: World, key: str) -> Any:
    """The row of a flight, which may be None."""
    return world.row("SELECT * FROM flights WHERE id = ?", key)


def hours_until(flight: Any) -> int:
    """Whole hours until a flight's scheduled departure; negative once it is past."""
    return int(flight["departs"] - NOW) // 60


def has_room(flight: Any, needed: Mapping[str, int]) -> bool:
    """Whether a flight has the seats in each cabin."""
    return all(flight[cabin] >= number for cabin, number in needed.items())


def alternatives(world: World, flight: Any, first: int, last: int) -> list[Any]:
    """Other flights on the same route that will depart, from one minute to another, in order of departure."""
    return world.rows(
        "SELECT * FROM flights WHERE origin = ? AND destination = ? AND departs BETWEEN ? AND ? AND id != ? "
        "AND state = 'scheduled' AND departs > ? ORDER BY departs, id",
        *(flight["origin"], flight["destination"], first, last, flight["id"], NOW),
    )
