"""Tasks in which something is bought, or put into the cart: after a description, by name, or again."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentgym_web.sites.core.drafts import Check, Draft, Step, Template, UnsuitableDraw
from agentgym_web.sites.core.draws import literal, pick
from agentgym_web.sites.shop import drawing
from agentgym_web.sites.shop.data import options_text
from agentgym_web.sites.shop.prices import COUPONS, SHIPPING, problem_of, totals

_MAX_MATCHES = 8


@dataclass(frozen=True)
class Wanted:
    """A description that fits a few products, and one of those."""

    target: sqlite3.Row
    facts: Mapping[str, str]
    features: tuple[str, ...]
    option: tuple[str, str]
    """An option and its value."""
    below: int
    """The price is lower than this."""
    matches: tuple[int, ...]
    """Products that fit."""

    @property
    def said(self) -> str:
        """The description in words."""
        facts = [f"{name.lower()}: {value}" for name, value in self.facts.items()]
        parts = [*facts, *self.features, f"{self.option[0].lower()}: {self.option[1]}"]
        return f"{', '.join(parts)}, and it must cost less than {drawing.dollars(self.below)}"

    def conditions(self) -> dict[str, str]:
        """By name an SQL condition on `order_item i JOIN product p` for each thing wanted."""
        found = {"kind": f"p.kind_id = {self.target['kind_id']}", "price": f"i.price < {self.below}"}
        for name, value in self.facts.items():
            found[name] = (
                f"EXISTS (SELECT 1 FROM fact f WHERE f.product_id = p.id AND f.name = {literal(name)}"
                f" AND f.value = {literal(value)})"
            )
        for name in self.features:
            quoted = literal(name)
            found[name] = f"EXISTS (SELECT 1 FROM feature f WHERE f.product_id = p.id AND f.name = {quoted})"
        option = literal(f", {self.option[0]}: {self.option[1]},")
        found["option"] = f"instr(', ' || i.options || ',', {option}) > 0"
        return found

    def steps(self, rng: random.Random, db: sqlite3.Connection, quantity: int = 1) -> list[Step]:
        """Steps that find it with the filters and put it into the cart."""
        options = drawing.chosen_options(db, rng, self.target["id"]) | dict([self.option])
        return [
            ["click", "link", self.target["kind"]],
            *[["select", "combobox", name, value] for name, value in self.facts.items()],
            *[["click", "checkbox", name] for name in self.features],
            ["fill", "textbox", "Price to", f"{self.below // 100}"],
            ["click", "button", "Apply filters"],
            ["click", "link", self.target["title"]],
            *drawing.cart_steps(options, quantity),
        ]


def draw_wanted(db: sqlite3.Connection, rng: random.Random, num_facts: int, num_features: int) -> Wanted:
    """Draw a description that one to `_MAX_MATCHES` products in stock fit.

    Raises:
        UnsuitableDraw: It fits more, or the product has too few features.
    """
    target = drawing.product_in_stock(db, rng)
    known = [tuple(row) for row in db.execute("SELECT name, value FROM fact WHERE product_id = ?", (target["id"],))]
    features = [row[0] for row in db.execute("SELECT name FROM feature WHERE product_id = ?", (target["id"],))]
    if len(known) < num_facts or len(features) < num_features:
        raise UnsuitableDraw("too few facts or features")
    option = rng.choice([*drawing.chosen_options(db, rng, target["id"]).items()])
    below = (target["price"] // 1000 + rng.randrange(1, 3)) * 1000
    wanted = Wanted(
        target, dict(rng.sample(known, num_facts)), tuple(rng.sample(features, num_features)), option, below, ()
    )
    conditions = [text for name, text in wanted.conditions().items() if name != "option"]
    sql = (
        "SELECT p.id FROM product p JOIN (SELECT id, price FROM product) i ON i.id = p.id WHERE"
        f" {' AND '.join(conditions)}"
    )
    matches = tuple(row[0] for row in db.execute(sql))
    if not 2 <= len(matches) <= _MAX_MATCHES:
        raise UnsuitableDraw("fits too many products, or only one")
    return Wanted(target, wanted.facts, wanted.features, option, below, matches)


def wanted_checks(db: sqlite3.Connection, login: str, wanted: Wanted, quantity: int) -> dict[str, Any]:
    """Checks, milestones and partial credit for having bought what was described."""
    source = f"FROM order_item i JOIN product p ON p.id = i.product_id WHERE i.order_id > {drawing.last_order(db)}"
    every = " AND ".join(wanted.conditions().values())
    in_cart = f"SELECT count(*) FROM cart_item c JOIN product p ON p.id = c.product_id WHERE c.login = {literal(login)}"
    return {
        "checks": [
            Check(f"SELECT i.quantity {source} AND {every}", [[quantity]], "what was described is bought"),
            Check(f"{in_cart} AND p.kind_id = {wanted.target['kind_id']}", [[1]], "one of the kind in the cart", True),
            Check(
                f"{in_cart} AND p.id IN ({', '.join(map(str, wanted.matches))})",
                [[1]],
                "one that fits in the cart",
                True,
            ),
        ],
        "partial": [
            (1.0, Check(f"SELECT count(*) {source} AND {condition}", [[1]], name))
            for name, condition in wanted.conditions().items()
        ],
        "touched": {"orders": [1, 0, 0], "order_item": [1, 0, 0]},
        "plants": [[drawing.EMPTY_CART, [login]]],
    }


def buy_described(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Find something by a description and order it, with everything else left at the default."""
    login = drawing.member(db, rng)
    wanted = draw_wanted(db, rng, rng.randrange(1, 3), rng.randrange(1, 3))
    address = drawing.default_address(db, login)
    asked = rng.choice(
        (
            f"Please order one product from the {wanted.target['kind']} range for me. What I need: {wanted.said}.",
            f"I need something from {wanted.target['kind']}. It should be like this: {wanted.said}."
            " Find one and buy it.",
            f"Look through {wanted.target['kind']} and buy one that has all of this: {wanted.said}.",
        )
    )
    values = wanted_checks(db, login, wanted, 1)
    values["checks"] = [drawing.order_check(db, login, address, shipping="Standard"), *values["checks"]]
    return Draft(
        f"{asked} Use standard shipping, my default address and my default card. Options that I do not mention do not"
        " matter.",
        user=login,
        walkthrough=[*wanted.steps(rng, db), *drawing.checkout_steps()],
        **values,
    )


