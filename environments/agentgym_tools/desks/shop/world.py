"""The shop's world: customers with ways to pay, products in variants, orders with items; generated once per size."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass
from functools import partial

from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds import Base

CATEGORIES = {
    "lamp": ("desk lamp", "floor lamp", "reading lamp", "lantern"),
    "chair": ("armchair", "stool", "rocking chair", "folding chair"),
    "kitchen": ("kettle", "toaster", "pan", "teapot"),
    "garden": ("watering can", "rake", "planter", "parasol"),
    "clothing": ("jacket", "scarf", "raincoat", "sweater"),
    "toys": ("kite", "puzzle", "train set", "doll house"),
}
COLOURS = ("red", "blue", "green", "white", "black", "yellow")
FIRST_NAMES = (
    *("Ada", "Bruno", "Carla", "Dario", "Elif", "Fumi", "Greta", "Hugo", "Ines", "Jonas", "Kaja", "Leon", "Mina"),
    *("Nils", "Olga", "Pavel", "Quinn", "Rosa", "Samir", "Tilda", "Umar", "Vera", "Wim", "Yara", "Zeno"),
)
LAST_NAMES = (
    *("Abel", "Brook", "Cruz", "Dahl", "Engel", "Frost", "Gallo", "Holm", "Ivers", "Jansen", "Kovac", "Lund"),
    *("Moreno", "Novak", "Olsen", "Prins", "Quist", "Rossi", "Stein", "Toth", "Ulrich", "Vance", "Weiss", "Zoric"),
)
STREETS = ("Mill Lane", "Oak Road", "Hill Street", "Canal Walk", "Station Road", "Park Avenue", "Elm Court", "Bay View")
CITIES = ("Norfield", "Eastham", "Lakeview", "Redcliff", "Stonebury", "Westport", "Ashford", "Millbrook")

_SCHEMA = """
CREATE TABLE customers (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, phone TEXT NOT NULL, street TEXT NOT NULL,
    city TEXT NOT NULL, zip TEXT NOT NULL, tier TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE payments (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, kind TEXT NOT NULL, balance INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE products (id TEXT PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE items (
    id TEXT PRIMARY KEY, product_id TEXT NOT NULL REFERENCES products, colour TEXT NOT NULL, price INTEGER NOT NULL,
    stock INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE orders (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, state TEXT NOT NULL, placed INTEGER NOT NULL,
    due INTEGER NOT NULL, delivered INTEGER, street TEXT NOT NULL, city TEXT NOT NULL, zip TEXT NOT NULL,
    payment_id TEXT NOT NULL REFERENCES payments, cancel_reason TEXT
) WITHOUT ROWID;
CREATE TABLE lines (
    order_id TEXT NOT NULL REFERENCES orders, item_id TEXT NOT NULL REFERENCES items, price INTEGER NOT NULL,
    state TEXT NOT NULL, PRIMARY KEY (order_id, item_id)
) WITHOUT ROWID;
CREATE TABLE refunds (
    order_id TEXT NOT NULL, item_id TEXT NOT NULL, payment_id TEXT NOT NULL REFERENCES payments,
    amount INTEGER NOT NULL, fee INTEGER NOT NULL, PRIMARY KEY (order_id, item_id)
) WITHOUT ROWID;
CREATE TABLE vouchers (
    order_id TEXT PRIMARY KEY REFERENCES orders, customer_id TEXT NOT NULL REFERENCES customers,
    amount INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX customers_by_name ON customers (name);
CREATE INDEX customers_by_email ON customers (email);
CREATE INDEX customers_by_phone ON customers (phone);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE INDEX payments_by_customer ON payments (customer_id);
CREATE INDEX items_by_product ON items (product_id);
"""


@dataclass(frozen=True)
class Size:
    """How much there is."""

    customers: int
    products: int
    orders_each: int
    first_order: int


def customer_key(number: int) -> str:
    """The key of a customer by its number, from 0."""
    return f"C{number + 1}"


def _fill(size: Size, world: int, db: sqlite3.Connection) -> None:
    rng = random.Random(f"shop {size} {world}" if world else f"shop {size}")
    _fill_products(rng, size, db)
    items = [row[0] for row in db.execute("SELECT id FROM items ORDER BY id")]
    order = size.first_order
    for number in range(size.customers):
        customer, payments = _add_customer(rng, number, db)
        for _ in range(rng.randint(1, 2 * size.orders_each - 1)):
            _add_order(rng, f"W{order}", customer, payments, items, db)
            order += rng.randint(1, 3) if size.customers > 50 else 1


def _fill_products(rng: random.Random, size: Size, db: sqlite3.Connection) -> None:
    kinds = [(name, category) for category, names in CATEGORIES.items() for name in names]
    number = 100
    for product in range(size.products):
        name, category = kinds[product % len(kinds)]
        series = product // len(kinds)
        named = name if not series else f"{name} {series + 1}"
        db.execute("INSERT INTO products VALUES (?, ?, ?)", (f"P{product + 1}", named, category))
        base = rng.randrange(800, 12_000, 100)
        for colour in rng.sample(COLOURS, 3):
            price, stock = base + rng.choice((0, 0, 200, 500, 1500)), rng.choice((0, 3, 12, 40))
            db.execute(
                "INSERT INTO items VALUES (?, ?, ?, ?, ?)", (f"I{number}", f"P{product + 1}", colour, price, stock)
            )
            number += 1


def _add_customer(rng: random.Random, number: int, db: sqlite3.Connection) -> tuple[tuple[str, ...], list[str]]:
    first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
    key = customer_key(number)
    row = (
        *(key, f"{first} {last}", f"{first.lower()}.{last.lower()}{number + 1}@mail.test", f"555-{2000 + number * 7}"),
        *(f"{rng.randint(1, 99)} {rng.choice(STREETS)}", rng.choice(CITIES), f"{rng.randint(10_000, 99_999)}"),
        rng.choice(("basic", "basic", "gold")),
    )
    db.execute("INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    payments = []
    for place, kind in enumerate(rng.sample(("card", "gift card", "bank account"), rng.choice((2, 2, 3)))):
        payments.append(f"Y{number * 3 + place + 1}")
        balance = rng.randrange(0, 20_000, 500) if kind == "gift card" else 0
        db.execute("INSERT INTO payments VALUES (?, ?, ?, ?)", (payments[-1], key, kind, balance))
    return row, payments


def _add_order(
    rng: random.Random,
    order: str,
    customer: tuple[str, ...],
    payments: list[str],
    items: list[str],
    db: sqlite3.Connection,
) -> None:
    state = rng.choice(("pending", "pending", "shipped", "delivered", "delivered", "delivered", "cancelled"))
    placed = TODAY - rng.randint(0, 8) if state == "pending" else TODAY - rng.randint(6, 90)
    due = placed + rng.choice((4, 6, 10))
    delivered = min(TODAY, due + rng.choice((-1, 0, 0, 2, 4, 9))) if state == "delivered" else None
    row = (order, customer[0], state, placed, due, delivered, *customer[4:7], rng.choice(payments), None)
    db.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    for item in sorted(rng.sample(items, rng.choice((1, 1, 2, 3)))):
        price = db.execute("SELECT price FROM items WHERE id = ?", (item,)).fetchone()[0]
        line_state = "cancelled" if state == "cancelled" else "ordered"
        db.execute("INSERT INTO lines VALUES (?, ?, ?, ?)", (order, item, price, line_state))


_FULL = Size(customers=4200, products=800, orders_each=3, first_order=10_000)
_SMALL = Size(customers=8, products=6, orders_each=2, first_order=10)
NUM_SMALL = 40
SIZES = {
    "full": Base("shop", _SCHEMA, partial(_fill, _FULL, 0)),
    "small": Base("small shop", _SCHEMA, partial(_fill, _SMALL, 0)),
    **{f"small-{n}": Base(f"small shop {n}", _SCHEMA, partial(_fill, _SMALL, n)) for n in range(1, NUM_SMALL)},
}
"""The bases by size. Small shops have the same numbers for other orders: who is told of one has to read it."""
