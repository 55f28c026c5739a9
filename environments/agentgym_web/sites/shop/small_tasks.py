"""Short tasks for tiny models: choose a product by its title and its options, put it into the cart or keep it.

They are in a suite of their own and not among the templates of the shop.
"""

from __future__ import annotations

import random
import sqlite3
from urllib.parse import urlencode

from agentgym_web.sites.core.drafts import Check, Draft, Template
from agentgym_web.sites.core.draws import literal
from agentgym_web.sites.shop import drawing, phrases
from agentgym_web.sites.shop.data import options_text

_LISTED = 4
"""Products on the list that a task begins with, where there are as many."""
_MODELS = phrases.MODELS[::4]
"""The words for models in the titles of wanted products: few, so that a tiny model meets each of them often."""
_SIMPLE = """
SELECT p.* FROM product p JOIN shelf s ON s.product_id = p.id JOIN choice c ON c.product_id = p.id
WHERE s.stock >= 5 AND c.in_stock GROUP BY p.id HAVING count(DISTINCT c.name) = 1 AND count(*) <= 4 ORDER BY p.id
"""
"""Products in stock with one option that takes few values."""
_EMPTY_LIST = "DELETE FROM saved_item WHERE login = ?"


def put_into_cart(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """On the page of a product, choose its options and put it into the cart."""
    return _cart_draft(db, rng, is_listed=False)


def choose_and_put_into_cart(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The same, beginning with a list of similar products."""
    return _cart_draft(db, rng, is_listed=True)


def choose_and_save(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Choose a product from a list and save it for later."""
    login, product, path = _start(db, rng)
    sql = f"SELECT product_id FROM saved_item WHERE login = {literal(login)}"  # noqa: S608 - a made-up login
    return Draft(
        f'Save "{product["title"]}" for later.',
        path=path,
        user=login,
        checks=[Check(sql, [[product["id"]]], "it is saved")],
        touched={"saved_item": [1, 0, 0]},
        plants=[[_EMPTY_LIST, [login]]],
        walkthrough=[["click", "link", product["title"]], ["click", "button", "Save for later"]],
    )


def _cart_draft(db: sqlite3.Connection, rng: random.Random, *, is_listed: bool) -> Draft:
    login, product, path = _start(db, rng)
    options = drawing.chosen_options(db, rng, product["id"])
    asked = f'Choose "{product["title"]}" and put it' if is_listed else f'Put "{product["title"]}"'
    said = ", ".join(f'{name} "{value}"' for name, value in options.items())
    sql = f"SELECT product_id, options, quantity FROM cart_item WHERE login = {literal(login)}"  # noqa: S608
    return Draft(
        f"{asked} into my cart: {said}.",
        path=path if is_listed else f"/product/{product['id']}",
        user=login,
        checks=[
            Check(sql, [[product["id"], options_text(options), 1]], "the cart holds what was asked for"),
            drawing.in_cart_any(login, product["id"]),
        ],
        touched={"cart_item": [1, 0, 0]},
        plants=[[drawing.EMPTY_CART, [login]]],
        walkthrough=[
            *([["click", "link", product["title"]]] if is_listed else []),
            *drawing.cart_steps(options),
        ],
    )


def _start(db: sqlite3.Connection, rng: random.Random) -> tuple[str, sqlite3.Row, str]:
    """A customer, a product, and the path of a list with it; the product decides on both, so no task comes twice."""
    titles = tuple(f" {model} " for model in _MODELS)
    product = rng.choice([row for row in db.execute(_SIMPLE) if any(title in row["title"] for title in titles)])
    own = random.Random(int(product["id"]))
    return drawing.member(db, own), product, _list_with(db, own, product)


def _list_with(db: sqlite3.Connection, rng: random.Random, product: sqlite3.Row) -> str:
    """The path of a list with a product and a few of its brand and kind that cost about as much."""
    sql = "SELECT p.id, p.price, k.slug FROM product p JOIN kind k ON k.id = p.kind_id WHERE kind_id = ? AND brand = ?"
    alike = sorted(db.execute(sql, (product["kind_id"], product["brand"])), key=lambda row: (row["price"], row["id"]))
    at = next(number for number, row in enumerate(alike) if row["id"] == product["id"])
    first = min(max(at - rng.randrange(_LISTED), 0), max(len(alike) - _LISTED, 0))
    listed = alike[first : first + _LISTED]
    dollars = {name: f"{row['price'] / 100:.2f}" for name, row in (("min", listed[0]), ("max", listed[-1]))}
    return f"/kind/{listed[0]['slug']}?" + urlencode({"brand": product["brand"], **dollars})


TEMPLATES = (
    Template("put_into_cart", "seen", put_into_cart),
    Template("choose_and_put_into_cart", "seen", choose_and_put_into_cart),
    Template("choose_and_save", "seen", choose_and_save),
)