def buy_described_gift(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The same as a gift: two pieces, another address, express, a note."""
    login = drawing.member(db, rng)
    wanted = draw_wanted(db, rng, 1, rng.randrange(1, 3))
    address, note = drawing.other_address(db, rng, login), rng.choice(drawing.NOTES)
    order = drawing.order_check(db, login, address, shipping="Express", gift_note=note)
    values = wanted_checks(db, login, wanted, 2)
    values["checks"] = [order, *values["checks"]]
    return Draft(
        f"I want to give somebody two pieces of the same product from {wanted.target['kind']}: {wanted.said} apiece."
        f" Order both in one go with the same options, by express, to my address called {address['label']}, with the"
        f" gift note “{note}”, and pay with my default card. You may choose whatever I have not mentioned.",
        user=login,
        walkthrough=[
            *wanted.steps(rng, db, 2),
            *drawing.checkout_steps(address, "Express, about 2 days, $9.90", note),
        ],
        **values,
    )


def buy_best_rated(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Of the products with a feature up to a price, buy the one with the best rating."""
    login = drawing.member(db, rng)
    target = drawing.product_in_stock(db, rng)
    feature = pick(db, rng, "SELECT name FROM feature WHERE product_id = ?", target["id"])[0]
    limit = (target["price"] // 1000 + rng.randrange(1, 4)) * 1000
    rows = db.execute(
        "SELECT p.id, p.title, s.rating FROM product p JOIN shelf s ON s.product_id = p.id JOIN feature f"
        " ON f.product_id = p.id AND f.name = ? WHERE p.kind_id = ? AND p.price <= ? AND s.stock > 0"
        " ORDER BY s.rating DESC",
        (feature, target["kind_id"], limit),
    ).fetchall()
    if len(rows) < 4 or rows[0]["rating"] == rows[1]["rating"]:
        raise UnsuitableDraw("no single best one")
    best = rows[0]
    options = drawing.chosen_options(db, rng, best["id"])
    return Draft(
        f"Which of the products in {target['kind']} with the feature “{feature}” that cost at most"
        f" {drawing.dollars(limit)} and are in stock has the best rating? Order one of it with"
        f" {drawing.say_options(options)},"
        " by standard shipping to my default address, paid with my default card.",
        user=login,
        checks=[
            drawing.order_check(db, login, drawing.default_address(db, login), shipping="Standard"),
            drawing.items_check(db, [(best["id"], options_text(options), 1)]),
            drawing.in_cart(login, best["id"], options),
        ],
        touched={"orders": [1, 0, 0], "order_item": [1, 0, 0]},
        plants=[[drawing.EMPTY_CART, [login]]],
        walkthrough=[
            ["click", "link", target["kind"]],
            ["click", "checkbox", feature],
            ["fill", "textbox", "Price to", f"{limit // 100}"],
            ["click", "checkbox", "In stock only"],
            ["select", "combobox", "Sort by", "Rating"],
            ["click", "button", "Apply filters"],
            ["click", "link", best["title"]],
            *drawing.cart_steps(options),
            *drawing.checkout_steps(),
        ],
    )


def fill_cart(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Put three products into an empty cart and enter a coupon, without ordering."""
    login = drawing.member(db, rng)
    products = [drawing.product_in_stock(db, rng) for _ in range(3)]
    if len({row["id"] for row in products}) < 3:
        raise UnsuitableDraw("the same product twice")
    chosen = [(row, drawing.chosen_options(db, rng, row["id"]), rng.randrange(1, 4)) for row in products]
    lines = [(row["price"] * quantity, row["department"]) for row, _, quantity in chosen]
    coupons = [one for one in COUPONS if problem_of(lines, one, "2026-03-02") is None]
    if not coupons:
        raise UnsuitableDraw("no coupon fits")
    coupon = rng.choice(coupons).code
    said = "; ".join(
        f"{quantity} × {row['title']} ({drawing.say_options(options)})" for row, options, quantity in chosen
    )
    steps: list[Step] = []
    for row, options, quantity in chosen:
        steps += [*drawing.find_steps(row["title"]), *drawing.cart_steps(options, quantity)]
    cart = [[row["id"], options_text(options), quantity] for row, options, quantity in chosen]
    sql = f"SELECT product_id, options, quantity FROM cart_item WHERE login = {literal(login)}"
    basket = f"SELECT coupon FROM basket WHERE login = {literal(login)}"
    return Draft(
        f"Get my cart ready, but do not order yet: {said}. Then enter the coupon {coupon}.",
        user=login,
        checks=[
            Check(sql, cart, "the cart holds what was asked for"),
            Check(basket, [[coupon]], "the coupon is entered"),
            *[drawing.in_cart(login, row["id"], options, quantity) for row, options, quantity in chosen],
        ],
        touched={"cart_item": [3, 0, 0], "basket": [0, 1, 0]},
        plants=[[drawing.EMPTY_CART, [login]]],
        walkthrough=[
            *steps,
            ["fill", "textbox", "Coupon code", coupon],
            ["click", "button", "Apply coupon"],
        ],
    )


def best_coupon(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Order the cart as it is with the coupon that saves most."""
    login = drawing.member(db, rng)
    rows = db.execute(
        "SELECT c.*, p.price, k.department FROM cart_item c JOIN product p ON p.id = c.product_id"
        " JOIN kind k ON k.id = p.kind_id WHERE c.login = ? ORDER BY c.id",
        (login,),
    ).fetchall()
    rows = rng.sample(rows, rng.randrange(2, len(rows) + 1))
    lines = [(row["price"] * row["quantity"], row["department"]) for row in rows]
    method = rng.choice(SHIPPING)
    address = pick(db, rng, "SELECT * FROM address WHERE login = ?", login)
    sums = sorted(
        (totals(lines, method, one).total, one.code) for one in COUPONS if problem_of(lines, one, "2026-03-02") is None
    )
    if len(sums) < 2 or sums[0][0] == sums[1][0]:
        raise UnsuitableDraw("no single best coupon")
    items = [(row["product_id"], row["options"], row["quantity"]) for row in rows]
    kept = ", ".join(str(row["id"]) for row in rows)
    shipping = f"{method.name}, about {method.days} days, {_money(totals(lines, method, _coupon(sums[0][1])).shipping)}"
    basket = f"SELECT coupon FROM basket WHERE login = {literal(login)}"
    return Draft(
        f"Order what is in my cart, with {method.name.lower()} shipping, to my address called"
        f" {address['label']} and with"
        " my default card. First enter the coupon from the offers page that makes the total lowest"
        " for this way of shipping.",
        user=login,
        checks=[
            drawing.order_check(db, login, address, shipping=method.name, coupon=sums[0][1]),
            drawing.items_check(db, items),
            Check(basket, [[sums[0][1]]], "the best coupon is entered", True),
            Check(
                f"SELECT count(*) FROM orders WHERE id > {drawing.last_order(db)}", [[1]], "an order is placed", True
            ),
        ],
        touched={"orders": [1, 0, 0], "order_item": [len(rows), 0, 0], "cart_item": [0, 0, len(rows)]},
        plants=[[f"{drawing.EMPTY_CART} AND id NOT IN ({kept})", [login]]],
        walkthrough=[
            ["click", "link", "Offers"],
            ["click", "link", "Cart"],
            ["fill", "textbox", "Coupon code", sums[0][1]],
            ["click", "button", "Apply coupon"],
            *drawing.checkout_steps(address, shipping),
        ],
    )


def _coupon(code: str) -> Any:
    return next(one for one in COUPONS if one.code == code)


def _money(cents: int) -> str:
    return f"${cents / 100:.2f}"


def reorder(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Order everything of an earlier order again, to another address."""
    login = drawing.member(db, rng)
    order = pick(db, rng, "SELECT * FROM orders WHERE login = ? AND status = 'Delivered'", login)
    items = db.execute(
        "SELECT i.*, p.title, s.stock FROM order_item i JOIN shelf s ON s.product_id = i.product_id"
        " JOIN product p ON p.id = i.product_id WHERE order_id = ? ORDER BY i.id",
        (order["id"],),
    ).fetchall()
    if any(item["stock"] < item["quantity"] for item in items):
        raise UnsuitableDraw("sold out by now")
    address = drawing.other_address(db, rng, login)
    titles = " and ".join(item["title"] for item in items)
    only_one = only_order_with(db, login, items[0]["product_id"])
    if not only_one:
        raise UnsuitableDraw("bought twice")
    return Draft(
        f"I would like to have the whole order again in which I bought {titles}: the same items, options and"
        f" quantities. This time send it by express to my address called {address['label']}. Pay with my default card.",
        user=login,
        checks=[
            drawing.order_check(db, login, address, shipping="Express"),
            drawing.items_check(db, [(item["product_id"], item["options"], item["quantity"]) for item in items]),
            Check(
                f"SELECT count(*) FROM cart_item WHERE login = {literal(login)} AND product_id ="
                f" {items[0]['product_id']}",
                [[1]],
                "the first item is in the cart",
                True,
            ),
            Check(
                f"SELECT count(*) FROM orders WHERE id > {drawing.last_order(db)}", [[1]], "an order is placed", True
            ),
        ],
        touched={"orders": [1, 0, 0], "order_item": [len(items), 0, 0]},
        plants=[[drawing.EMPTY_CART, [login]]],
        walkthrough=[
            *drawing.order_steps(db, order),
            ["click", "button", "Order again"],
            *drawing.checkout_steps(address, "Express, about 2 days, $9.90"),
        ],
    )


def only_order_with(db: sqlite3.Connection, login: str, product: int) -> bool:
    """Whether just one order of a customer holds a product."""
    sql = (
        "SELECT count(DISTINCT o.id) FROM orders o JOIN order_item i ON i.order_id = o.id WHERE"
        " login = ? AND product_id = ?"
    )
    return bool(drawing.only(db, sql, login, product) == 1)


def tidy_cart(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Remove the dearest piece from the cart and change the quantity of another line."""
    login = drawing.member(db, rng)
    rows = db.execute(
        "SELECT c.id, c.quantity, p.title, p.price FROM cart_item c JOIN product p ON p.id = c.product_id"
        " WHERE login = ? ORDER BY p.price DESC",
        (login,),
    ).fetchall()
    if len(rows) < 3 or rows[0]["price"] == rows[1]["price"]:
        raise UnsuitableDraw("no single dearest")
    other = rng.choice(rows[1:])
    quantity = rng.choice([number for number in range(2, 7) if number != other["quantity"]])
    sql = f"SELECT id, quantity FROM cart_item WHERE login = {literal(login)}"
    kept = [[row["id"], quantity if row["id"] == other["id"] else row["quantity"]] for row in rows[1:]]
    return Draft(
        f"My cart is too expensive. Take out the item with the highest price for one piece, and set the quantity of the"
        f" {other['title']} to {quantity}. Leave the rest, and do not order.",
        user=login,
        checks=[
            Check(sql, kept, "the cart is as asked"),
            Check(f"SELECT count(*) FROM cart_item WHERE id = {rows[0]['id']}", [[0]], "the dearest is gone", True),
            Check(
                f"SELECT quantity FROM cart_item WHERE id = {other['id']}", [[quantity]], "the quantity is set", True
            ),
        ],
        touched={"cart_item": [0, 1, 1]},
        walkthrough=[
            ["click", "link", "Cart"],
            ["click", "button", "Remove", {"within": rows[0]["title"]}],
            ["fill", "spinbutton", "Quantity", str(quantity), {"within": other["title"]}],
            ["click", "button", "Update", {"within": other["title"]}],
        ],
    )


TEMPLATES = (
    Template("buy_described", "seen", buy_described),
    Template("buy_described_gift", "seen", buy_described_gift),
    Template("buy_best_rated", "unseen", buy_best_rated),
    Template("fill_cart", "seen", fill_cart),
    Template("best_coupon", "unseen", best_coupon),
    Template("reorder", "unseen", reorder),
    Template("tidy_cart", "seen", tidy_cart),
)
