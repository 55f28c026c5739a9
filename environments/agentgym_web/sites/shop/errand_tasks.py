"""Long tasks: several things in one errand, over many pages."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Check, Draft, Step, Template, UnsuitableDraw
from agentgym_web.sites.core.draws import literal, pick
from agentgym_web.sites.shop import drawing
from agentgym_web.sites.shop.buying_tasks import only_order_with
from agentgym_web.sites.shop.data import options_text


def swap_order(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Cancel an order of one item, and order the item again with another option."""
    row = pick(
        db,
        rng,
        "SELECT o.*, i.product_id, i.options, i.quantity, p.title, s.stock FROM orders o JOIN"
        " order_item i ON i.order_id ="
        " o.id JOIN product p ON p.id = i.product_id JOIN shelf s ON s.product_id = p.id WHERE o.status = 'Processing'"
        " AND (SELECT count(*) FROM order_item x WHERE x.order_id = o.id) = 1",
    )
    if not only_order_with(db, row["login"], row["product_id"]) or row["stock"] < row["quantity"]:
        raise UnsuitableDraw("bought twice, or sold out")
    options = dict(part.split(": ", 1) for part in row["options"].split(", "))
    name = rng.choice(sorted(options))
    sql = "SELECT value FROM choice WHERE product_id = ? AND name = ? AND in_stock AND value != ?"
    options[name] = pick(db, rng, sql, row["product_id"], name, options[name])[0]
    address = drawing.default_address(db, row["login"])
    return Draft(
        f"I ordered the {row['title']} with the wrong {name.lower()}. Cancel that order, and place a"
        " new one for the same"
        f" quantity with the {name.lower()} {options[name]} and otherwise the same options, by standard shipping to my"
        " default address, paid with my default card.",
        user=row["login"],
        checks=[
            Check(f"SELECT status FROM orders WHERE id = {row['id']}", [["Cancelled"]], "the old order is cancelled"),
            drawing.order_check(db, row["login"], address, shipping="Standard"),
            drawing.items_check(db, [(row["product_id"], options_text(options), row["quantity"])]),
            Check(f"SELECT status FROM orders WHERE id = {row['id']}", [["Cancelled"]], "the old one is gone", True),
            drawing.in_cart(row["login"], row["product_id"], options, row["quantity"]),
        ],
        touched={"orders": [1, 1, 0], "order_item": [1, 0, 0]},
        plants=[[drawing.EMPTY_CART, [row["login"]]]],
        walkthrough=[
            *drawing.order_steps(db, row),
            ["click", "button", "Cancel order"],
            *drawing.find_steps(row["title"]),
            *drawing.cart_steps(options, row["quantity"]),
            *drawing.checkout_steps(),
        ],
    )


