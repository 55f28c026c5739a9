"""What the airline's writing tools are made of: finding rows, moving tickets, freeing seats, booking money."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agentgym_tools.desks.airline.booking import flight_of, has_room
from agentgym_tools.desks.airline.world import NOW
from agentgym_tools.worlds import World
from agentgym_tools.worlds.toolbox import ToolFailure

MAX_CENTS = 10_000_000


def row_of(world: World, table: str, key: str) -> Any:
    """A row by its id.

    Raises:
        ToolFailure: No row has this id.
    """
    row = world.row(f"SELECT * FROM {table} WHERE id = ?", key.strip())  # noqa: S608 - names from these files
    if row is None:
        raise ToolFailure(f"There is no {key[:40]!r} among the {table}.")
    return row


def active_booking(world: World, key: str) -> Any:
    """A booking that has flights ahead and was not cancelled."""
    booking = row_of(world, "bookings", key)
    if booking["state"] not in ("confirmed", "begun"):
        raise ToolFailure(f"Booking {booking['id']} is {booking['state']}; this takes one that is confirmed or begun.")
    return booking


def passenger_of(world: World, booking: Any, name: str) -> Any:
    """A passenger of a booking."""
    people = world.rows("SELECT * FROM passengers WHERE booking_id = ? ORDER BY name", booking["id"])
    found = [row for row in people if row["name"] == name.strip().upper()]
    if not found:
        known = ", ".join(row["name"] for row in people)
        raise ToolFailure(f"Booking {booking['id']} has the passengers {known}; got {name[:60]!r}.")
    return found[0]


def tickets_of(world: World, booking: Any, flight: str) -> list[Any]:
    """The tickets of a booking for one of its flights."""
    sql = "SELECT * FROM tickets WHERE booking_id = ? AND flight_id = ? ORDER BY passenger"
    found = world.rows(sql, booking["id"], flight.strip())
    if not found:
        raise ToolFailure(f"{flight[:20]!r} is no flight of booking {booking['id']}.")
    return found


def tickets_ahead(world: World, booking: Any, flight: str) -> tuple[Any, list[Any]]:
    """A flight of a booking that has not been flown, and the booking's tickets for it."""
    tickets = tickets_of(world, booking, flight)
    row = flight_of(world, tickets[0]["flight_id"])
    if row["state"] == "flown":
        raise ToolFailure(f"{row['id']} has been flown.")
    return row, tickets


def ticket_ahead(world: World, booking: Any, flight: str, passenger: str) -> Any:
    """A passenger's ticket for a flight of a booking that has not been flown."""
    person = passenger_of(world, booking, passenger)
    _, tickets = tickets_ahead(world, booking, flight)
    return next(ticket for ticket in tickets if ticket["passenger"] == person["name"])


def move_tickets(world: World, booking: Any, flight: str, new_flight: str) -> int:
    """Move all tickets of a booking from a flight to another one on its route; returns by how much its price is higher.

    The price of each ticket stays; seats are given up, services move along.
    """
    old, tickets = tickets_ahead(world, booking, flight)
    new = row_of(world, "flights", new_flight)
    if (new["origin"], new["destination"]) != (old["origin"], old["destination"]) or new["id"] == old["id"]:
        raise ToolFailure(f"{new['id']} is no other flight from {old['origin']} to {old['destination']}.")
    if new["state"] != "scheduled" or new["departs"] <= NOW:
        raise ToolFailure(f"{new['id']} is {new['state']}; it takes no passengers.")
    cabins = Counter(ticket["cabin"] for ticket in tickets)
    if not has_room(new, cabins):
        raise ToolFailure(
            f"{new['id']} has {new['economy']} seats left in economy and {new['business']} in business; needed are "
            f"{cabins['economy']} and {cabins['business']}."
        )
    for ticket in tickets:
        free_seat(world, ticket)
        _count(world, old["id"], ticket["cabin"], 1)
        _count(world, new["id"], ticket["cabin"], -1)
    for table, more in (("tickets", ", seat = ''"), ("services", "")):
        sql = f"UPDATE {table} SET flight_id = ?{more} WHERE booking_id = ? AND flight_id = ?"  # noqa: S608 - from above
        world.write(sql, new["id"], booking["id"], old["id"])
    return max(0, int(new["price"]) - int(old["price"]))


