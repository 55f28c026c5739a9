"""Stocks with their prices, and the accounts, positions, orders, watch lists and alerts that everybody starts with."""

from __future__ import annotations

import random
import sqlite3

from agentgym_tools.workbench.rows.people import Person

SCHEMA = """
CREATE TABLE stocks (symbol TEXT PRIMARY KEY, company TEXT, sector TEXT, price INTEGER) WITHOUT ROWID;
CREATE TABLE accounts (owner TEXT PRIMARY KEY, balance INTEGER) WITHOUT ROWID;
CREATE TABLE positions (owner TEXT, symbol TEXT, shares INTEGER, PRIMARY KEY (owner, symbol)) WITHOUT ROWID;
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, owner TEXT, side TEXT, symbol TEXT, shares INTEGER, limit_cents INTEGER, state TEXT
);
CREATE INDEX orders_by_state ON orders (owner, state);
CREATE INDEX orders_by_symbol ON orders (owner, symbol);
CREATE TABLE watches (owner TEXT, symbol TEXT, PRIMARY KEY (owner, symbol)) WITHOUT ROWID;
CREATE TABLE alerts (id INTEGER PRIMARY KEY, owner TEXT, symbol TEXT, direction TEXT, price INTEGER);
"""
SECTORS = ("energy", "food", "health", "metals", "software", "transport")
STEMS = ("Alder", "Bolt", "Crest", "Dune", "Ember", "Flint")
ENDINGS = {"energy": "Power", "food": "Foods", "health": "Care", "metals": "Steel", "software": "Soft"}


def fill_shared(db: sqlite3.Connection, rng: random.Random) -> None:
    """Write the stocks."""
    for sector in SECTORS:
        for stem in STEMS:
            company = f"{stem} {ENDINGS.get(sector, 'Lines')}"
            symbol = f"{stem[:2]}{company.split()[1][:2]}".upper()
            db.execute("INSERT INTO stocks VALUES (?, ?, ?, ?)", (symbol, company, sector, rng.randrange(900, 30000)))


def fill(db: sqlite3.Connection, person: Person, rng: random.Random) -> None:
    """Write a person's account."""
    symbols = [row[0] for row in db.execute("SELECT symbol FROM stocks ORDER BY symbol")]
    db.execute("INSERT INTO accounts VALUES (?, ?)", (person.id, rng.randrange(50_000, 900_000, 10)))
    held = rng.sample(symbols, 6)
    db.executemany("INSERT INTO positions VALUES (?, ?, ?)", [(person.id, each, rng.randint(5, 90)) for each in held])
    watched = rng.sample(symbols, 5)
    db.executemany("INSERT INTO watches VALUES (?, ?)", [(person.id, each) for each in watched])
    for number in range(160 if person.is_heavy else 7):
        side, symbol = rng.choice(("buy", "sell")), rng.choice(symbols)
        state = rng.choice(("open", "filled", "cancelled")) if number else "open"
        row = (10_000 + person.index * 200 + number, person.id, side, symbol, rng.randint(1, 40))
        db.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, rng.randrange(900, 30000, 10), state))
    for number in range(3):
        alert = (700 + person.index * 3 + number, person.id, rng.choice(symbols), rng.choice(("above", "below")))
        db.execute("INSERT INTO alerts VALUES (?, ?, ?, ?, ?)", (*alert, rng.randrange(900, 30000, 10)))
