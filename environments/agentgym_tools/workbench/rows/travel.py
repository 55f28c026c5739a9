"""Flights, exchange rates, and the bookings and payment cards that everybody starts with."""

from __future__ import annotations

import itertools
import random
import sqlite3

from agentgym_tools.workbench.rows.people import TOWNS, Person

SCHEMA = """
CREATE TABLE airports (code TEXT PRIMARY KEY, town TEXT) WITHOUT ROWID;
CREATE TABLE flights (
    id TEXT PRIMARY KEY, origin TEXT, destination TEXT, day TEXT, departs TEXT, price INTEGER, seats INTEGER
) WITHOUT ROWID;
CREATE INDEX flights_by_way ON flights (origin, destination, day);
CREATE TABLE rates (currency TEXT PRIMARY KEY, per_hundred INTEGER) WITHOUT ROWID;
CREATE TABLE cards (id TEXT PRIMARY KEY, owner TEXT, kind TEXT, balance INTEGER, state TEXT) WITHOUT ROWID;
CREATE INDEX cards_by_owner ON cards (owner);
CREATE TABLE bookings (
    id INTEGER PRIMARY KEY, owner TEXT, flight TEXT, card TEXT, paid INTEGER, bags INTEGER, insured INTEGER, state TEXT
);
CREATE INDEX bookings_by_owner ON bookings (owner);
"""
CURRENCIES = {"krona": 1125, "lira": 3260, "peso": 1840, "pound": 86, "yen": 16250, "zloty": 431}
"""What one hundred of our money buys, in hundredths."""
DAYS = ("2031-06-12", "2031-06-13", "2031-06-14", "2031-06-15", "2031-06-16")
CARDS = ("debit", "travel")


def code_of(town: str) -> str:
    """The code of a town's airport."""
    return f"{town[:3]}".upper()


def fill_shared(db: sqlite3.Connection, rng: random.Random) -> None:
    """Write airports, flights and rates."""
    db.executemany("INSERT INTO airports VALUES (?, ?)", [(code_of(town), town) for town in TOWNS])
    db.executemany("INSERT INTO rates VALUES (?, ?)", list(CURRENCIES.items()))
    number = 100
    for origin, destination in itertools.permutations(TOWNS, 2):
        for day in DAYS:
            for hour in sorted(rng.sample(range(6, 22), 2 if rng.random() < 0.8 else 3)):
                number += 1
                way = (f"F{number}", code_of(origin), code_of(destination), day, f"{hour:02}:{rng.choice('03')}0")
                seats = 0 if rng.random() < 0.08 else rng.randint(1, 60)
                db.execute(
                    "INSERT INTO flights VALUES (?, ?, ?, ?, ?, ?, ?)", (*way, rng.randrange(4000, 40000, 100), seats)
                )


def fill(db: sqlite3.Connection, person: Person, rng: random.Random) -> None:
    """Write a person's cards and bookings."""
    cards = [f"K{person.index * 2 + number + 10}" for number in range(2)]
    for card, kind in zip(cards, CARDS, strict=True):
        row = (card, person.id, kind, rng.randrange(20_000, 150_000, 50), "active")
        db.execute("INSERT INTO cards VALUES (?, ?, ?, ?, ?)", row)
    home = code_of(person.town)
    sql = "SELECT id, price FROM flights WHERE origin = ? AND seats > 0 ORDER BY id"
    flights = rng.sample(db.execute(sql, (home,)).fetchall(), 5)
    for number, (flight, price) in enumerate(flights):
        state = "cancelled" if number == 4 else "booked"
        booking = (5000 + person.index * 5 + number, person.id, flight, rng.choice(cards), price, rng.randint(0, 2))
        db.execute("INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*booking, int(rng.random() < 0.3), state))
