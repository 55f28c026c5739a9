"""The account: profile, addresses, cards, saved items, own reviews and messages to the shop."""

from __future__ import annotations

import re
import sqlite3

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login
from agentgym_web.sites.shop.products import show_product

ADDRESS_FIELDS = {"label": "Label", "name": "Full name", "street": "Street", "city": "City", "postcode": "Postcode"}
NEWSLETTERS = ("Never", "Weekly", "Monthly")
TOPICS = ("Delivery", "Product question", "Payment", "Return or refund", "Something else")
_MAX = 80
_MAX_TEXT = 2000


@needs_login
def profile_page(visit: Visit) -> Response:
    """Name, e-mail, phone and what the shop may send."""
    customer = visit.db.execute("SELECT * FROM customer WHERE login = ?", (visit.user,)).fetchone()
    return visit.render("profile.html", values=dict(customer), problems={}, newsletters=NEWSLETTERS)


@needs_login
def save_profile(visit: Visit) -> Response:
    """Change the profile."""
    values = {name: visit.text(name) for name in ("name", "email", "phone", "newsletter")}
    problems = {}
    if not 2 <= len(values["name"]) <= _MAX:
        problems["name"] = "Type your full name."
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", values["email"]) or len(values["email"]) > _MAX:
        problems["email"] = "Type an e-mail address, such as name@postbox.test."
    if not re.fullmatch(r"\+?[\d ]{6,20}", values["phone"]):
        problems["phone"] = "A phone number has 6 to 20 digits and spaces."
    if values["newsletter"] not in NEWSLETTERS:
        problems["newsletter"] = "Choose one of the list."
    if problems:
        shown = {**values, "texts": bool(visit.text("texts")), "login": visit.user}
        return visit.render("profile.html", status=422, values=shown, problems=problems, newsletters=NEWSLETTERS)
    visit.db.execute(
        "UPDATE customer SET name = ?, email = ?, phone = ?, newsletter = ?, texts = ? WHERE login = ?",
        (*values.values(), int(bool(visit.text("texts"))), visit.user),
    )
    visit.flash("Your profile has been saved.")
    return visit.redirect("/account")


@needs_login
def addresses(visit: Visit) -> Response:
    """The addresses."""
    rows = visit.db.execute("SELECT * FROM address WHERE login = ? ORDER BY id", (visit.user,)).fetchall()
    return visit.render("addresses.html", addresses=rows)


@needs_login
def address_page(visit: Visit) -> Response:
    """The form of an address, new or known."""
    address = _own(visit, "address")
    if isinstance(address, Response):
        return address
    values = dict(address) if address else {**dict.fromkeys(ADDRESS_FIELDS, ""), "is_default": False}
    return visit.render("address.html", values=values, problems={}, fields=ADDRESS_FIELDS, is_new=address is None)


@needs_login
def save_address(visit: Visit) -> Response:
    """Write an address, new or known."""
    address = _own(visit, "address")
    if isinstance(address, Response):
        return address
    values = {name: visit.text(name) for name in ADDRESS_FIELDS}
    problems = {name: f"Type the {label.lower()}." for name, label in ADDRESS_FIELDS.items() if not values[name]}
    problems |= {name: "This is too long." for name, value in values.items() if len(value) > _MAX}
    if not re.fullmatch(r"\d{5}", values["postcode"]):
        problems["postcode"] = "A postcode has five digits."
    if problems:
        shown = {**values, "is_default": bool(visit.text("is_default")) or bool(address and address["is_default"])}
        return visit.render(
            "address.html", status=422, values=shown, problems=problems, fields=ADDRESS_FIELDS, is_new=address is None
        )
    if address:
        sql = "UPDATE address SET label = ?, name = ?, street = ?, city = ?, postcode = ? WHERE id = ?"
        visit.db.execute(sql, (*values.values(), address["id"]))
        number = address["id"]
    else:
        sql = (
            "INSERT INTO address (label, name, street, city, postcode, login, is_default) VALUES (?, ?, ?, ?, ?, ?, 0)"
        )
        number = visit.db.execute(sql, (*values.values(), visit.user)).lastrowid
    if visit.text("is_default"):
        _make_default(visit, "address", number)
    visit.flash("The address has been saved.")
    return visit.redirect("/account/addresses")


