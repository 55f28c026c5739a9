"""Orders: the list, one order, cancelling, another address, ordering again and returns."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response

from agentgym_web.sites.core.page import Visit, needs_login
from agentgym_web.sites.core.paging import Pager, page_number
from agentgym_web.sites.shop.cart import put_into_cart
from agentgym_web.sites.shop.data import RETURN_DAYS
from agentgym_web.sites.shop.phrases import RETURN_REASONS

PAGE_SIZE = 8
STATUSES = ("Processing", "Shipped", "Delivered", "Cancelled")
WANTED = ("Refund", "Exchange", "Store credit")
MAX_COMMENT = 500


@needs_login
def order_list(visit: Visit) -> Response:
    """The visitor's orders, newest first."""
    status, year = visit.query.get("status", ""), visit.query.get("year", "")
    where, values = "login = ?", [visit.user]
    if status in STATUSES:
        where, values = where + " AND status = ?", [*values, status]
    if year in ("2025", "2026"):
        where, values = where + " AND placed LIKE ?", [*values, f"{year}%"]
    total = visit.db.execute(f"SELECT count(*) FROM orders WHERE {where}", values).fetchone()[0]  # noqa: S608
    pager = Pager(total, page_number(visit.query), PAGE_SIZE, dict(visit.query))
    pieces = "(SELECT sum(quantity) FROM order_item i WHERE i.order_id = o.id) AS pieces"
    sql = f"SELECT o.*, {pieces} FROM orders o WHERE {where} ORDER BY placed DESC, id DESC LIMIT ? OFFSET ?"  # noqa: S608
    orders = visit.db.execute(sql, (*values, pager.size, pager.offset)).fetchall()
    return visit.render("orders.html", orders=orders, pager=pager, wanted=status, year=year, statuses=STATUSES)


def _find(visit: Visit) -> sqlite3.Row | Response:
    order: sqlite3.Row | None = visit.db.execute(
        "SELECT * FROM orders WHERE number = ?", (visit.path["number"],)
    ).fetchone()
    if order is None:
        return visit.not_found("There is no such order.")
    return order if order["login"] == visit.user else visit.forbidden("This is not your order.")


def _items(db: sqlite3.Connection, order: int) -> list[sqlite3.Row]:
    return db.execute(
        "SELECT i.*, p.title, r.status AS returned, r.wanted FROM order_item i JOIN product p ON p.id = i.product_id"
        " LEFT JOIN goods_return r ON r.item_id = i.id WHERE i.order_id = ? ORDER BY i.id",
        (order,),
    ).fetchall()


def _may_return(visit: Visit, order: sqlite3.Row) -> bool:
    if order["status"] != "Delivered" or not order["delivered"]:
        return False
    return visit.now.date() <= date.fromisoformat(order["delivered"]) + timedelta(days=RETURN_DAYS)


@needs_login
def order_page(visit: Visit) -> Response:
    """One order."""
    order = _find(visit)
    if isinstance(order, Response):
        return order
    addresses = visit.db.execute("SELECT * FROM address WHERE login = ? ORDER BY id", (visit.user,)).fetchall()
    return visit.render(
        "order.html",
        order=order,
        items=_items(visit.db, order["id"]),
        addresses=addresses,
        may_return=_may_return(visit, order),
    )


@needs_login
def cancel(visit: Visit) -> Response:
    """Cancel an order that is not on its way yet."""
    order = _find(visit)
    if isinstance(order, Response):
        return order
    if order["status"] != "Processing":
        return visit.forbidden(f"An order that is {order['status'].lower()} cannot be cancelled.")
    visit.db.execute("UPDATE orders SET status = 'Cancelled' WHERE id = ?", (order["id"],))
    visit.flash(f"Order {order['number']} has been cancelled.")
    return visit.redirect(f"/orders/{order['number']}")


@needs_login
def readdress(visit: Visit) -> Response:
    """Send an order that is not on its way yet to another address of the customer."""
    order = _find(visit)
    if isinstance(order, Response):
        return order
    if order["status"] != "Processing":
        return visit.forbidden("The address can only be changed while the order is processing.")
    sql = "SELECT * FROM address WHERE login = ? AND CAST(id AS TEXT) = ?"
    address = visit.db.execute(sql, (visit.user, visit.text("address"))).fetchone()
    if address is None:
        return visit.not_found("There is no such address.")
    visit.db.execute(
        "UPDATE orders SET to_name = ?, to_street = ?, to_city = ?, to_postcode = ? WHERE id = ?",
        (address["name"], address["street"], address["city"], address["postcode"], order["id"]),
    )
    visit.flash("The address of this order has been changed.")
    return visit.redirect(f"/orders/{order['number']}")


@needs_login
def order_again(visit: Visit) -> Response:
    """Put everything of an order into the cart."""
    order = _find(visit)
    if isinstance(order, Response):
        return order
    for item in _items(visit.db, order["id"]):
        put_into_cart(visit, item["product_id"], item["options"], item["quantity"])
    visit.flash(f"The items of order {order['number']} are in your cart.")
    return visit.redirect("/cart")


@needs_login
def return_page(visit: Visit) -> Response:
    """The form by which an item is returned."""
    return _return(visit, None)


@needs_login
def ask_return(visit: Visit) -> Response:
    """Ask for the return of an item."""
    problems: dict[str, str] = {}
    if visit.text("reason") not in RETURN_REASONS:
        problems["reason"] = "Choose a reason."
    if visit.text("wanted") not in WANTED:
        problems["wanted"] = "Choose what you would like."
    if len(visit.text("comment")) > MAX_COMMENT:
        problems["comment"] = f"The comment has more than {MAX_COMMENT} characters."
    return _return(visit, problems)


def _return(visit: Visit, problems: dict[str, str] | None) -> Response:
    order = _find(visit)
    if isinstance(order, Response):
        return order
    item = next((item for item in _items(visit.db, order["id"]) if item["id"] == visit.path["item"]), None)
    if item is None:
        return visit.not_found("This is not part of the order.")
    if item["returned"]:
        return visit.forbidden("A return of this item has already been asked for.")
    if not _may_return(visit, order):
        return visit.forbidden(f"Items can be returned for {RETURN_DAYS} days after the delivery.")
    chosen: dict[str, Any] = {name: visit.text(name) for name in ("reason", "wanted", "comment")}
    if problems is None or problems:
        status = 422 if problems else 200
        values = {"order": order, "item": item, "problems": problems or {}, "chosen": chosen}
        return visit.render("return.html", status=status, reasons=RETURN_REASONS, wanted=WANTED, **values)
    visit.db.execute(
        "INSERT INTO goods_return (item_id, reason, wanted, comment, asked, status)"
        " VALUES (?, ?, ?, ?, ?, 'Requested')",
        (item["id"], chosen["reason"], chosen["wanted"], chosen["comment"], visit.stamp[:10]),
    )
    visit.flash("Your return has been registered.")
    return visit.redirect(f"/orders/{order['number']}")
