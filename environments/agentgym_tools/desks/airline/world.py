"""The airline's world: departures and their seats, customers, bookings of passengers and flights; made once per size.

Bookings and what hangs on them are filled in `booked`.
"""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from agentgym_tools.desks.setting.days import TODAY, date_of

DAY = 24 * 60
"""Minutes of a day; all times are minutes since the epoch of days."""
NOW = TODAY * DAY + 6 * 60
"""When episodes take place: nothing of the day before is still in the air, nothing of today has departed."""
CAUSES = ("weather", "technical fault", "strike", "crew", "air traffic control")
HUB = "Aldmouth"
CITIES = (
    *("Bergholm", "Corvara", "Dunstead", "Esperia", "Falkirk Bay", "Gravelle", "Hollin", "Isolabella", "Jorvik"),
    *("Karsund", "Lindau", "Montero"),
)
ZONES = {"front": range(3, 5), "exit": range(11, 13), "standard": range(14, 26)}
"""Rows of seats by zone."""
PLACES = {"A": "window", "B": "middle", "C": "aisle", "D": "aisle", "E": "middle", "F": "window"}

SCHEMA = """
CREATE TABLE customers (
    id TEXT PRIMARY KEY, member INTEGER NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, birth_date TEXT NOT NULL,
    tier TEXT NOT NULL, miles INTEGER NOT NULL, credit INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE flights (
    id TEXT PRIMARY KEY, origin TEXT NOT NULL, destination TEXT NOT NULL, departs INTEGER NOT NULL,
    minutes INTEGER NOT NULL, km INTEGER NOT NULL, state TEXT NOT NULL, delay INTEGER NOT NULL, cause TEXT NOT NULL,
    price INTEGER NOT NULL, economy INTEGER NOT NULL, business INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE seats (
    flight_id TEXT NOT NULL REFERENCES flights, seat TEXT NOT NULL, zone TEXT NOT NULL, place TEXT NOT NULL,
    taken_by TEXT NOT NULL, PRIMARY KEY (flight_id, seat)
) WITHOUT ROWID;
CREATE TABLE bookings (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, destination TEXT NOT NULL,
    state TEXT NOT NULL, fare TEXT NOT NULL, booked INTEGER NOT NULL, insured INTEGER NOT NULL, cancel_reason TEXT
) WITHOUT ROWID;
CREATE TABLE passengers (
    booking_id TEXT NOT NULL REFERENCES bookings, name TEXT NOT NULL, age INTEGER NOT NULL, bags INTEGER NOT NULL,
    PRIMARY KEY (booking_id, name)
) WITHOUT ROWID;
CREATE TABLE tickets (
    booking_id TEXT NOT NULL REFERENCES bookings, flight_id TEXT NOT NULL REFERENCES flights, passenger TEXT NOT NULL,
    cabin TEXT NOT NULL, seat TEXT NOT NULL, price INTEGER NOT NULL, PRIMARY KEY (booking_id, flight_id, passenger)
) WITHOUT ROWID;
CREATE TABLE services (
    booking_id TEXT NOT NULL REFERENCES bookings, flight_id TEXT NOT NULL, passenger TEXT NOT NULL,
    service TEXT NOT NULL, PRIMARY KEY (booking_id, flight_id, passenger, service)
) WITHOUT ROWID;
CREATE TABLE removals (
    booking_id TEXT NOT NULL REFERENCES bookings, passenger TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (booking_id, passenger)
) WITHOUT ROWID;
CREATE TABLE bag_reports (
    id TEXT PRIMARY KEY, booking_id TEXT NOT NULL REFERENCES bookings, passenger TEXT NOT NULL,
    flight_id TEXT NOT NULL REFERENCES flights, filed INTEGER NOT NULL, returned INTEGER, paid INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE payouts (
    booking_id TEXT NOT NULL REFERENCES bookings, flight_id TEXT NOT NULL REFERENCES flights,
    amount INTEGER NOT NULL, paid_to TEXT NOT NULL, PRIMARY KEY (booking_id, flight_id)
) WITHOUT ROWID;
CREATE TABLE mile_credits (
    booking_id TEXT NOT NULL REFERENCES bookings, flight_id TEXT NOT NULL REFERENCES flights,
    miles INTEGER NOT NULL, PRIMARY KEY (booking_id, flight_id)
) WITHOUT ROWID;
CREATE TABLE charges (
    id INTEGER PRIMARY KEY, booking_id TEXT NOT NULL REFERENCES bookings, what TEXT NOT NULL, amount INTEGER NOT NULL,
    method TEXT NOT NULL
);
CREATE UNIQUE INDEX customers_by_member ON customers (member);
CREATE INDEX customers_by_name ON customers (name);
CREATE INDEX customers_by_email ON customers (email);
CREATE INDEX flights_by_route ON flights (origin, destination, departs);
CREATE INDEX bookings_by_customer ON bookings (customer_id);
CREATE INDEX reports_by_booking ON bag_reports (booking_id);
"""


