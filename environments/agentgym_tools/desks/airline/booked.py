"""The airline's customers, their bookings, and what went wrong on their flights: the second half of its world."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass
from functools import partial

from agentgym_tools.desks.airline.world import (
    CITIES,
    DAY,
    HUB,
    NOW,
    SCHEMA,
    Flight,
    Size,
    Timetable,
    make_flights,
    store_flights,
)
from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.desks.setting.people import FIRST_NAMES, LAST_NAMES
from agentgym_tools.worlds import Base

FARES = ("saver", "standard", "flex")
SERVICES = ("wheelchair", "special meal", "pet in cabin", "sports equipment")
_STATES = ("confirmed", "confirmed", "confirmed", "confirmed", "begun", "flown", "flown", "flown", "cancelled")
"""The states of bookings, each as often as it stands here."""
_SHARE_DISRUPTED = 0.5
"""Share of bookings that seek a flight which is late or cancelled, so that there is something to do."""


@dataclass(frozen=True)
class _Customer:
    """A customer while its bookings are made."""

    id: str
    first: str
    last: str
    age: int


def passenger_name(first: str, last: str) -> str:
    """A name as tickets have it, such as BERG/ALMA."""
    return f"{last}/{first}".upper()


class _Filler:
    """Makes the customers and bookings of a size."""

    def __init__(self, size: Size, db: sqlite3.Connection) -> None:
        self._size = size
        self._rng = random.Random(f"airline {size.seed}")
        self._db = db
        self._timetable: Timetable = make_flights(self._rng, size)
        self._booking = size.first_booking
        self._num_reports = 0
        self._people: set[tuple[str, str]] = set()
        self._states: list[str] = []

    def fill(self) -> None:
        """Write everything."""
        rng, size = self._rng, self._size
        rows: dict[str, list[tuple[object, ...]]] = {}
        for number in range(size.customers):
            customer, row = self._customer(number)
            rows.setdefault("customers", []).append(row)
            cities = rng.sample(CITIES[: size.cities], min(size.cities, rng.randint(3, size.max_bookings)))
            for city in cities:
                self._book(customer, city, rows)
        store_flights(self._timetable, self._db)
        for table in ("customers", "bookings", "passengers", "tickets", "services", "bag_reports", "payouts"):
            self._store(table, rows.get(table, []))
        self._store("mile_credits", rows.get("mile_credits", []))

    def _store(self, table: str, rows: list[tuple[object, ...]]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - names from this file

    def _customer(self, number: int) -> tuple[_Customer, tuple[object, ...]]:
        rng, size = self._rng, self._size
        while True:
            first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
            age = rng.randint(19, 80)
            born = date_of(TODAY - 365 * age - age // 4 - rng.randint(1, 360))
            if (first + last, born) not in self._people:
                self._people.add((first + last, born))
                break
        key = f"C{number + 1}"
        tier = rng.choice(("basic", "basic", "silver", "gold"))
        credit = rng.choice((0, 5_000, 15_000, 40_000))
        miles = rng.randrange(500, 30_000, 500)
        email = f"{first.lower()}.{last.lower()}{number + 1}@mail.test"
        row = (key, size.first_member + number, f"{first} {last}", email, born, tier, miles, credit)
        return _Customer(key, first, last, age), row

    def _book(self, customer: _Customer, city: str, rows: dict[str, list[tuple[object, ...]]]) -> None:
        rng = self._rng
        if not self._states:
            self._states = rng.sample(_STATES, len(_STATES))
        state = self._states.pop()
        flights = self._flights(city, state)
        if not flights:
            return
        key = f"B{self._booking}"
        self._booking += rng.randint(1, self._size.spread)
        fare = rng.choice(("saver", "standard", "standard", "flex"))
        cabin = "business" if rng.random() < 0.1 else "economy"
        latest = min(NOW, flights[0].departs - 3 * 60)
        ago = rng.choice((2, 5, 10, 20, 30, 40)) if rng.random() < 0.3 else rng.randint(72, 24 * 60)
        booked = (latest // 60 - ago) * 60 if latest < NOW else NOW - ago * 60
        booking = (key, customer.id, city, state, fare, booked, int(rng.random() < 0.3), None)
        rows.setdefault("bookings", []).append(booking)
        names = self._passengers(customer)
        for name, age in names.items():
            rows.setdefault("passengers", []).append((key, name, age, rng.choice((0, 0, 1, 2))))
        for flight in flights:
            price = flight.price + {"saver": -2_000, "standard": 0, "flex": 5_000}[fare]
            for name in names:
                seat = self._seat(key, flight) if state != "cancelled" and cabin == "economy" else ""
                rows.setdefault("tickets", []).append((key, flight.id, name, cabin, seat, price))
                if rng.random() < 0.06:
                    rows.setdefault("services", []).append((key, flight.id, name, rng.choice(SERVICES)))
        if state in ("flown", "begun"):
            self._look_back(key, [flight for flight in flights if flight.state == "flown"], list(names), rows)

    def _flights(self, city: str, state: str) -> list[Flight]:
        """The flights of a trip to a city: there, there and back, or through the hub; none where they do not fit."""
        rng = self._rng
        shape = "back" if state == "begun" else rng.choice(("there", "back", "back", "through"))
        legs = [(HUB, city)]
        if shape == "back":
            legs.append((city, HUB))
        elif shape == "through":
            others = [other for other in CITIES[: self._size.cities] if other != city]
            legs.insert(0, (rng.choice(others), HUB))
        earliest, latest = self._first_window(state)
        found: list[Flight] = []
        for route in legs:
            if found:
                landed = found[-1].departs + found[-1].minutes
                stay, wait = (DAY, 14 * DAY) if shape == "back" else (60, 4 * DAY)
                earliest, latest = landed + stay, landed + wait
            if found and state == "begun":
                earliest, latest = max(earliest, NOW), NOW + 25 * DAY
            fitting = [each for each in self._timetable.by_route[route] if earliest <= each.departs < latest]
            fitting = [each for each in fitting if state != "flown" or each.state == "flown"]
            if not fitting:
                return []
            hit = [each for each in fitting if each.is_disrupted]
            found.append(rng.choice(hit if hit and rng.random() < _SHARE_DISRUPTED else fitting))
        return found

    def _first_window(self, state: str) -> tuple[int, int]:
        """Between which times the first flight of a trip departs."""
        if state == "flown":
            days = (-40, -2)
        elif state == "begun":
            days = (-12, -1)
        else:
            days = (0, 2) if self._rng.random() < 0.4 else (2, 40)
        return (TODAY + days[0]) * DAY, (TODAY + days[1] + 1) * DAY

    def _passengers(self, customer: _Customer) -> dict[str, int]:
        rng = self._rng
        number = rng.choice((1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6))
        found: dict[str, int] = {}
        if rng.random() < 0.85:
            found[passenger_name(customer.first, customer.last)] = customer.age
        while len(found) < number:
            last = customer.last if rng.random() < 0.7 else rng.choice(LAST_NAMES)
            age = rng.choice((6, 9, 13, 15, 17, 24, 38, 52, 70)) if found else rng.randint(19, 80)
            found.setdefault(passenger_name(rng.choice(FIRST_NAMES), last), age)
        return found

    def _seat(self, booking: str, flight: Flight) -> str:
        free = [seat for seat in self._timetable.seats.get(flight.id, ()) if not seat[3] and seat[1] == "standard"]
        if len(free) < 2 or self._rng.random() > 0.15:
            return ""
        chosen = self._rng.choice(free)
        chosen[3] = booking
        return chosen[0]

    def _look_back(
        self, booking: str, flown: list[Flight], names: list[str], rows: dict[str, list[tuple[object, ...]]]
    ) -> None:
        """What has been reported and paid for flights that were flown."""
        rng = self._rng
        for flight in flown:
            if rng.random() < 0.3:
                miles = (booking, flight.id, flight.km)
                rows.setdefault("mile_credits", []).append(miles)
            if flight.delay >= 120 and rng.random() < 0.2:
                rows.setdefault("payouts", []).append((booking, flight.id, 10_000 * len(names), "card"))
        if rng.random() < 0.5:
            flight = rng.choice(flown)
            landed = (flight.departs + flight.delay + flight.minutes) // DAY
            filed = min(TODAY, landed + rng.choice((0, 0, 1, 1, 2, 4, 6, 9)))
            back: int | None = filed + rng.choice((0, 1, 2, 3, 5, 8))
            if back is not None and (back > TODAY or rng.random() < 0.25):
                back = None
            self._num_reports += 1
            report = (f"R{self._size.first_flight + self._num_reports}", booking, rng.choice(names), flight.id)
            paid = 15_000 if rng.random() < 0.12 else 0
            rows.setdefault("bag_reports", []).append((*report, filed, back, paid))


def _fill(size: Size, db: sqlite3.Connection) -> None:
    _Filler(size, db).fill()


_FULL = Size(
    customers=1200,
    cities=12,
    days=tuple(range(-40, 41)),
    max_daily=3,
    max_bookings=5,
    first_flight=1001,
    first_booking=20_001,
    first_member=500_001,
    spread=3,
    seed=1,
)
_SMALL = Size(
    customers=8,
    cities=5,
    days=(-38, -29, -21, -14, -9, -5, -2, -1, 0, 1, 2, 4, 8, 13, 20, 30),
    max_daily=2,
    max_bookings=5,
    first_flight=10,
    first_booking=10,
    first_member=71,
    spread=1,
    seed=112,
)
SIZES = {
    "full": Base("airline", SCHEMA, partial(_fill, _FULL)),
    "small": Base("small airline", SCHEMA, partial(_fill, _SMALL)),
}
"""The bases by size."""
