"""Tasks on orders, returns, addresses, reviews, saved items and the profile."""

# ruff: noqa: S608 - a check is a query with its values written into it

from __future__ import annotations

import random
import sqlite3

from agentgym_web.sites.core.drafts import Check, Draft, Step, Template, UnsuitableDraw
from agentgym_web.sites.core.draws import literal, pick
from agentgym_web.sites.core.row_checks import as_milestone, row_comes
from agentgym_web.sites.shop import drawing, phrases
from agentgym_web.sites.shop.account import NEWSLETTERS, TOPICS
from agentgym_web.sites.shop.buying_tasks import only_order_with
from agentgym_web.sites.shop.orders import WANTED
from agentgym_web.sites.shop.phrases import RETURN_REASONS

_ITEM = (
    "SELECT o.id, o.number, o.login, o.placed, o.delivered, o.to_street, i.id AS item, i.product_id,"
    " p.title FROM orders o"
    " JOIN order_item i ON i.order_id = o.id JOIN product p ON p.id = i.product_id"
)
RETURNABLE = (
    f"{_ITEM} LEFT JOIN goods_return r ON r.item_id = i.id"
    " WHERE o.status = 'Delivered' AND r.id IS NULL AND o.delivered >= '2026-02-02'"
)
"""Items that may still be returned, with some days to spare."""
_COMMENTS = (
    "The box was already open when it came.",
    "Please send the label by e-mail.",
    "I can bring it to a shop as well.",
    "It has not been used.",
)
_TITLES = ("Better than the picture", "Good, not great", "A keeper", "Not what I hoped for", "Made for daily use")
_BODIES = (
    "I have had it for some weeks now and use it nearly every day.",
    "The finish is careful, but it took long to arrive.",
    "My whole family fights over it. I will buy another.",
    "It does what it should. I would have liked a longer manual.",
)
_QUESTIONS = (
    "The parcel has not moved for three days. Where is it?",
    "Could you leave the parcel with the neighbour at number four?",
    "Is there a spare part for this, and what does it cost?",
    "I was charged twice. Please check.",
)


def _own_item(db: sqlite3.Connection, rng: random.Random, condition: str) -> sqlite3.Row:
    """An item of an order, of a product that the customer ordered only once."""
    row = pick(db, rng, f"{_ITEM} WHERE {condition}")
    if not only_order_with(db, row["login"], row["product_id"]):
        raise UnsuitableDraw("bought twice")
    return row