@dataclass(frozen=True)
class Size:
    """How much there is.

    Attributes:
        customers: How many customers.
        cities: How many cities have flights from and to the hub.
        days: Days from today on which flights depart.
        max_daily: Most flights a day on a route.
        max_bookings: Most bookings of a customer.
        first_flight, first_booking, first_member: Numbers from which ids count.
        spread: Largest step from one booking's number to the next.
        seed: What it is drawn from; the small one's was picked so that most templates can be drawn.
    """

    customers: int
    cities: int
    days: tuple[int, ...]
    max_daily: int
    max_bookings: int
    first_flight: int
    first_booking: int
    first_member: int
    spread: int
    seed: int


@dataclass
class Flight:
    """A departure while the world is being made."""

    id: str
    origin: str
    destination: str
    departs: int
    minutes: int
    km: int
    state: str
    delay: int
    cause: str
    price: int
    economy: int
    business: int

    @property
    def is_disrupted(self) -> bool:
        """Whether it is late or cancelled."""
        return bool(self.delay) or self.state == "cancelled"


@dataclass
class Timetable:
    """The departures while the world is being made.

    Attributes:
        flights: All of them.
        by_route: Those of each route, in order of departure.
        free: Seats that nobody has, by flight, with their zone and place.
    """

    flights: list[Flight] = field(default_factory=list)
    by_route: dict[tuple[str, str], list[Flight]] = field(default_factory=lambda: defaultdict(list))
    seats: dict[str, list[list[str]]] = field(default_factory=lambda: defaultdict(list))


def time_of(minute: int) -> str:
    """A time as text, such as 2031-09-28 14:35."""
    return f"{date_of(minute // DAY)} {minute % DAY // 60:02}:{minute % 60:02}"


def make_flights(rng: random.Random, size: Size) -> Timetable:
    """Make the departures and the seats of those ahead; `store_flights` keeps them."""
    timetable = Timetable()
    for city in CITIES[: size.cities]:
        km, base = rng.randrange(400, 3600, 100), rng.randrange(9_000, 30_000, 500)
        for route, day in product(((HUB, city), (city, HUB)), size.days):
            for place in sorted(rng.sample(range(4), rng.randint(1, size.max_daily))):
                flight = _flight(rng, route, day, place, km, base)
                flight.id = f"{'AG' if size.first_flight > 99 else 'F'}{size.first_flight + len(timetable.flights)}"
                timetable.flights.append(flight)
                timetable.by_route[route].append(flight)
                if flight.state != "flown":
                    timetable.seats[flight.id] = _seats(rng)
    return timetable


def store_flights(timetable: Timetable, db: sqlite3.Connection) -> None:
    """Write the departures and seats as they are now."""
    flights = [tuple(vars(flight).values()) for flight in timetable.flights]
    db.executemany("INSERT INTO flights VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", flights)
    seats = [(flight, *seat) for flight, rows in timetable.seats.items() for seat in rows]
    db.executemany("INSERT INTO seats VALUES (?, ?, ?, ?, ?)", seats)


def _flight(rng: random.Random, route: Sequence[str], day: int, place: int, km: int, base: int) -> Flight:
    departs = (TODAY + day) * DAY + (7 + 4 * place) * 60 + rng.randrange(0, 180, 5)
    state = "flown" if departs < NOW else "scheduled"
    share_late = 0.5 if state == "flown" else 0.35 if departs < NOW + 2 * DAY else 0.0
    delay = rng.choice((25, 50, 70, 100, 130, 150, 190, 200, 250, 260, 320, 380)) if rng.random() < share_late else 0
    if state == "scheduled" and not delay and rng.random() < 0.08:
        state = "cancelled"
    cause = rng.choice(CAUSES) if delay or state == "cancelled" else ""
    price = base + rng.choice((0, 0, 1_000, 2_500, 6_000))
    left = (rng.choice((0, 1, 2, 4, 6, 9)), rng.choice((0, 1, 2, 3)))
    return Flight("", route[0], route[1], departs, 45 + km // 12, km, state, delay, cause, price, *left)


def _seats(rng: random.Random) -> list[list[str]]:
    """Some seats of a flight: number, zone, place, and who has it."""
    found = {}
    for zone in ("front", "exit", "standard", "standard", "standard", *rng.choices(tuple(ZONES), k=2)):
        letter = rng.choice(tuple(PLACES))
        seat = f"{rng.choice(ZONES[zone])}{letter}"
        found[seat] = [seat, zone, PLACES[letter], "" if rng.random() < 0.75 else "others"]
    return [found[seat] for seat in sorted(found)]
