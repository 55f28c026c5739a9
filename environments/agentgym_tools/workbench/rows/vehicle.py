"""The car that everybody starts with, and the places that it can be driven to."""

from __future__ import annotations

import random
import sqlite3

from agentgym_tools.workbench.rows.people import TOWNS, Person

SCHEMA = """
CREATE TABLE places (name TEXT PRIMARY KEY, kind TEXT, town TEXT, km INTEGER) WITHOUT ROWID;
CREATE TABLE cars (
    owner TEXT PRIMARY KEY, engine TEXT, brake TEXT, fuel INTEGER, tank INTEGER, per_hundred_km INTEGER,
    odometer INTEGER, service_at INTEGER, celsius INTEGER, fan INTEGER, lights TEXT, mode TEXT,
    cruise_kmh INTEGER, destination TEXT
) WITHOUT ROWID;
CREATE TABLE doors (owner TEXT, door TEXT, state TEXT, PRIMARY KEY (owner, door)) WITHOUT ROWID;
CREATE TABLE tyres (owner TEXT, tyre TEXT, kpa INTEGER, wanted_kpa INTEGER, PRIMARY KEY (owner, tyre)) WITHOUT ROWID;
"""
DOORS = ("front left", "front right", "rear left", "rear right", "boot")
TYRES = ("front left", "front right", "rear left", "rear right")
KINDS = ("charger", "garage", "hotel", "museum", "park", "petrol station")
LIGHTS = ("off", "parking", "low beam", "high beam")
MODES = ("eco", "normal", "sport")


def fill_shared(db: sqlite3.Connection, rng: random.Random) -> None:
    """Write the places."""
    for town in TOWNS:
        for kind in KINDS:
            db.execute("INSERT INTO places VALUES (?, ?, ?, ?)", (f"{town} {kind}", kind, town, rng.randint(2, 400)))


def fill(db: sqlite3.Connection, person: Person, rng: random.Random) -> None:
    """Write a person's car, which stands with its engine off."""
    tank, odometer = rng.choice((40, 50, 60)), rng.randrange(2_000, 90_000)
    row = (person.id, "off", rng.choice(("set", "set", "released")), rng.randint(8, tank - 12), tank, rng.randint(5, 9))
    more = (odometer, odometer + rng.randrange(100, 15_000), rng.randint(17, 26), rng.randint(0, 5))
    rest = (rng.choice(LIGHTS), rng.choice(MODES), 0, "")
    db.execute(f"INSERT INTO cars VALUES ({', '.join('?' * 14)})", (*row, *more, *rest))  # noqa: S608 - marks alone
    for door in DOORS:
        db.execute("INSERT INTO doors VALUES (?, ?, ?)", (person.id, door, rng.choice(("locked", "unlocked"))))
    wanted = rng.choice((220, 230, 240))
    for tyre in TYRES:
        db.execute(
            "INSERT INTO tyres VALUES (?, ?, ?, ?)", (person.id, tyre, wanted - rng.choice((0, 0, 10, 25)), wanted)
        )