def cancel_order(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Cancel the order that holds a product."""
    row = _own_item(db, rng, "o.status = 'Processing'")
    check = Check(f"SELECT status FROM orders WHERE id = {row['id']}", [["Cancelled"]], "the order is cancelled")
    return Draft(
        rng.choice(
            (
                f"I ordered a {row['title']} by mistake. Please cancel that order.",
                f"Cancel the order with the {row['title']}, I do not need it any more.",
            )
        ),
        user=row["login"],
        checks=[check, as_milestone(check)],
        touched={"orders": [0, 1, 0]},
        walkthrough=[*drawing.order_steps(db, row), ["click", "button", "Cancel order"]],
    )


def move_order(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Send an order to another address, and add that address first."""
    row = _own_item(db, rng, "o.status = 'Processing'")
    name = phrases.person(rng)
    street, city, postcode = phrases.place(rng)
    label = rng.choice(("Aunt", "Garage", "Holiday", "Club"))
    new = {"label": label, "name": name, "street": street, "city": city, "postcode": postcode}
    added = f"SELECT name, street, city, postcode, is_default FROM address WHERE login = {literal(row['login'])}"
    added += f" AND label = {literal(label)}"
    moved = f"SELECT to_name, to_street, to_city, to_postcode FROM orders WHERE id = {row['id']}"
    shown = f"{label}: {name}, {street}, {postcode} {city}"
    return Draft(
        f"My order with the {row['title']} should go to {name}, {street}, {postcode} {city}. Save"
        " this address under the"
        f" label “{label}” (my default address stays as it is), and then send the order there.",
        user=row["login"],
        checks=[
            Check(moved, [[name, street, city, postcode]], "the order goes to the new address"),
            Check(added, [[name, street, city, postcode, 0]], "the address is saved"),
            Check(added, [[name, street, city, postcode, 0]], "the address is saved", True),
            Check(f"SELECT to_street FROM orders WHERE id = {row['id']}", [[street]], "the order is moved", True),
        ],
        touched={"orders": [0, 1, 0], "address": [1, 0, 0]},
        walkthrough=[
            ["click", "link", "Account"],
            ["click", "link", "Addresses"],
            ["click", "link", "Add an address"],
            *drawing.address_steps(new),
            ["click", "button", "Save address"],
            ["click", "link", "Larkfield"],
            *drawing.order_steps(db, row),
            ["select", "combobox", "Other address", shown],
            ["click", "button", "Change address"],
        ],
    )


def return_item(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Ask for the return of an item."""
    row = pick(db, rng, RETURNABLE)
    if not only_order_with(db, row["login"], row["product_id"]):
        raise UnsuitableDraw("bought twice")
    reason, wanted, comment = rng.choice(RETURN_REASONS), rng.choice(WANTED), rng.choice(("", *_COMMENTS))
    last = drawing.only(db, "SELECT max(id) FROM goods_return")
    sql = f"SELECT item_id, reason, wanted, comment, status FROM goods_return WHERE id > {last}"
    note = f" Add the comment “{comment}”." if comment else ""
    fill: list[Step] = [["fill", "textbox", "Comment (optional)", comment]] if comment else []
    return Draft(
        f"I want to send back the {row['title']} that I bought. The reason: {reason.lower()}. I would like"
        f" {_article(wanted)}.{note}",
        user=row["login"],
        checks=[
            Check(sql, [[row["item"], reason, wanted, comment, "Requested"]], "the return is registered"),
            Check(
                f"SELECT count(*) FROM goods_return WHERE item_id = {row['item']}", [[1]], "a return is asked for", True
            ),
        ],
        touched={"goods_return": [1, 0, 0]},
        walkthrough=[
            *drawing.order_steps(db, row),
            ["click", "link", "Return this item", {"within": row["title"]}],
            ["select", "combobox", "Reason", reason],
            ["click", "radio", wanted],
            *fill,
            ["click", "button", "Send return"],
        ],
    )


def _article(wanted: str) -> str:
    return {"Refund": "a refund", "Exchange": "an exchange", "Store credit": "store credit"}[wanted]


def add_address(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Add an address, make it the default, and delete another one."""
    login = drawing.member(db, rng)
    old = drawing.other_address(db, rng, login)
    name = drawing.only(db, "SELECT name FROM customer WHERE login = ?", login)
    label = rng.choice(("New flat", "Workshop", "Summer house", "Partner"))
    street, city, postcode = phrases.place(rng)
    new = {"label": label, "name": name, "street": street, "city": city, "postcode": postcode}
    where = f"FROM address WHERE login = {literal(login)}"
    added = f"SELECT name, street, city, postcode, is_default {where} AND label = {literal(label)}"
    return Draft(
        f"I am moving. Add the address {street}, {postcode} {city} to my account, in my own name ({name}) and with the"
        f" label “{label}”, and make it my default. Then delete the address called {old['label']}.",
        user=login,
        checks=[
            Check(added, [[name, street, city, postcode, 1]], "the new address is the default"),
            Check(f"SELECT count(*) {where} AND is_default", [[1]], "one address is the default"),
            Check(f"SELECT count(*) FROM address WHERE id = {old['id']}", [[0]], "the old address is deleted"),
            Check(f"SELECT count(*) {where} AND label = {literal(label)}", [[1]], "the address is added", True),
            Check(f"SELECT count(*) FROM address WHERE id = {old['id']}", [[0]], "the old address is gone", True),
        ],
        touched={"address": [1, 1, 1]},
        walkthrough=[
            ["click", "link", "Account"],
            ["click", "link", "Addresses"],
            ["click", "link", "Add an address"],
            *drawing.address_steps(new),
            ["click", "checkbox", "Make this my default address"],
            ["click", "button", "Save address"],
            ["click", "button", "Delete", {"within": f"{old['label']} {old['name']}"}],
        ],
    )


def write_review(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Review a product that was bought."""
    row = _own_item(
        db,
        rng,
        "o.status = 'Delivered' AND NOT EXISTS"
        " (SELECT 1 FROM review r WHERE r.login = o.login AND r.product_id = i.product_id)",
    )
    stars, title, body = rng.randrange(1, 6), rng.choice(_TITLES), rng.choice(_BODIES)
    sql = f"SELECT stars, title, body FROM review WHERE login = {literal(row['login'])} AND product_id ="
    sql += f" {row['product_id']}"
    plural = "star" if stars == 1 else "stars"
    return Draft(
        f"Write a review of the item that I got with order {row['number']} and that is called {row['title']}: {stars}"
        f" {plural}, with the title “{title}” and the text “{body}”",
        user=row["login"],
        checks=[
            Check(sql, [[stars, title, body]], "the review is written"),
            Check(sql.replace("stars, title, body", "count(*)"), [[1]], "there is a review", True),
        ],
        touched={"review": [1, 0, 0]},
        walkthrough=[
            *drawing.order_steps(db, row),
            ["click", "link", row["title"]],
            ["click", "radio", f"{stars} {plural}"],
            ["fill", "textbox", "Title", title],
            ["fill", "textbox", "Review", body],
            ["click", "button", "Send review"],
        ],
    )


def edit_review(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change the stars and the title of an own review, and keep its text."""
    login = drawing.member(db, rng)
    sql = "SELECT r.*, p.title AS product FROM review r JOIN product p ON p.id = r.product_id WHERE r.login = ?"
    row = pick(db, rng, sql, login)
    stars = rng.choice([number for number in range(1, 6) if number != row["stars"]])
    title = rng.choice([title for title in _TITLES if title != row["title"]])
    wanted = {"stars": stars, "title": title, "body": row["body"]}
    return Draft(
        f"I have changed my mind about the {row['product']}. Change my review of it to {stars}"
        f" {'star' if stars == 1 else 'stars'} and the title “{title}”, but keep the text.",
        user=login,
        checks=[
            Check(f"SELECT stars, title, body FROM review WHERE id = {row['id']}", [list(wanted.values())], "review"),
            *row_comes("review", {"id": row["id"]}, wanted, {"stars": ["stars", "body"], "title": ["title", "body"]}),
        ],
        touched={"review": [0, 1, 0]},
        walkthrough=[
            ["click", "link", "Account"],
            ["click", "link", "Your reviews"],
            ["click", "link", "Edit review", {"within": row["product"]}],
            ["click", "radio", f"{stars} {'star' if stars == 1 else 'stars'}"],
            ["fill", "textbox", "Title", title],
            ["click", "button", "Save review"],
        ],
    )


def delete_bad_reviews(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Delete all own reviews with few stars."""
    login = drawing.member(db, rng)
    limit, year = rng.choice((1, 2, 3)), rng.choice(("2024", "2025", "2026"))
    sql = (
        "SELECT r.id, p.title FROM review r JOIN product p ON p.id = r.product_id WHERE r.login = ? AND stars <= ?"
        " AND written LIKE ? ORDER BY r.id"
    )
    rows = db.execute(sql, (login, limit, f"{year}%")).fetchall()
    if not 2 <= len(rows) <= 6:
        raise UnsuitableDraw("too few or too many")
    steps: list[Step] = [["click", "button", "Delete review", {"within": row["title"]}] for row in rows]
    said = "only 1 star" if limit == 1 else f"{limit} stars or fewer"
    where = f"FROM review WHERE login = {literal(login)} AND stars <= {limit} AND written LIKE '{year}%'"
    return Draft(
        f"I was too harsh. Delete all of my reviews from {year} in which I gave {said}, and no others.",
        user=login,
        checks=[
            Check(f"SELECT count(*) {where}", [[0]], "no such review is left"),
            *[Check(f"SELECT count(*) FROM review WHERE id = {row['id']}", [[0]], "deleted", True) for row in rows],
        ],
        touched={"review": [0, 0, len(rows)]},
        walkthrough=[["click", "link", "Account"], ["click", "link", "Your reviews"], *steps],
    )


def save_filtered(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Save every product of a brand that is well rated and not too expensive."""
    login = drawing.member(db, rng)
    target = drawing.product_in_stock(db, rng)
    rating, limit = rng.choice((4, 4.5)), (target["price"] // 1000 + rng.randrange(1, 5)) * 1000
    rows = db.execute(
        "SELECT p.id, p.title, w.login FROM product p JOIN shelf s ON s.product_id = p.id LEFT JOIN saved_item w ON"
        " w.product_id = p.id AND w.login = ? WHERE p.kind_id = ? AND p.brand = ? AND s.rating >= ? AND p.price <= ?"
        " ORDER BY p.id",
        (login, target["kind_id"], target["brand"], rating, limit),
    ).fetchall()
    new = [row for row in rows if row["login"] is None]
    if not 2 <= len(new) <= 5 or len(rows) != len(new):
        raise UnsuitableDraw("too few or too many")
    steps: list[Step] = []
    for row in new:
        steps += [*drawing.find_steps(row["title"]), ["click", "button", "Save for later"]]
    numbers = ", ".join(str(row["id"]) for row in new)
    sql = f"SELECT product_id FROM saved_item WHERE login = {literal(login)} AND product_id"
    return Draft(
        f"Save for later all products by {target['brand']} in {target['kind']} that are rated {rating} or better and"
        f" cost at most {drawing.dollars(limit)}.",
        user=login,
        checks=[
            Check(f"{sql} IN ({numbers})", [[row["id"]] for row in new], "all of them are saved"),
            *[Check(f"{sql} = {row['id']}", [[row["id"]]], "saved", True) for row in new],
        ],
        touched={"saved_item": [len(new), 0, 0]},
        walkthrough=[
            ["click", "link", target["kind"]],
            ["select", "combobox", "Brand", target["brand"]],
            ["select", "combobox", "Rating", f"{rating} and up"],
            ["fill", "textbox", "Price to", str(limit // 100)],
            ["click", "button", "Apply filters"],
            *steps,
        ],
    )


def clear_saved(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Take everything above a price off the saved items."""
    login = drawing.member(db, rng)
    sql = "SELECT p.id, p.title, p.price FROM saved_item w JOIN product p ON p.id = w.product_id WHERE login = ?"
    rows = db.execute(f"{sql} ORDER BY p.price", (login,)).fetchall()
    count = rng.randrange(2, 5)
    limit = (rows[-count - 1]["price"] // 500 + 1) * 500
    gone = [row for row in rows if row["price"] > limit]
    if not 2 <= len(gone) <= 5 or any(row["price"] == limit for row in rows):
        raise UnsuitableDraw("too few or too many")
    kept = [[row["id"]] for row in rows if row["price"] <= limit]
    where = f"FROM saved_item WHERE login = {literal(login)}"
    return Draft(
        f"My list of saved items is too long. Take everything off it that costs more than {drawing.dollars(limit)}.",
        user=login,
        checks=[
            Check(f"SELECT product_id {where}", kept, "the list holds what should stay"),
            *[Check(f"SELECT count(*) {where} AND product_id = {row['id']}", [[0]], "gone", True) for row in gone],
        ],
        touched={"saved_item": [0, 0, len(gone)]},
        walkthrough=[
            ["click", "link", "Saved items"],
            *[["click", "button", "Remove", {"within": row["title"]}] for row in gone],
        ],
    )


def change_profile(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Change the phone number, the newsletter and the text messages."""
    login = drawing.member(db, rng)
    row = db.execute("SELECT * FROM customer WHERE login = ?", (login,)).fetchone()
    phone = f"0{rng.randrange(20, 99)} {rng.randrange(100, 999)} {rng.randrange(1000, 9999)}"
    letter = rng.choice([name for name in NEWSLETTERS if name != row["newsletter"]])
    texts = int(not row["texts"])
    wanted = {"phone": phone, "newsletter": letter, "texts": texts}
    said = {
        "Never": "no newsletter any more",
        "Weekly": "the newsletter every week",
        "Monthly": "the newsletter once a month",
    }
    sql = f"SELECT name, email, phone, newsletter, texts FROM customer WHERE login = {literal(login)}"
    return Draft(
        f"Update my profile: my new phone number is {phone}, I want {said[letter]}, and"
        f" {'please send' if texts else 'please do not send'} me text messages about deliveries.",
        user=login,
        checks=[
            Check(sql, [[row["name"], row["email"], phone, letter, texts]], "the profile is as asked"),
            *row_comes("customer", {"login": login}, wanted, {column: [column] for column in wanted}),
        ],
        touched={"customer": [0, 1, 0]},
        walkthrough=[
            ["click", "link", "Account"],
            ["fill", "textbox", "Phone", phone],
            ["select", "combobox", "Newsletter", letter],
            ["click", "checkbox", "Text messages about deliveries"],
            ["click", "button", "Save profile"],
        ],
    )


def write_message(db: sqlite3.Connection, rng: random.Random) -> Draft:
    """Write to the shop about an order."""
    row = _own_item(db, rng, "o.status IN ('Shipped', 'Processing', 'Delivered') AND o.placed > '2025-11'")
    topic, text = rng.choice(TOPICS), rng.choice(_QUESTIONS)
    wanted = {"order_number": row["number"], "text": text}
    sql = f"SELECT topic, order_number, text FROM message WHERE login = {literal(row['login'])}"
    return Draft(
        f"Send the shop a message about the order in which I bought the {row['title']}, with its"
        " order number. The topic"
        f" is “{topic}”, and the text: “{text}”",
        user=row["login"],
        checks=[
            Check(sql, [[topic, row["number"], text]], "the message is sent"),
            *row_comes("message", {"login": row["login"]}, wanted, {"order": ["order_number"], "text": ["text"]}),
        ],
        touched={"message": [1, 0, 0]},
        walkthrough=[
            *drawing.order_steps(db, row),
            ["click", "link", "Contact us about this order"],
            ["select", "combobox", "Topic", topic],
            ["fill", "textbox", "Message", text],
            ["click", "button", "Send message"],
        ],
    )


TEMPLATES = (
    Template("cancel_order", "seen", cancel_order),
    Template("move_order", "unseen", move_order),
    Template("return_item", "seen", return_item),
    Template("add_address", "seen", add_address),
    Template("write_review", "seen", write_review),
    Template("edit_review", "seen", edit_review),
    Template("delete_bad_reviews", "unseen", delete_bad_reviews),
    Template("save_filtered", "seen", save_filtered),
    Template("clear_saved", "seen", clear_saved),
    Template("change_profile", "seen", change_profile),
    Template("write_message", "seen", write_message),
)
