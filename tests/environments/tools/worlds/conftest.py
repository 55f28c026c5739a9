"""A base of customers and orders, small enough to know by heart."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from agentgym_tools.worlds import Base, Bench, World

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE orders (
    number TEXT PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), cents INTEGER, note TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE lines (
    number TEXT NOT NULL, place INTEGER NOT NULL, item TEXT, PRIMARY KEY (number, place)
) STRICT, WITHOUT ROWID;
"""


def fill(db: sqlite3.Connection) -> None:
    db.executemany("INSERT INTO customers VALUES (?, ?)", [(1, "Mara"), (2, "Ilo"), (3, "Odd ‘quote’")])
    db.executemany(
        "INSERT INTO orders VALUES (?, ?, ?, ?)", [("W1", 1, 990, None), ("W2", 1, 2500, "gift"), ("W3", 2, 0, "")]
    )
    db.executemany("INSERT INTO lines VALUES (?, ?, ?)", [("W1", 1, "lamp"), ("W1", 2, "cord"), ("W2", 1, "stool")])


@pytest.fixture(scope="session")
def base() -> Base:
    return Base("desk", SCHEMA, fill)


@pytest.fixture
def bench(base: Base) -> Bench:
    return Bench(base, num_seats=2)


@pytest.fixture
def world(bench: Bench) -> Iterator[World]:
    made = World(bench)
    yield made
    made.close()
