"""The shop's generated data: products with their reviews, and customers with their orders; the same on every run.

What products are called and have is in catalogue.toml; what people are called and write is in `phrases`.
"""

from __future__ import annotations

import random
import re
import sqlite3
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from agentgym_web.sites.core.page import START
from agentgym_web.sites.shop import phrases
from agentgym_web.sites.shop.prices import COUPONS, SHIPPING, totals

PER_KIND = 56
"""Products of each kind."""
MEMBERS = 14
"""Customers with orders, addresses and cards: those whom tasks are set for."""
RETURN_DAYS = 30
"""Days after the delivery on which a return may still be asked for."""
_SEED = 20260302
_TODAY = START.date()
_OTHERS = 260


def fill(db: sqlite3.Connection) -> None:
    """Fill the tables of the shop."""
    rng = random.Random(_SEED)
    _add_fixed_tables(db)
    kinds = tomllib.loads((Path(__file__).parent / "catalogue.toml").read_text(encoding="utf-8"))["kind"]
    for number, kind in enumerate(kinds, 1):
        _add_kind(db, rng, number, kind)
    people = _add_customers(db, rng)
    _add_reviews(db, rng, people, {number: kind["aspects"] for number, kind in enumerate(kinds, 1)})
    for login, name in people[:MEMBERS]:
        _add_addresses(db, rng, login, name)
        _add_orders(db, rng, login)
        _add_lists(db, rng, login)
    _index(db)


def options_text(chosen: Mapping[str, str]) -> str:
    """Chosen options as carts and orders hold them, such as "Colour: Moss, Size: M"."""
    return ", ".join(f"{name}: {value}" for name, value in chosen.items())


def _add_fixed_tables(db: sqlite3.Connection) -> None:
    db.executemany("INSERT INTO shipping VALUES (?, ?, ?, ?)", SHIPPING)
    db.executemany("INSERT INTO coupon VALUES (?, ?, ?, ?, ?, ?)", COUPONS)


def _add_kind(db: sqlite3.Connection, rng: random.Random, number: int, kind: Mapping[str, Any]) -> None:
    slug = re.sub(r"[^a-z]+", "-", kind["name"].lower())
    db.execute("INSERT INTO kind VALUES (?, ?, ?, ?)", (number, kind["name"], slug, kind["department"]))
    models = rng.sample(phrases.MODELS, PER_KIND)
    for index, model in enumerate(models):
        _add_product(db, rng, (number - 1) * PER_KIND + index + 1, number, model, kind)