def cart_from_saved(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Move the cheap ones of the saved items into the cart."""
    login = drawing.member(db, rng)
    rows = db.execute(
        "SELECT p.id, p.title, p.price, s.stock FROM saved_item w JOIN product p ON p.id = w.product_id"
        " JOIN shelf s ON s.product_id = p.id WHERE w.login = ? ORDER BY p.price",
        (login,),
    ).fetchall()
    count = rng.randrange(2, 5)
    if len(rows) <= count:
        raise UnsuitableDraw("too few")
    limit = (rows[count - 1]["price"] // 500 + 1) * 500
    chosen = [row for row in rows if row["price"] < limit]
    if not 2 <= len(chosen) <= 4 or any(row["stock"] < 1 for row in chosen):
        raise UnsuitableDraw("too many, or sold out")
    steps: list[Step] = []
    for row in chosen:
        options = drawing.chosen_options(db, rng, row["id"])
        steps += [*drawing.find_steps(row["title"]), *drawing.cart_steps(options)]
    remove: list[Step] = [["click", "button", "Remove", {"within": row["title"]}] for row in chosen]
    cart = f"FROM cart_item WHERE login = {literal(login)}"
    saved = f"FROM saved_item WHERE login = {literal(login)}"
    numbers = ", ".join(str(row["id"]) for row in chosen)
    return Draft(
        f"Put one of each of my saved items that cost less than {drawing.dollars(limit)} into my"
        " cart, which is empty; choose"
        " any options that are in stock. Then take these items off the list of saved items. Do not order.",
        user=login,
        checks=[
            Check(f"SELECT product_id, quantity {cart}", [[row["id"], 1] for row in chosen], "they are in the cart"),
            Check(f"SELECT count(*) {saved} AND product_id IN ({numbers})", [[0]], "they are off the list"),
            *[
                Check(f"SELECT count(*) {cart} AND product_id = {row['id']}", [[1]], "in the cart", True)
                for row in chosen
            ],
        ],
        touched={"cart_item": [len(chosen), 0, 0], "saved_item": [0, 0, len(chosen)]},
        plants=[[drawing.EMPTY_CART, [login]]],
        walkthrough=[["click", "link", "Saved items"], *steps, ["click", "link", "Saved items"], *remove],
    )


def cheapest_pair(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Buy the cheapest product with a feature of each of two kinds, in one order."""
    login = drawing.member(db, rng)
    steps: list[Step] = []
    found = []
    for kind in rng.sample(range(1, 41), 2):
        target = drawing.product_in_stock(db, rng, kind)
        feature = pick(db, rng, "SELECT name FROM feature WHERE product_id = ?", target["id"])[0]
        rows = db.execute(
            "SELECT p.id, p.title, p.price FROM product p JOIN shelf s ON s.product_id = p.id JOIN feature f"
            " ON f.product_id = p.id AND f.name = ? WHERE p.kind_id = ? AND s.stock > 0 ORDER BY p.price LIMIT 2",
            (feature, kind),
        ).fetchall()
        if len(rows) < 2 or rows[0]["price"] == rows[1]["price"]:
            raise UnsuitableDraw("no single cheapest")
        options = drawing.chosen_options(db, rng, rows[0]["id"])
        found.append((target["kind"], feature, rows[0]["id"], options))
        steps += [
            ["click", "link", "Larkfield"],
            ["click", "link", target["kind"]],
            ["click", "checkbox", feature],
            ["click", "checkbox", "In stock only"],
            ["select", "combobox", "Sort by", "Price: low to high"],
            ["click", "button", "Apply filters"],
            ["click", "link", rows[0]["title"]],
            *drawing.cart_steps(options),
        ]
    said = " and ".join(f"from {kind} the one with the feature “{feature}”" for kind, feature, _, _ in found)
    numbers = [[product, 1] for _, _, product, _ in found]
    address = drawing.other_address(db, rng, login)
    return Draft(
        f"Buy two things in one order: {said}, in each case the cheapest that is in stock. Options do"
        " not matter. Send the"
        f" order to my address called {address['label']}, by standard shipping, and pay with my default card.",
        user=login,
        checks=[
            drawing.order_check(db, login, address, shipping="Standard"),
            Check(
                f"SELECT product_id, quantity FROM order_item WHERE order_id > {drawing.last_order(db)}",
                numbers,
                "the order holds the two cheapest",
            ),
            *[drawing.in_cart_any(login, product) for _, _, product, _ in found],
        ],
        touched={"orders": [1, 0, 0], "order_item": [2, 0, 0]},
        plants=[[drawing.EMPTY_CART, [login]]],
        partial=[
            (1.0, drawing.bought_check(db, product, f"the cheapest from {kind}")) for kind, _, product, _ in found
        ],
        walkthrough=[*steps, *drawing.checkout_steps(address)],
    )


def gift_to_new_address(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Order a named product for somebody whose address must be added first."""
    login = drawing.member(db, rng)
    row = drawing.product_in_stock(db, rng)
    options = drawing.chosen_options(db, rng, row["id"])
    name, (street, city, postcode) = drawing.stranger(rng)
    label, note = rng.choice(("Godmother", "Colleague", "Cousin", "Teacher")), rng.choice(drawing.NOTES)
    where = f"FROM address WHERE login = {literal(login)} AND label = {literal(label)}"
    new = {"label": label, "name": name, "street": street, "city": city, "postcode": postcode}
    order = {"to_city": city, "to_postcode": postcode, "shipping": "Express", "gift_note": note}
    return Draft(
        f"Send the {row['title']} ({drawing.say_options(options)}) as a gift to {name}, {street}, {postcode} {city}, by"
        f" express, with the gift note “{note}” Save the address in my account as “{label}”; my"
        " default address stays. Pay"
        " with my default card.",
        user=login,
        checks=[
            drawing.order_check(db, login, new, **order),
            drawing.items_check(db, [(row["id"], options_text(options), 1)]),
            Check(
                f"SELECT name, street, city, postcode, is_default {where}", [[name, street, city, postcode, 0]], "saved"
            ),
            Check(f"SELECT count(*) {where}", [[1]], "the address is added", True),
            drawing.in_cart(login, row["id"], options),
        ],
        touched={"orders": [1, 0, 0], "order_item": [1, 0, 0], "address": [1, 0, 0]},
        plants=[[drawing.EMPTY_CART, [login]]],
        walkthrough=[
            ["click", "link", "Account"],
            ["click", "link", "Addresses"],
            ["click", "link", "Add an address"],
            *drawing.address_steps(new),
            ["click", "button", "Save address"],
            *drawing.find_steps(row["title"]),
            *drawing.cart_steps(options),
            ["click", "link", "Go to checkout"],
            ["click", "radio", f"{label}: {name}, {street}, {postcode} {city}"],
            ["click", "radio", "Express, about 2 days, $9.90"],
            ["fill", "textbox", "Gift note (optional)", note],
            ["click", "button", "Place order"],
        ],
    )


TEMPLATES = (
    Template("swap_order", "seen", swap_order),
    Template("cart_from_saved", "seen", cart_from_saved),
    Template("cheapest_pair", "unseen", cheapest_pair),
    Template("gift_to_new_address", "seen", gift_to_new_address),
)
