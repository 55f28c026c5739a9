"""The cart and the checkout."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login
from agentgym_web.sites.shop.data import options_text
from agentgym_web.sites.shop.prices import Coupon, Method, Totals, problem_of, totals
from agentgym_web.sites.shop.products import show_product

MAX_QUANTITY = 20
MAX_NOTE = 200


@dataclass(frozen=True)
class Cart:
    """What a customer's cart holds."""

    rows: list[sqlite3.Row]
    coupon: Coupon | None
    """The coupon that was entered, as long as the cart still meets its conditions."""
    note: str
    """Why the coupon that was entered does not count; "" if it does."""

    @property
    def lines(self) -> list[tuple[int, str]]:
        """Values and departments of the lines."""
        return [(row["price"] * row["quantity"], row["department"]) for row in self.rows]

    def totals(self, method: Method) -> Totals:
        """The sums with a way of shipping."""
        return totals(self.lines, method, self.coupon)


def read_cart(visit: Visit) -> Cart:
    """The visitor's cart."""
    rows = visit.db.execute(
        "SELECT c.id, c.product_id, c.options, c.quantity, p.title, p.price, k.department, s.stock FROM cart_item c"
        " JOIN product p ON p.id = c.product_id JOIN kind k ON k.id = p.kind_id JOIN shelf s ON s.product_id = p.id"
        " WHERE c.login = ? ORDER BY c.id",
        (visit.user,),
    ).fetchall()
    code = visit.db.execute("SELECT coupon FROM basket WHERE login = ?", (visit.user,)).fetchone()["coupon"]
    coupon = find_coupon(visit.db, code) if code else None
    lines = [(row["price"] * row["quantity"], row["department"]) for row in rows]
    problem = problem_of(lines, coupon, visit.stamp[:10]) if coupon else None
    return Cart(rows, None if problem else coupon, problem or "")


def find_coupon(db: sqlite3.Connection, code: str) -> Coupon | None:
    """The coupon of a code, whatever its case; None if there is none."""
    row = db.execute("SELECT * FROM coupon WHERE code = ?", (code.upper(),)).fetchone()
    return Coupon(*row) if row else None


def methods(db: sqlite3.Connection) -> list[Method]:
    """The ways of shipping."""
    return [Method(*row) for row in db.execute("SELECT * FROM shipping ORDER BY price DESC")]


@needs_login
def cart_page(visit: Visit) -> Response:
    """The cart with its sums."""
    return _show_cart(visit)


def _show_cart(visit: Visit, problem: str = "", typed: str = "", status: int = 200) -> Response:
    cart = read_cart(visit)
    standard = next(method for method in methods(visit.db) if method.name == "Standard")
    return visit.render("cart.html", status=status, cart=cart, sums=cart.totals(standard), problem=problem, typed=typed)


@needs_login
def add_to_cart(visit: Visit) -> Response:
    """Put a product with its options into the cart."""
    number = visit.path["id"]
    shelf = visit.db.execute("SELECT stock FROM shelf WHERE product_id = ?", (number,)).fetchone()
    if shelf is None:
        return visit.not_found("There is no such product.")
    options: dict[str, str] = {}
    names = [
        row[0]
        for row in visit.db.execute("SELECT DISTINCT name FROM choice WHERE product_id = ? ORDER BY id", (number,))
    ]
    for name in names:
        value = visit.text(f"option-{name}")
        sql = "SELECT in_stock FROM choice WHERE product_id = ? AND name = ? AND value = ?"
        choice = visit.db.execute(sql, (number, name, value)).fetchone()
        if choice is None:
            return show_product(visit, number, f"Please choose: {name}.", 422)
        if not choice["in_stock"]:
            return show_product(visit, number, f"{name} {value} is sold out.", 422)
        options[name] = value
    quantity = read_quantity(visit.text("quantity", "1"))
    if quantity is None:
        return show_product(visit, number, f"The quantity must be a number from 1 to {MAX_QUANTITY}.", 422)
    if quantity > shelf["stock"]:
        return show_product(visit, number, f"Only {shelf['stock']} left in stock.", 422)
    put_into_cart(visit, number, options_text(options), quantity)
    visit.flash("Added to your cart.")
    return visit.redirect("/cart")


def put_into_cart(visit: Visit, product: int, options: str, quantity: int) -> None:
    """Add to the visitor's cart; the same product with the same options is one line."""
    visit.db.execute(
        "INSERT INTO cart_item (login, product_id, options, quantity) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET quantity = min(quantity + excluded.quantity, ?)",
        (visit.user, product, options, quantity, MAX_QUANTITY),
    )


def read_quantity(text: str) -> int | None:
    """A quantity that was typed; None if it is none that can be ordered."""
    is_number = text.isascii() and text.isdigit() and len(text) <= 3
    return int(text) if is_number and 1 <= int(text) <= MAX_QUANTITY else None