def give_up_tickets(world: World, booking: Any, passenger: str | None = None) -> int:
    """Give the seats on flights ahead back, of one passenger or of all; returns what was paid for them."""
    sql = (
        "SELECT tickets.* FROM tickets JOIN flights ON flights.id = flight_id WHERE booking_id = ? "
        "AND state != 'flown' ORDER BY flight_id, passenger"
    )
    tickets = [row for row in world.rows(sql, booking["id"]) if passenger in (None, row["passenger"])]
    for (flight, cabin), number in Counter((row["flight_id"], row["cabin"]) for row in tickets).items():
        _count(world, flight, cabin, number)
    for ticket in tickets:
        free_seat(world, ticket)
    return sum(row["price"] for row in tickets)


def to_business(world: World, ticket: Any) -> None:
    """Move a ticket from economy to business on its flight."""
    free_seat(world, ticket)
    _count(world, ticket["flight_id"], "economy", 1)
    _count(world, ticket["flight_id"], "business", -1)
    _set(world, ticket, "cabin", "business")


def take_seat(world: World, ticket: Any, seat: str) -> None:
    """Give a ticket a seat, in place of the one that it may have."""
    free_seat(world, ticket)
    sql = "UPDATE seats SET taken_by = ? WHERE flight_id = ? AND seat = ?"
    world.write(sql, ticket["booking_id"], ticket["flight_id"], seat)
    _set(world, ticket, "seat", seat)


def free_seat(world: World, ticket: Any) -> None:
    """Give up the seat of a ticket, if it has one."""
    if ticket["seat"]:
        sql = "UPDATE seats SET taken_by = '' WHERE flight_id = ? AND seat = ?"
        world.write(sql, ticket["flight_id"], ticket["seat"])
        _set(world, ticket, "seat", "")


def charge(world: World, booking: Any, what: str, amount: int, method: str) -> None:
    """Charge a customer. A charge of 0 is written too: it records what was booked.

    Raises:
        ToolFailure: The sum is out of bounds, or more than the travel credit or the miles.
    """
    require_cents(amount)
    if method in ("credit", "miles"):
        customer = row_of(world, "customers", booking["customer_id"])
        if customer[method] < amount:
            raise ToolFailure(f"The customer has {customer[method]} of {method}, too little for {amount}.")
        pay_in(world, booking, method, -amount)
    row = (world.new_id("charges"), booking["id"], what, amount, method)
    world.write("INSERT INTO charges VALUES (?, ?, ?, ?, ?)", *row)


def pay_back(world: World, booking: Any, paid: int, fees: int, method: str) -> int:
    """Refund what was paid less fees; returns the refund.

    Raises:
        ToolFailure: The fees are out of bounds.
    """
    if not 0 <= fees <= paid:
        raise ToolFailure(f"fee_cents must be from 0 to what was paid, {paid} cents in all; got {fees} in all.")
    refund = paid - fees
    row = (world.new_id("charges"), booking["id"], "refund", -refund, method)
    world.write("INSERT INTO charges VALUES (?, ?, ?, ?, ?)", *row)
    if method == "credit":
        pay_in(world, booking, "credit", refund)
    return refund


def pay_in(world: World, booking: Any, account: str, amount: int) -> None:
    """Add to the travel credit or the miles of a booking's customer."""
    sql = f"UPDATE customers SET {account} = {account} + ? WHERE id = ?"  # noqa: S608 - credit or miles
    world.write(sql, amount, booking["customer_id"])


def require_cents(amount: int, least: int = 0) -> None:
    """Refuse sums of money that are out of bounds."""
    if not least <= amount <= MAX_CENTS:
        raise ToolFailure(f"An amount must be from {least} to {MAX_CENTS}, got {str(amount)[:20]}.")


def require_new(world: World, table: str, booking: Any, flight: str) -> None:
    """Refuse what was paid or credited for a flight of a booking already."""
    sql = f"SELECT 1 FROM {table} WHERE booking_id = ? AND flight_id = ?"  # noqa: S608 - names from these files
    if world.row(sql, booking["id"], flight):
        raise ToolFailure(f"That was done for flight {flight} of booking {booking['id']} already.")


def _count(world: World, flight: str, cabin: str, number: int) -> None:
    sql = f"UPDATE flights SET {cabin} = {cabin} + ? WHERE id = ?"  # noqa: S608 - economy or business
    world.write(sql, number, flight)


def _set(world: World, ticket: Any, column: str, value: str) -> None:
    sql = f"UPDATE tickets SET {column} = ? WHERE booking_id = ? AND flight_id = ? AND passenger = ?"  # noqa: S608 - above
    world.write(sql, value, ticket["booking_id"], ticket["flight_id"], ticket["passenger"])