def _own(visit: Visit, table: str) -> sqlite3.Row | Response | None:
    """The row that the path names, if it is the visitor's; None if the path names none."""
    number = visit.path.get("id")
    if number is None:
        return None
    row: sqlite3.Row | None = visit.db.execute(f"SELECT * FROM {table} WHERE id = ?", (number,)).fetchone()  # noqa: S608
    if row is None:
        return visit.not_found()
    return row if row["login"] == visit.user else visit.forbidden()


def _make_default(visit: Visit, table: str, number: int | None) -> None:
    visit.db.execute(f"UPDATE {table} SET is_default = (id = ?) WHERE login = ?", (number, visit.user))  # noqa: S608


def _change(visit: Visit, table: str, page: str, noun: str) -> Response:
    row = _own(visit, table)
    if row is None or isinstance(row, Response):
        return row or visit.not_found()
    if visit.text("act") == "default":
        _make_default(visit, table, row["id"])
        visit.flash(f"This {noun} is now your default {noun}.")
    elif row["is_default"]:
        return visit.forbidden(f"The default {noun} cannot be deleted. Make another {noun} the default first.")
    else:
        visit.db.execute(f"DELETE FROM {table} WHERE id = ?", (row["id"],))  # noqa: S608
        visit.flash(f"The {noun} has been deleted.")
    return visit.redirect(page)


@needs_login
def change_address(visit: Visit) -> Response:
    """Delete an address, or make it the default."""
    return _change(visit, "address", "/account/addresses", "address")


@needs_login
def cards(visit: Visit) -> Response:
    """The cards."""
    rows = visit.db.execute("SELECT * FROM card WHERE login = ? ORDER BY id", (visit.user,)).fetchall()
    return visit.render("cards.html", cards=rows)


@needs_login
def change_card(visit: Visit) -> Response:
    """Delete a card, or make it the default."""
    return _change(visit, "card", "/account/cards", "card")


@needs_login
def saved(visit: Visit) -> Response:
    """The saved items."""
    rows = visit.db.execute(
        "SELECT p.id, p.title, p.price, s.stock, s.rating, s.num_reviews, k.name AS kind FROM saved_item w"
        " JOIN product p ON p.id = w.product_id JOIN shelf s ON s.product_id = p.id JOIN kind k ON k.id = p.kind_id"
        " WHERE w.login = ? ORDER BY p.title",
        (visit.user,),
    ).fetchall()
    return visit.render("saved.html", items=rows)


@needs_login
def own_reviews(visit: Visit) -> Response:
    """The visitor's reviews."""
    rows = visit.db.execute(
        "SELECT r.*, p.title AS product FROM review r JOIN product p ON p.id = r.product_id WHERE r.login = ?"
        " ORDER BY r.written DESC, r.id DESC",
        (visit.user,),
    ).fetchall()
    return visit.render("reviews.html", reviews=rows)


@needs_login
def review_page(visit: Visit) -> Response:
    """The form by which a review is changed."""
    review = _own(visit, "review")
    if review is None or isinstance(review, Response):
        return review or visit.not_found()
    return visit.render("review.html", review=review, values=dict(review), problem="")


@needs_login
def write_review(visit: Visit) -> Response:
    """Write a review of a product; one for each customer."""
    product = visit.path["id"]
    if not visit.db.execute("SELECT 1 FROM product WHERE id = ?", (product,)).fetchone():
        return visit.not_found("There is no such product.")
    sql = "SELECT 1 FROM review WHERE product_id = ? AND login = ?"
    if visit.db.execute(sql, (product, visit.user)).fetchone():
        return show_product(visit, product, "You have already reviewed this product. You can change your review.", 422)
    problem, values = _read_review(visit)
    if problem:
        return show_product(visit, product, problem, 422)
    name = visit.db.execute("SELECT name FROM customer WHERE login = ?", (visit.user,)).fetchone()["name"]
    first, _, last = name.partition(" ")
    visit.db.execute(
        "INSERT INTO review (product_id, login, author, stars, title, body, written) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (product, visit.user, f"{first} {last[:1]}.", *values, visit.stamp[:10]),
    )
    _count_reviews(visit.db, product)
    visit.flash("Thank you for your review.")
    return visit.redirect(f"/product/{product}")


