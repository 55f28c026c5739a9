"""Short tasks for tiny models: find a product by its title, choose its options, put it into the cart or keep it.

They are in a suite of their own and not among the templates of the shop.
"""

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Check, Draft, Template
from agentgym_web.sites.core.draws import literal
from agentgym_web.sites.shop import drawing
from agentgym_web.sites.shop.data import options_text

_START = "/offers"
"""A short page with the search field."""
_EMPTY_LIST = "DELETE FROM saved_item WHERE login = ?"


def put_into_cart(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """On the page of a product, choose its options and put it into the cart."""
    product = drawing.product_in_stock(db, rng)
    return _cart_draft(db, rng, product, f"/product/{product['id']}")


def find_and_put_into_cart(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The same, beginning with a search."""
    return _cart_draft(db, rng, drawing.product_in_stock(db, rng), _START)


def find_and_save(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Find a product and save it for later."""
    login = drawing.member(db, rng)
    product = drawing.product_in_stock(db, rng)
    sql = f"SELECT product_id FROM saved_item WHERE login = {literal(login)}"  # noqa: S608 - a made-up login
    return Draft(
        f'Save "{product["title"]}" for later.',
        path=_START,
        user=login,
        checks=[Check(sql, [[product["id"]]], "it is saved")],
        touched={"saved_item": [1, 0, 0]},
        plants=[[_EMPTY_LIST, [login]]],
        walkthrough=[*drawing.find_steps(product["title"]), ["click", "button", "Save for later"]],
    )


def _cart_draft(db: sqlite3.Connection, rng: random.Random, product: sqlite3.Row, path: str) -> Draft:
    login = drawing.member(db, rng)
    options = drawing.chosen_options(db, rng, product["id"])
    is_found = path == _START
    asked = f'Find "{product["title"]}" and put it' if is_found else f'Put "{product["title"]}"'
    said = ", ".join(f'{name} "{value}"' for name, value in options.items())
    sql = f"SELECT product_id, options, quantity FROM cart_item WHERE login = {literal(login)}"  # noqa: S608
    return Draft(
        f"{asked} into my cart: {said}.",
        path=path,
        user=login,
        checks=[
            Check(sql, [[product["id"], options_text(options), 1]], "the cart holds what was asked for"),
            drawing.in_cart_any(login, product["id"]),
        ],
        touched={"cart_item": [1, 0, 0]},
        plants=[[drawing.EMPTY_CART, [login]]],
        walkthrough=[
            *(drawing.find_steps(product["title"]) if is_found else []),
            *drawing.cart_steps(options),
        ],
    )


TEMPLATES = (
    Template("put_into_cart", "seen", put_into_cart),
    Template("find_and_put_into_cart", "seen", find_and_put_into_cart),
    Template("find_and_save", "seen", find_and_save),
)
