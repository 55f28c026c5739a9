"""Tasks that are answered by looking, and that change nothing."""

from __future__ import annotations

import random
import sqlite3
from datetime import date

from agentgym_web.sites.core.drafts import Answer, Draft, Template, UnsuitableDraw
from agentgym_web.sites.core.draws import pick
from agentgym_web.sites.core.formats import day
from agentgym_web.sites.shop import drawing
from agentgym_web.sites.shop.buying_tasks import only_order_with

_MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
_SHELVED = "FROM product p JOIN shelf s ON s.product_id = p.id"


def count_products(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many products of a brand are rated so and cost at most so much."""
    target = drawing.product_in_stock(db, rng)
    rating, limit = rng.choice((3, 3.5, 4)), (target["price"] // 1000 + rng.randrange(2, 7)) * 1000
    sql = f"SELECT count(*) {_SHELVED} WHERE kind_id = ? AND brand = ? AND s.rating >= ? AND price <= ?"
    count = drawing.only(db, sql, target["kind_id"], target["brand"], rating, limit)
    if count < 2:
        raise UnsuitableDraw("too few")
    return Draft(
        f"How many products by {target['brand']} in {target['kind']} have a rating of {rating} or better and cost"
        f" {drawing.dollars(limit)} or less? Answer with the number.",
        user=drawing.member(db, rng),
        answer=Answer("number", count),
        walkthrough=[
            ["click", "link", target["kind"]],
            ["select", "combobox", "Brand", target["brand"]],
            ["select", "combobox", "Rating", f"{rating} and up"],
            ["fill", "textbox", "Price to", str(limit // 100)],
            ["click", "button", "Apply filters"],
            ["answer", str(count)],
        ],
    )


def cheapest(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The cheapest product in stock with a fact and a feature."""
    target = drawing.product_in_stock(db, rng)
    name, value = pick(db, rng, "SELECT name, value FROM fact WHERE product_id = ?", target["id"])
    feature = pick(db, rng, "SELECT name FROM feature WHERE product_id = ?", target["id"])[0]
    rows = db.execute(
        f"SELECT p.title, p.price {_SHELVED} JOIN fact a ON a.product_id = p.id AND a.name = ? AND a.value = ?"
        " JOIN feature f ON f.product_id = p.id AND f.name = ? WHERE kind_id = ? AND s.stock > 0 ORDER BY price",
        (name, value, feature, target["kind_id"]),
    ).fetchall()
    if len(rows) < 3 or rows[0]["price"] == rows[1]["price"]:
        raise UnsuitableDraw("no single cheapest")
    return Draft(
        f"Which is the cheapest product in {target['kind']} that is in stock, has the {name.lower()} “{value}” and the"
        f" feature “{feature}”? Answer with its full name.",
        user=drawing.member(db, rng),
        answer=Answer("text", rows[0]["title"]),
        walkthrough=[
            ["click", "link", target["kind"]],
            ["select", "combobox", name, value],
            ["click", "checkbox", feature],
            ["click", "checkbox", "In stock only"],
            ["select", "combobox", "Sort by", "Price: low to high"],
            ["click", "button", "Apply filters"],
            ["answer", rows[0]["title"]],
        ],
    )


def price_range(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The difference between the dearest and the cheapest product of a brand."""
    target = drawing.product_in_stock(db, rng)
    low, high, count = db.execute(
        "SELECT min(price), max(price), count(*) FROM product WHERE kind_id = ? AND brand = ?",
        (target["kind_id"], target["brand"]),
    ).fetchone()
    if count < 4:
        raise UnsuitableDraw("too few")
    answer = (high - low) / 100
    return Draft(
        f"Among the products by {target['brand']} in {target['kind']}, how much more does the most expensive one cost"
        " than the cheapest one? Answer with the amount in dollars.",
        user=drawing.member(db, rng),
        answer=Answer("number", answer),
        walkthrough=[
            ["click", "link", target["kind"]],
            ["select", "combobox", "Brand", target["brand"]],
            ["select", "combobox", "Sort by", "Price: high to low"],
            ["click", "button", "Apply filters"],
            ["select", "combobox", "Sort by", "Price: low to high"],
            ["click", "button", "Apply filters"],
            ["answer", f"${answer:.2f}"],
        ],
    )


def spent_in_month(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The sum of a month's orders that were not cancelled."""
    login = drawing.member(db, rng)
    month = pick(
        db,
        rng,
        "SELECT substr(placed, 1, 7), sum(total * (status != 'Cancelled')), count(*) FROM orders WHERE login = ?"
        " GROUP BY 1 HAVING count(*) >= 2 AND sum(status != 'Cancelled') >= 1",
        login,
    )
    year, number = month[0].split("-")
    return Draft(
        f"How much did I spend on orders that I placed in {_MONTHS[int(number) - 1]} {year}, shipping"
        " included? Leave out"
        " cancelled orders. Answer with the amount in dollars.",
        user=login,
        answer=Answer("number", month[1] / 100),
        walkthrough=[
            ["click", "link", "Orders"],
            ["select", "combobox", "Year", year],
            ["click", "button", "Show orders"],
            ["answer", f"${month[1] / 100:,.2f}"],
        ],
    )


def find_order(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The number of the order with a product, and who it was sent to."""
    row = pick(
        db,
        rng,
        "SELECT o.*, i.product_id, p.title FROM orders o JOIN order_item i ON i.order_id = o.id"
        " JOIN product p ON p.id = i.product_id WHERE o.placed > '2025-08'",
    )
    if not only_order_with(db, row["login"], row["product_id"]):
        raise UnsuitableDraw("bought twice")
    if rng.random() < 0.5 and row["delivered"]:
        asked, answer = (
            "On which day was it delivered? Answer with the date, such as 5 January 2026.",
            day(row["delivered"]),
        )
    else:
        asked, answer = "What is the number of that order?", row["number"]
    also = _dates(row["delivered"]) if answer != row["number"] else []
    return Draft(
        f"At some point I bought the {row['title']} here. {asked}",
        user=row["login"],
        answer=Answer("text", answer, also),
        walkthrough=[*drawing.order_steps(db, row), ["answer", answer]],
    )


def _dates(text: str) -> list[str]:
    read = date.fromisoformat(text)
    return [text, f"{read:%B} {read.day}, {read.year}", f"{read.day} {read:%b} {read.year}"]


def orders_to_person(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """How many orders went to somebody."""
    login = drawing.member(db, rng)
    row = pick(
        db,
        rng,
        "SELECT to_name, to_city, count(*) FROM orders WHERE login = ? AND status != 'Cancelled' GROUP BY 1, 2"
        " HAVING count(*) BETWEEN 2 AND 12",
        login,
    )
    return Draft(
        f"How many of my orders went, or will go, to {row[0]} in {row[1]}? Do not count those that"
        " were cancelled. Answer"
        " with the number.",
        user=login,
        answer=Answer("number", row[2]),
        walkthrough=[["click", "link", "Orders"], ["click", "link", "Next page"], ["answer", str(row[2])]],
    )


def dearest_orders(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The order numbers of the orders above an amount."""
    login = drawing.member(db, rng)
    rows = db.execute(
        "SELECT number, total FROM orders WHERE login = ? AND status = 'Delivered' AND placed LIKE"
        " '2025%' ORDER BY total DESC",
        (login,),
    ).fetchall()
    count = rng.randrange(2, 5)
    if len(rows) < count + 2:
        raise UnsuitableDraw("too few")
    limit = (rows[count - 1]["total"] // 100) * 100 - 100
    if rows[count]["total"] >= limit:
        raise UnsuitableDraw("too close")
    numbers = [row["number"] for row in rows[:count]]
    return Draft(
        f"Which of the orders that I placed in 2025 and that were delivered cost more than {drawing.dollars(limit)} in"
        " total? Answer with their order numbers, separated by commas.",
        user=login,
        answer=Answer("list", numbers),
        walkthrough=[
            ["click", "link", "Orders"],
            ["select", "combobox", "Status", "Delivered"],
            ["select", "combobox", "Year", "2025"],
            ["click", "button", "Show orders"],
            ["answer", ", ".join(numbers)],
        ],
    )


def review_title(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Who wrote the newest review with so many stars."""
    row = pick(
        db,
        rng,
        "SELECT p.title, p.id, r.stars FROM product p JOIN shelf s ON s.product_id = p.id JOIN review r"
        " ON r.product_id = p.id WHERE s.num_reviews >= 9 GROUP BY p.id, r.stars HAVING count(*) >= 2",
    )
    sql = "SELECT author, written FROM review WHERE product_id = ? AND stars = ? ORDER BY written DESC, id DESC LIMIT 2"
    newest, second = db.execute(sql, (row["id"], row["stars"])).fetchall()
    if newest["written"] == second["written"]:
        raise UnsuitableDraw("two on one day")
    stars = f"{row['stars']} star{'s' if row['stars'] != 1 else ''}"
    return Draft(
        f"Who wrote the newest review with {stars} of the {row['title']}? Answer with the name as it is shown.",
        user=drawing.member(db, rng),
        answer=Answer("text", newest["author"]),
        walkthrough=[
            *drawing.find_steps(row["title"]),
            ["select", "combobox", "Show", stars],
            ["click", "button", "Show reviews"],
            ["answer", newest["author"]],
        ],
    )


def lightest(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Which of four products weighs least."""
    kind = rng.randrange(1, 41)
    rows = [drawing.product_in_stock(db, rng, kind) for _ in range(4)]
    rows = sorted({row["id"]: row for row in rows}.values(), key=lambda row: row["weight"])
    if len(rows) < 4 or rows[0]["weight"] == rows[1]["weight"]:
        raise UnsuitableDraw("no single lightest")
    named = [row["title"] for row in rows]
    rng.shuffle(named)
    steps = [step for title in named for step in drawing.find_steps(title)]
    return Draft(
        f"I travel light. Which of these weighs least: {', '.join(named[:-1])} or {named[-1]}? Answer with its name.",
        user=drawing.member(db, rng),
        answer=Answer("text", rows[0]["title"]),
        walkthrough=[*steps, ["answer", rows[0]["title"]]],
    )


TEMPLATES = (
    Template("count_products", "seen", count_products),
    Template("cheapest", "seen", cheapest),
    Template("price_range", "seen", price_range),
    Template("spent_in_month", "seen", spent_in_month),
    Template("find_order", "seen", find_order),
    Template("orders_to_person", "seen", orders_to_person),
    Template("dearest_orders", "unseen", dearest_orders),
    Template("review_author", "seen", review_title),
    Template("lightest", "seen", lightest),
)
