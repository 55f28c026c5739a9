"""What the templates of the shop's tasks share: drawing customers and products, and the steps of buying."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_web.sites.core.drafts import Check, Step
from agentgym_web.sites.core.draws import literal, pick
from agentgym_web.sites.shop import phrases
from agentgym_web.sites.shop.account import ADDRESS_FIELDS
from agentgym_web.sites.shop.data import draw_options, options_text
from agentgym_web.sites.shop.orders import PAGE_SIZE

EMPTY_CART = "DELETE FROM cart_item WHERE login = ?"
"""A plant with which a customer's cart is empty at the start."""
NOTES = (
    "Happy birthday, and do not open it before Sunday!",
    "With thanks for the plants.",
    "From all of us at number nine.",
    "Congratulations on the new flat.",
    "Get well soon.",
)
"""Notes to gifts."""


def member(db: sqlite3.Connection, rng: random.Random) -> str:
    """The login of a customer with orders, addresses and cards."""
    return str(rng.choice([row[0] for row in db.execute("SELECT DISTINCT login FROM address ORDER BY login")]))


def only(db: sqlite3.Connection, sql: str, *values: Any) -> Any:
    """The first column of the first row of a query."""
    return db.execute(sql, values).fetchone()[0]


def product_in_stock(db: sqlite3.Connection, rng: random.Random, kind: int | None = None) -> sqlite3.Row:
    """A product of which enough is left, and of a kind where that matters."""
    return pick(
        db,
        rng,
        "SELECT p.*, k.name AS kind, k.department, s.stock, s.rating, s.num_reviews FROM product p"
        " JOIN kind k ON k.id = p.kind_id JOIN shelf s ON s.product_id = p.id"
        " WHERE s.stock >= 5 AND (? IS NULL OR kind_id = ?)",
        kind,
        kind,
    )


def chosen_options(db: sqlite3.Connection, rng: random.Random, product: int) -> dict[str, str]:
    """A choice of every option of a product, of those in stock."""
    return draw_options(db, rng, product)


def say_options(options: Mapping[str, str]) -> str:
    """Options as a person says them, such as "colour Moss, size M"."""
    return ", ".join(f"{name.lower()} {value}" for name, value in options.items())


def dollars(cents: int) -> str:
    """An amount as instructions give it, such as "$60" or "$59.90"."""
    return f"${cents // 100:,}" if cents % 100 == 0 else f"${cents / 100:,.2f}"


def find_steps(title: str) -> list[Step]:
    """Steps to the page of a product, by its title."""
    return [
        ["fill", "searchbox", "Search the shop", title],
        ["click", "button", "Search"],
        ["click", "link", title],
    ]


def cart_steps(options: Mapping[str, str], quantity: int = 1) -> list[Step]:
    """Steps that put the product of this page into the cart."""
    steps: list[Step] = [["select", "combobox", name, value] for name, value in options.items()]
    if quantity != 1:
        steps.append(["fill", "spinbutton", "Quantity", str(quantity)])
    return [*steps, ["click", "button", "Add to cart"]]


def checkout_steps(address: sqlite3.Row | None = None, shipping: str = "", note: str = "") -> list[Step]:
    """Steps from the cart to the order; what is left out stays as it is by default."""
    steps: list[Step] = [["click", "link", "Go to checkout"]]
    if address is not None:
        steps.append(["click", "radio", say_address(address)])
    if shipping:
        steps.append(["click", "radio", shipping])
    if note:
        steps.append(["fill", "textbox", "Gift note (optional)", note])
    return [*steps, ["click", "button", "Place order"]]


def order_steps(db: sqlite3.Connection, order: sqlite3.Row) -> list[Step]:
    """Steps from the home page to the page of an order."""
    sql = "SELECT count(*) FROM orders WHERE login = ? AND (placed, id) > (?, ?)"
    newer = only(db, sql, order["login"], order["placed"], order["id"])
    turns: list[Step] = [["click", "link", "Next page"]] * (newer // PAGE_SIZE)
    return [["click", "link", "Orders"], *turns, ["click", "link", order["number"]]]


def say_address(address: sqlite3.Row) -> str:
    """An address as the checkout shows it."""
    where = f"{address['street']}, {address['postcode']} {address['city']}"
    return f"{address['label']}: {address['name']}, {where}"


def default_address(db: sqlite3.Connection, login: str) -> sqlite3.Row:
    """The address that the checkout takes by default."""
    row: sqlite3.Row = db.execute("SELECT * FROM address WHERE login = ? AND is_default", (login,)).fetchone()
    return row


def other_address(db: sqlite3.Connection, rng: random.Random, login: str) -> sqlite3.Row:
    """An address that is not the default one."""
    return pick(db, rng, "SELECT * FROM address WHERE login = ? AND NOT is_default", login)


def last_order(db: sqlite3.Connection) -> int:
    """Id of the newest order at the start; those placed by the agent come after it."""
    return int(only(db, "SELECT max(id) FROM orders"))


def order_check(db: sqlite3.Connection, login: str, address: sqlite3.Row | Mapping[str, str], **also: str) -> Check:
    """Holds when one order was placed, to an address, with the default card and what else is given by column.

    Without a gift note among it, the order must have none.
    """
    card = db.execute("SELECT brand, last4 FROM card WHERE login = ? AND is_default", (login,)).fetchone()
    expected = {
        "login": login,
        "to_name": address["name"],
        "to_street": address["street"],
        "status": "Processing",
        "card": f"{card['brand']} ending in {card['last4']}",
        "gift_note": "",
        **also,
    }
    sql = f"SELECT {', '.join(expected)} FROM orders WHERE id > {last_order(db)}"
    return Check(sql, [[*expected.values()]], "the order is placed as asked")


def items_check(db: sqlite3.Connection, items: Sequence[tuple[int, str, int]]) -> Check:
    """Holds when the new orders hold exactly these products, options and quantities."""
    sql = f"SELECT product_id, options, quantity FROM order_item WHERE order_id > {last_order(db)}"
    return Check(sql, [list(item) for item in items], "the order holds what was asked for")


def in_cart(login: str, product: int, options: Mapping[str, str], quantity: int = 1) -> Check:
    """A milestone: a product is in the cart."""
    sql = f"SELECT count(*) FROM cart_item WHERE login = {literal(login)} AND product_id = {product}"
    sql += f" AND options = {literal(options_text(options))} AND quantity = {quantity}"
    return Check(sql, [[1]], "in the cart", milestone=True)


def in_cart_any(login: str, product: int) -> Check:
    """A milestone: a product is in the cart, with whatever options."""
    sql = f"SELECT count(*) FROM cart_item WHERE login = {literal(login)} AND product_id = {product}"
    return Check(sql, [[1]], "in the cart", milestone=True)


def bought_check(db: sqlite3.Connection, product: int, name: str) -> Check:
    """Holds when a product is part of a new order."""
    sql = f"SELECT count(*) FROM order_item WHERE order_id > {last_order(db)} AND product_id = {product}"
    return Check(sql, [[1]], name)


def stranger(rng: random.Random) -> tuple[str, tuple[str, str, str]]:
    """A name, and an address as street, city and postcode."""
    return phrases.person(rng), phrases.place(rng)


def address_steps(values: Mapping[str, str]) -> list[Step]:
    """Steps that fill the form of an address; the values are by the names of `ADDRESS_FIELDS`."""
    return [["fill", "textbox", ADDRESS_FIELDS[name], value] for name, value in values.items()]