def _add_product(
    db: sqlite3.Connection, rng: random.Random, product: int, kind_id: int, model: str, kind: Mapping[str, Any]
) -> None:
    brand, noun = rng.choice(kind["brands"]), rng.choice(kind["nouns"])
    facts = {name: rng.choice(values) for name, values in kind["facts"].items()}
    features = rng.sample(kind["features"], rng.choices((1, 2, 3, 4), (2, 4, 4, 2))[0])
    low, high = kind["price"]
    price = round(low * (high / low) ** rng.random()) * 100 + rng.choice((0, 50, 90, 95)) - 100 * rng.randrange(2)
    was = round(price * rng.uniform(1.1, 1.5) / 100) * 100 if rng.random() < 0.15 else None
    added = _TODAY - timedelta(days=rng.randrange(4, 1100))
    text = phrases.describe(rng, noun, model, facts, features, kind["aspects"])
    title = f"{brand} {model} {noun}"
    row = (product, title, brand, kind_id, max(price, 300), was, _weight(rng, facts, price), text, added.isoformat())
    db.execute("INSERT INTO product VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    stock = 0 if rng.random() < 0.04 else rng.choice((2, 5, 9, 14, 30, 60, 120))
    db.execute("INSERT INTO shelf VALUES (?, ?, 0, 0)", (product, stock))
    db.executemany("INSERT INTO fact VALUES (?, ?, ?)", [(product, name, value) for name, value in facts.items()])
    db.executemany("INSERT INTO feature VALUES (?, ?)", [(product, name) for name in features])
    for name, values in kind["options"].items():
        kept = [value for value in values if rng.random() < 0.8] or values[:1]
        rows = [(product, name, value, int(index == 0 or rng.random() < 0.93)) for index, value in enumerate(kept)]
        db.executemany("INSERT INTO choice (product_id, name, value, in_stock) VALUES (?, ?, ?, ?)", rows)


def _weight(rng: random.Random, facts: Mapping[str, str], price: int) -> int:
    given = facts.get("Weight", "")
    return int(given.split()[0]) * 1000 + rng.randrange(90) if given else 40 + round(price**0.72) + rng.randrange(180)


def _add_customers(db: sqlite3.Connection, rng: random.Random) -> list[tuple[str, str]]:
    people: dict[str, str] = {}
    while len(people) < MEMBERS + _OTHERS:
        first, last = rng.choice(phrases.FIRST_NAMES), rng.choice(phrases.LAST_NAMES)
        people.setdefault(f"{first}.{last}".lower().replace("'", ""), f"{first} {last}")
    rows = [
        (
            login,
            f"{rng.choice(phrases.MODELS).lower()}-{rng.randrange(100, 1000)}",
            name,
            f"{login}@{rng.choice(('postbox.test', 'inkmail.test', 'harbour.test'))}",
            f"0{rng.randrange(20, 99)} {rng.randrange(100, 999)} {rng.randrange(1000, 9999)}",
            rng.choice(("Never", "Weekly", "Monthly")),
            rng.randrange(2),
        )
        for login, name in people.items()
    ]
    db.executemany("INSERT INTO customer VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    db.executemany("INSERT INTO basket VALUES (?, NULL)", [(login,) for login in people])
    return list(people.items())


def _add_reviews(
    db: sqlite3.Connection,
    rng: random.Random,
    people: Sequence[tuple[str, str]],
    aspects: Mapping[int, Sequence[str]],
) -> None:
    products = db.execute("SELECT id, kind_id, added FROM product ORDER BY id").fetchall()
    rows = []
    for product, kind, added in products:
        quality = rng.choice((2.6, 3.3, 3.8, 4.2, 4.5))
        count = min(int(rng.expovariate(1 / 3.6)), 24)
        days = (_TODAY - date.fromisoformat(added)).days
        for login, name in rng.sample(people, count):
            stars = min(5, max(1, round(rng.gauss(quality, 1.1))))
            title, body = phrases.review(rng, stars, aspects[kind])
            written = _TODAY - timedelta(days=rng.randrange(1, days))
            first, last = name.split(" ", 1)
            rows.append((product, login, f"{first} {last[0]}.", stars, title, body, written.isoformat()))
    rows.sort(key=lambda row: (row[-1], row[0], row[1]))
    columns = "product_id, login, author, stars, title, body, written"
    db.executemany(f"INSERT INTO review ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)  # noqa: S608 - fixed names
    db.execute(
        "UPDATE shelf SET rating = r.mean, num_reviews = r.count FROM (SELECT product_id, round(avg(stars), 1) AS mean,"
        " count(*) AS count FROM review GROUP BY product_id) r WHERE r.product_id = shelf.product_id"
    )


def _add_addresses(db: sqlite3.Connection, rng: random.Random, login: str, name: str) -> None:
    labels = ["Home", *rng.sample(["Work", "Parents", "Studio", "Cabin", "Neighbour"], rng.randrange(1, 4))]
    chosen = rng.randrange(len(labels))
    for index, label in enumerate(labels):
        to = name if label in ("Home", "Work", "Studio", "Cabin") else phrases.person(rng)
        row = (login, label, to, *phrases.place(rng), int(index == chosen))
        columns = "login, label, name, street, city, postcode, is_default"
        db.execute(f"INSERT INTO address ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608 - fixed names
    brands = rng.sample(("Meridian", "Corvus", "Northpay", "Silverline"), rng.randrange(2, 4))
    for index, brand in enumerate(brands):
        expires = f"{rng.randrange(1, 13):02}/{rng.randrange(27, 31)}"
        card = (login, brand, f"{rng.randrange(1000, 10000)}", expires, int(index == 0))
        db.execute("INSERT INTO card (login, brand, last4, expires, is_default) VALUES (?, ?, ?, ?, ?)", card)


def _add_orders(db: sqlite3.Connection, rng: random.Random, login: str) -> None:
    addresses = db.execute("SELECT * FROM address WHERE login = ?", (login,)).fetchall()
    cards = db.execute("SELECT * FROM card WHERE login = ?", (login,)).fetchall()
    ages = sorted({*rng.sample(range(8, 420), rng.randrange(11, 24)), 1, 2, rng.randrange(3, 8)}, reverse=True)
    for age in ages:
        placed = datetime.combine(_TODAY - timedelta(days=age), datetime.min.time()) + timedelta(
            minutes=rng.randrange(7 * 60, 22 * 60)
        )
        _add_order(db, rng, placed, rng.choice(addresses), rng.choice(cards))


def _add_order(
    db: sqlite3.Connection, rng: random.Random, placed: datetime, address: sqlite3.Row, card: sqlite3.Row
) -> None:
    items = []
    for product in rng.sample(range(1, 40 * PER_KIND + 1), rng.choices((1, 2, 3, 4), (4, 4, 2, 1))[0]):
        found = db.execute(
            "SELECT p.price, k.department FROM product p JOIN kind k ON k.id = p.kind_id WHERE p.id = ?", (product,)
        ).fetchone()
        quantity = rng.choices((1, 2, 3), (8, 2, 1))[0]
        items.append((product, options_text(draw_options(db, rng, product)), quantity, found[0], found[1]))
    shipping = rng.choice(SHIPPING)
    amounts = totals([(price * quantity, department) for _, _, quantity, price, department in items], shipping, None)
    status, delivered = _status(rng, placed)
    number = 10_000 + (db.execute("SELECT count(*) FROM orders").fetchone()[0] + 1) * 37
    columns = (
        "number, login, placed, status, delivered, to_name, to_street, to_city, to_postcode, shipping, card,"
        " goods, discount, shipping_cost, total"
    )
    row = (
        *(f"L-{number}", address["login"], placed.strftime("%Y-%m-%d %H:%M"), status, delivered),
        *(address["name"], address["street"], address["city"], address["postcode"], shipping[0]),
        *(f"{card['brand']} ending in {card['last4']}", *amounts),
    )
    order = db.execute(f"INSERT INTO orders ({columns}) VALUES ({', '.join('?' * 15)})", row).lastrowid  # noqa: S608
    for product, options, quantity, price, _ in items:
        item = db.execute(
            "INSERT INTO order_item (order_id, product_id, options, quantity, price) VALUES (?, ?, ?, ?, ?)",
            (order, product, options, quantity, price),
        ).lastrowid
        if delivered and rng.random() < 0.1:
            _add_return(db, rng, item or 0, delivered)


def _status(rng: random.Random, placed: datetime) -> tuple[str, str | None]:
    age = (_TODAY - placed.date()).days
    if age <= 2:
        return "Processing", None
    if rng.random() < 0.09:
        return "Cancelled", None
    if age <= 7:
        return "Shipped", None
    return "Delivered", (placed.date() + timedelta(days=rng.randrange(2, 7))).isoformat()


def _add_return(db: sqlite3.Connection, rng: random.Random, item: int, delivered: str) -> None:
    asked = min(date.fromisoformat(delivered) + timedelta(days=rng.randrange(1, 20)), _TODAY)
    wanted = rng.choice(("Refund", "Refund", "Exchange"))
    status = "Requested" if (_TODAY - asked).days < 10 else {"Refund": "Refunded", "Exchange": "Exchanged"}[wanted]
    row = (item, rng.choice(phrases.RETURN_REASONS), wanted, "", status, asked.isoformat())
    db.execute(
        "INSERT INTO goods_return (item_id, reason, wanted, comment, status, asked) VALUES (?, ?, ?, ?, ?, ?)", row
    )


def draw_options(db: sqlite3.Connection, rng: random.Random, product: int) -> dict[str, str]:
    """A choice of each option of a product, of those in stock."""
    values: dict[str, list[str]] = {}
    sql = "SELECT name, value FROM choice WHERE product_id = ? AND in_stock ORDER BY id"
    for name, value in db.execute(sql, (product,)):
        values.setdefault(name, []).append(value)
    return {name: rng.choice(listed) for name, listed in values.items()}


def _add_lists(db: sqlite3.Connection, rng: random.Random, login: str) -> None:
    in_stock = [row[0] for row in db.execute("SELECT product_id FROM shelf WHERE stock > 8")]
    for product in rng.sample(in_stock, rng.randrange(5, 13)):
        db.execute("INSERT INTO saved_item VALUES (?, ?)", (login, product))
    for product in rng.sample(in_stock, rng.randrange(2, 6)):
        row = (login, product, options_text(draw_options(db, rng, product)), rng.choice((1, 1, 1, 2, 3)))
        db.execute("INSERT INTO cart_item (login, product_id, options, quantity) VALUES (?, ?, ?, ?)", row)


def _index(db: sqlite3.Connection) -> None:
    db.execute(
        "INSERT INTO product_text (rowid, title, brand, kind, words) SELECT p.id, p.title, p.brand, k.name || ' ' ||"
        " k.department, (SELECT group_concat(value, ' ') FROM fact f WHERE f.product_id = p.id) || ' ' ||"
        " (SELECT group_concat(name, ' ') FROM feature f WHERE f.product_id = p.id) || ' ' || p.description"
        " FROM product p JOIN kind k ON k.id = p.kind_id ORDER BY p.id"
    )