@needs_login
def change_item(visit: Visit) -> Response:
    """Change the quantity of a line, remove it, or move it to the saved items."""
    item = visit.db.execute("SELECT * FROM cart_item WHERE id = ?", (visit.path["id"],)).fetchone()
    if item is None:
        return visit.not_found("This is not in a cart.")
    if item["login"] != visit.user:
        return visit.forbidden()
    act = visit.text("act")
    if act == "update":
        quantity = read_quantity(visit.text("quantity"))
        if quantity is None:
            return _show_cart(visit, f"The quantity must be a number from 1 to {MAX_QUANTITY}.", status=422)
        visit.db.execute("UPDATE cart_item SET quantity = ? WHERE id = ?", (quantity, item["id"]))
        visit.flash("Quantity changed.")
        return visit.redirect("/cart")
    visit.db.execute("DELETE FROM cart_item WHERE id = ?", (item["id"],))
    if act == "save":
        visit.db.execute("INSERT OR IGNORE INTO saved_item VALUES (?, ?)", (visit.user, item["product_id"]))
    visit.flash("Moved to your saved items." if act == "save" else "Removed from your cart.")
    return visit.redirect("/cart")


@needs_login
def set_coupon(visit: Visit) -> Response:
    """Enter a coupon, or remove it."""
    code = visit.text("code")
    if visit.text("act") == "remove":
        visit.db.execute("UPDATE basket SET coupon = NULL WHERE login = ?", (visit.user,))
        visit.flash("Coupon removed.")
        return visit.redirect("/cart")
    coupon = find_coupon(visit.db, code)
    if coupon is None:
        return _show_cart(visit, f"There is no coupon {code!r}." if code else "Type a coupon code.", code, 422)
    problem = problem_of(read_cart(visit).lines, coupon, visit.stamp[:10])
    if problem:
        return _show_cart(visit, problem, code, 422)
    visit.db.execute("UPDATE basket SET coupon = ? WHERE login = ?", (coupon.code, visit.user))
    visit.flash(f"Coupon {coupon.code} applied.")
    return visit.redirect("/cart")


@needs_login
def checkout_page(visit: Visit) -> Response:
    """Where the order goes, how it is sent and who pays."""
    return _show_checkout(visit, {})


def _show_checkout(visit: Visit, problems: dict[str, str]) -> Response:
    cart = read_cart(visit)
    if not cart.rows:
        visit.flash("Your cart is empty.")
        return visit.redirect("/cart")
    return visit.render(
        "checkout.html",
        status=422 if problems else 200,
        cart=cart,
        problems=problems,
        addresses=_own(visit, "address"),
        cards=_own(visit, "card"),
        methods=[(method, cart.totals(method)) for method in methods(visit.db)],
        chosen={name: visit.text(name) for name in ("address", "card", "shipping", "note")},
    )


def _own(visit: Visit, table: str) -> list[sqlite3.Row]:
    return visit.db.execute(f"SELECT * FROM {table} WHERE login = ? ORDER BY id", (visit.user,)).fetchall()  # noqa: S608


@needs_login
def place_order(visit: Visit) -> Response:
    """Turn the cart into an order."""
    cart = read_cart(visit)
    address = _one(_own(visit, "address"), visit.text("address"))
    card = _one(_own(visit, "card"), visit.text("card"))
    method = next((method for method in methods(visit.db) if method.name == visit.text("shipping")), None)
    problems = {}
    if address is None:
        problems["address"] = "Choose an address."
    if card is None:
        problems["card"] = "Choose a card."
    if method is None:
        problems["shipping"] = "Choose a way of shipping."
    if len(visit.text("note")) > MAX_NOTE:
        problems["note"] = f"The note has more than {MAX_NOTE} characters."
    short = next((row["title"] for row in cart.rows if row["quantity"] > row["stock"]), None)
    if short:
        problems["stock"] = f"There is not enough of {short} in stock."
    if problems or not cart.rows or address is None or card is None or method is None:
        return _show_checkout(visit, problems)
    number = _write_order(visit, cart, address, card, method)
    visit.flash(f"Thank you. Your order {number} has been placed.")
    return visit.redirect(f"/orders/{number}")


def _one(rows: list[sqlite3.Row], number: str) -> sqlite3.Row | None:
    return next((row for row in rows if str(row["id"]) == number), None)


def _write_order(visit: Visit, cart: Cart, address: sqlite3.Row, card: sqlite3.Row, method: Method) -> str:
    db, sums = visit.db, cart.totals(method)
    last = db.execute("SELECT max(id) FROM orders").fetchone()[0]
    number = f"L-{10_000 + (last + 1) * 37}"
    row: dict[str, Any] = {
        "number": number,
        "login": visit.user,
        "placed": visit.stamp,
        "status": "Processing",
        **{f"to_{name}": address[name] for name in ("name", "street", "city", "postcode")},
        "shipping": method.name,
        "card": f"{card['brand']} ending in {card['last4']}",
        "coupon": cart.coupon.code if cart.coupon else None,
        "gift_note": visit.text("note"),
        "goods": sums.goods,
        "discount": sums.discount,
        "shipping_cost": sums.shipping,
        "total": sums.total,
    }
    marks = ", ".join("?" * len(row))
    order = db.execute(f"INSERT INTO orders ({', '.join(row)}) VALUES ({marks})", [*row.values()]).lastrowid  # noqa: S608
    for item in cart.rows:
        db.execute(
            "INSERT INTO order_item (order_id, product_id, options, quantity, price) VALUES (?, ?, ?, ?, ?)",
            (order, item["product_id"], item["options"], item["quantity"], item["price"]),
        )
        db.execute("UPDATE shelf SET stock = stock - ? WHERE product_id = ?", (item["quantity"], item["product_id"]))
    db.execute("DELETE FROM cart_item WHERE login = ?", (visit.user,))
    db.execute("UPDATE basket SET coupon = NULL WHERE login = ?", (visit.user,))
    return number
