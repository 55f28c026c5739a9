"""Requests at the shop: what each kind wants, and what the shop's rules leave of it."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Row

from agentgym_tools.desks.setting.days import TODAY
from benchmarks.verdicts.requests.desk_requests import Alternatives, Wished, wants
from benchmarks.verdicts.requests.effects import Effect

SHOP = "shop"


def _order(wished: Wished) -> Row:
    return wished.one("SELECT * FROM orders WHERE id = :order_id AND customer_id = :me")


def _lines(wished: Wished) -> list[Row]:
    return wished.rows("SELECT * FROM lines WHERE order_id = :order_id AND state = 'ordered'")


def _line_meant(wished: Wished) -> list[Row]:
    """The line with the item that the customer means by colour and product."""
    meant = "SELECT items.id FROM items JOIN products ON products.id = product_id WHERE colour || ' ' || name = :item"
    return wished.rows(f"SELECT * FROM lines WHERE order_id = :order_id AND state = 'ordered' AND item_id IN ({meant})")


def _costs_too_much(wished: Wished) -> bool:
    total = wished.one("SELECT sum(price) AS cents FROM lines WHERE order_id = :order_id")["cents"]
    return bool(total > wished.policy.staff_above_cents)


def _is_never_taken_back(wished: Wished, line: Row) -> bool:
    category = "SELECT category FROM items JOIN products ON products.id = product_id WHERE items.id = :item_id"
    return wished.one(category, item_id=line["item_id"])["category"] in wished.policy.final_sale


def _paid_in(wished: Wished, payment: str, cents: int) -> list[Effect]:
    """What is paid to a payment shows on a gift card alone."""
    rows = wished.rows("SELECT * FROM payments WHERE id = :payment_id AND kind = 'gift card'", payment_id=payment)
    return [wished.added("payments", row, balance=cents) for row in rows]


def _given_up(wished: Wished, lines: Sequence[Row], payment: str, fee: int, state: str) -> list[Effect]:
    """Lines in their new state, and what was paid for them, less a fee for each, back at a payment."""
    refunds = [
        wished.new(
            *("refunds",),
            order_id=line["order_id"],
            item_id=line["item_id"],
            payment_id=payment,
            amount=line["price"] - fee,
            fee=fee,
        )
        for line in lines
    ]
    back = _paid_in(wished, payment, sum(line["price"] - fee for line in lines))
    return [wished.put("lines", lines, state=state), *refunds, *back]


def _may_be_cancelled(wished: Wished, order: Row) -> bool:
    is_early = TODAY - order["placed"] <= wished.policy.cancel_days
    return order["state"] == "pending" and is_early and not _costs_too_much(wished)


@wants(SHOP, "cancel_order")
def cancel_order(wished: Wished) -> Alternatives:
    order = _order(wished)
    if _may_be_cancelled(wished, order) and wished["reason"] in wished.policy.cancel_reasons:
        gone = wished.set("orders", order, state="cancelled", cancel_reason=wished["reason"])
        yield [gone, *_given_up(wished, _lines(wished), order["payment_id"], 0, "cancelled")]


@wants(SHOP, "cancel_item")
def cancel_item(wished: Wished) -> Alternatives:
    order = _order(wished)
    for line in _line_meant(wished):
        if _may_be_cancelled(wished, order):
            yield _given_up(wished, [line], order["payment_id"], 0, "cancelled")


@wants(SHOP, "return_item")
def return_item(wished: Wished) -> Alternatives:
    order, policy = _order(wished), wished.policy
    if order["state"] != "delivered" or _costs_too_much(wished):
        return
    is_gold = wished.has("SELECT 1 FROM customers WHERE id = :me AND tier = 'gold'")
    days = policy.return_days + (policy.gold_bonus_days if is_gold else 0)
    to = wished.one("SELECT * FROM payments WHERE customer_id = :me AND kind = :refund_to")["id"]
    if TODAY - order["delivered"] > days or (policy.refunds_go_back and to != order["payment_id"]):
        return
    for line in _line_meant(wished):
        if not _is_never_taken_back(wished, line):
            yield _given_up(wished, [line], to, policy.return_fee_cents, "returned")


@wants(SHOP, "exchange_item")
def exchange_item(wished: Wished) -> Alternatives:
    """The order's payment settles the difference: the words name no other."""
    order = _order(wished)
    if order["state"] != "delivered" or TODAY - order["delivered"] > wished.policy.exchange_days:
        return
    for line in _line_meant(wished):
        others = wished.rows(
            "SELECT * FROM items WHERE stock > 0 AND product_id = (SELECT product_id FROM items WHERE id = :item_id) "
            "AND id NOT IN (SELECT item_id FROM lines WHERE order_id = :order_id)",
            item_id=line["item_id"],
        )
        for new in others:
            is_wished = new["colour"] == wished["colour"]
            if wished["colour"] == "the cheapest":
                is_wished = new["price"] == min(each["price"] for each in others)
            is_near = abs(new["price"] - line["price"]) <= wished.policy.max_difference_cents
            if is_wished and is_near and not _is_never_taken_back(wished, line):
                sent = wished.new("lines", order_id=order["id"], item_id=new["id"], price=new["price"], state="ordered")
                paid = _paid_in(wished, order["payment_id"], line["price"] - new["price"])
                yield [wished.set("lines", line, state="exchanged"), sent, wished.added("items", new, stock=-1), *paid]


@wants(SHOP, "change_address")
def change_address(wished: Wished) -> Alternatives:
    order = _order(wished)
    if order["state"] == "pending" and wished.policy.address_changes:
        address = {"street": wished["new_street"], "city": wished["new_city"], "zip": wished["new_zip"]}
        yield [wished.set("orders", order, **address)]


@wants(SHOP, "change_payment")
def change_payment(wished: Wished) -> Alternatives:
    order = _order(wished)
    to = wished.one("SELECT * FROM payments WHERE customer_id = :me AND kind = :payment")
    total = sum(line["price"] for line in _lines(wished))
    is_enough = to["kind"] != "gift card" or to["balance"] >= total
    if order["state"] == "pending" and wished.policy.payment_changes and is_enough:
        moved = [*_paid_in(wished, order["payment_id"], total), *_paid_in(wished, to["id"], -total)]
        yield [wished.set("orders", order, payment_id=to["id"]), *moved]


@wants(SHOP, "claim_voucher")
def claim_voucher(wished: Wished) -> Alternatives:
    order = _order(wished)
    is_late = order["delivered"] is not None and order["delivered"] - order["due"] >= wished.policy.late_days
    if is_late and not wished.has("SELECT 1 FROM vouchers WHERE order_id = :order_id"):
        given = {"order_id": order["id"], "customer_id": wished.me, "amount": wished.policy.voucher_cents}
        yield [wished.new("vouchers", **given)]


@wants(SHOP, "update_contact")
def update_contact(wished: Wished) -> Alternatives:
    if wished.policy.contact_changes in ("both", wished["field"]):
        customer = wished.one("SELECT * FROM customers WHERE id = :me")
        yield [wished.set("customers", customer, **{wished["field"]: wished["new_contact"]})]
