"""Short tasks for tiny models: find a product by its title, choose its option, put it into the cart or save it.

They are in a suite of their own and not among the templates of the shop.
"""

from __future__ import annotations

import random
import sqlite3
from functools import cache

from agentgym_web.sites.core.drafts import Check, Draft, Template
from agentgym_web.sites.core.draws import literal
from agentgym_web.sites.shop import drawing
from agentgym_web.sites.shop.data import options_text

_SIMPLE = """
SELECT p.* FROM product p JOIN shelf s ON s.product_id = p.id JOIN choice c ON c.product_id = p.id
WHERE s.stock >= 5 AND c.in_stock GROUP BY p.id
HAVING count(DISTINCT c.name) = 1 AND count(*) <= 4 AND max(instr(c.value, ' ')) = 0 ORDER BY p.id
"""
"""Products in stock with one option that takes few values, each a single word."""
_SEARCH = "/cart"
"""Where a search begins: a page with the search field and, while the cart is empty, little else."""
_EMPTY_LIST = "DELETE FROM saved_item WHERE login = ?"


def put_into_cart(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """On the page of a product, choose its option and put it into the cart."""
    return _cart_draft(db, rng, is_found=False)


def find_and_put_into_cart(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """The same, after a search for the product."""
    return _cart_draft(db, rng, is_found=True)


def find_and_save(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Search for a product and save it for later."""
    login, product = _start(db, rng)
    title = product["title"]
    sql = f"SELECT product_id FROM saved_item WHERE login = {literal(login)}"  # noqa: S608 - a made-up login
    return Draft(
        f'Find "{title}" and save it for later.',
        path=_SEARCH,
        user=login,
        checks=[Check(sql, [[product["id"]]], "it is saved")],
        touched={"saved_item": [1, 0, 0]},
        plants=[[drawing.EMPTY_CART, [login]], [_EMPTY_LIST, [login]]],
        walkthrough=[*drawing.find_steps(title), ["click", "button", "Save for later"]],
    )


def _cart_draft(db: sqlite3.Connection, rng: random.Random, *, is_found: bool) -> Draft:
    login, product = _start(db, rng)
    title, options = product["title"], drawing.chosen_options(db, rng, product["id"])
    said = ", ".join(f'{name} "{value}"' for name, value in options.items())
    sql = f"SELECT product_id, options, quantity FROM cart_item WHERE login = {literal(login)}"  # noqa: S608
    return Draft(
        f'Find "{title}" and put it into my cart: {said}.' if is_found else f'Put "{title}" into my cart: {said}.',
        path=_SEARCH if is_found else f"/product/{product['id']}",
        user=login,
        checks=[
            Check(sql, [[product["id"], options_text(options), 1]], "the cart holds what was asked for"),
            drawing.in_cart_any(login, product["id"]),
        ],
        touched={"cart_item": [1, 0, 0]},
        plants=[[drawing.EMPTY_CART, [login]]],
        walkthrough=[*(drawing.find_steps(title) if is_found else []), *drawing.cart_steps(options)],
    )


def _start(db: sqlite3.Connection, rng: random.Random) -> tuple[str, sqlite3.Row]:
    """A customer and a product; the product decides on the customer, so no task comes twice."""
    product = rng.choice(_simple_products(db))
    return drawing.member(db, random.Random(int(product["id"]))), product


@cache
def _simple_products(db: sqlite3.Connection) -> list[sqlite3.Row]:
    """The products of the short tasks; asked for once, since a suite draws thousands."""
    return db.execute(_SIMPLE).fetchall()


TEMPLATES = (
    Template("put_into_cart", "seen", put_into_cart),
    Template("find_and_save", "seen", find_and_save),
    Template("find_and_put_into_cart", "seen", find_and_put_into_cart),
)