@needs_login
def change_review(visit: Visit) -> Response:
    """Change or delete a review."""
    review = _own(visit, "review")
    if review is None or isinstance(review, Response):
        return review or visit.not_found()
    if visit.text("act") == "delete":
        visit.db.execute("DELETE FROM review WHERE id = ?", (review["id"],))
        visit.flash("The review has been deleted.")
    else:
        problem, values = _read_review(visit)
        if problem:
            typed = dict(zip(("stars", "title", "body"), values, strict=True))
            return visit.render("review.html", status=422, review=review, values=typed, problem=problem)
        sql = "UPDATE review SET stars = ?, title = ?, body = ? WHERE id = ?"
        visit.db.execute(sql, (*values, review["id"]))
        visit.flash("The review has been saved.")
    _count_reviews(visit.db, review["product_id"])
    return visit.redirect("/reviews")


def _read_review(visit: Visit) -> tuple[str, tuple[int, str, str]]:
    stars, title, body = visit.text("stars"), visit.text("title"), visit.text("body")
    number = int(stars) if stars in ("1", "2", "3", "4", "5") else 0
    if not number:
        return "Choose 1 to 5 stars.", (number, title, body)
    if not title or len(title) > _MAX:
        return f"A review needs a title of at most {_MAX} characters.", (number, title, body)
    if not body or len(body) > _MAX_TEXT:
        return f"A review needs a text of at most {_MAX_TEXT} characters.", (number, title, body)
    return "", (number, title, body)


def _count_reviews(db: sqlite3.Connection, product: int) -> None:
    db.execute(
        "UPDATE shelf SET (rating, num_reviews) = (SELECT coalesce(round(avg(stars), 1), 0), count(*) FROM review"
        " WHERE product_id = ?) WHERE product_id = ?",
        (product, product),
    )


@needs_login
def contact_page(visit: Visit) -> Response:
    """The form by which customers write to the shop, and what they wrote."""
    values = {"topic": "", "order_number": visit.query.get("order", ""), "text": ""}
    return _show_contact(visit, values, {})


def _show_contact(visit: Visit, values: dict[str, str], problems: dict[str, str]) -> Response:
    sent = visit.db.execute("SELECT * FROM message WHERE login = ? ORDER BY id DESC", (visit.user,)).fetchall()
    status = 422 if problems else 200
    return visit.render("contact.html", status=status, values=values, problems=problems, topics=TOPICS, sent=sent)


@needs_login
def send_message(visit: Visit) -> Response:
    """Send a message to the shop."""
    values = {name: visit.text(name) for name in ("topic", "order_number", "text")}
    problems = {}
    if values["topic"] not in TOPICS:
        problems["topic"] = "Choose a topic."
    if not values["text"] or len(values["text"]) > _MAX_TEXT:
        problems["text"] = f"Type a text of at most {_MAX_TEXT} characters."
    sql = "SELECT 1 FROM orders WHERE number = ? AND login = ?"
    if values["order_number"] and not visit.db.execute(sql, (values["order_number"], visit.user)).fetchone():
        problems["order_number"] = "You have no order of this number."
    if problems:
        return _show_contact(visit, values, problems)
    sql = "INSERT INTO message (topic, order_number, text, login, sent) VALUES (?, ?, ?, ?, ?)"
    visit.db.execute(sql, (*values.values(), visit.user, visit.stamp))
    visit.flash("Your message has been sent.")
    return visit.redirect("/contact")
