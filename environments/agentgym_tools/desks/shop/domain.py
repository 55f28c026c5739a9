"""The shop as a desk: who is a customer, what the policy says of a call, and what its tasks are like."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.shop.goals import KINDS
from agentgym_tools.desks.shop.policy import IDENTIFY, ShopPolicy
from agentgym_tools.desks.shop.tools import ShopTools
from agentgym_tools.desks.shop.words import SYNONYMS, TOLD
from agentgym_tools.desks.shop.world import SIZES, customer_key
from agentgym_tools.desks.templates import Template, depending
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Objector = Callable[[World, Any, Mapping[str, Any], ShopPolicy], list[str]]
"""Why a policy forbids a call that writes, of the call's order, or customer, and its arguments."""

_SMALL = frozenset({"change_address", "update_contact"})
_STAFF = frozenset({"high_value", "staff_contact"})


def _against_cancelling(world: World, order: Any, arguments: Mapping[str, Any], policy: ShopPolicy) -> list[str]:
    found = [] if order["state"] == "pending" else ["not_pending"]
    found += ["high_value"] if _total(world, order) > policy.staff_above_cents else []
    found += ["too_late"] if TODAY - order["placed"] > policy.cancel_days else []
    reason = arguments.get("reason")
    return found + (["reason_not_accepted"] if reason is not None and reason not in policy.cancel_reasons else [])


def _against_returning(world: World, order: Any, arguments: Mapping[str, Any], policy: ShopPolicy) -> list[str]:
    found = [] if order["state"] == "delivered" else ["not_delivered"]
    found += ["high_value"] if _total(world, order) > policy.staff_above_cents else []
    found += ["final_sale"] if _is_final(world, arguments["item_ids"], policy) else []
    tier = world.row("SELECT tier FROM customers WHERE id = ?", order["customer_id"])
    bonus = policy.gold_bonus_days if tier is not None and tier[0] == "gold" else 0
    found += ["too_late"] if _days_since_delivery(order) > policy.return_days + bonus else []
    is_elsewhere = arguments["refund_to"] != order["payment_id"]
    found += ["refund_method"] if policy.refunds_go_back and is_elsewhere else []
    return found + (["wrong_fee"] if arguments["fee_cents"] != policy.return_fee_cents else [])


def _against_exchanging(world: World, order: Any, arguments: Mapping[str, Any], policy: ShopPolicy) -> list[str]:
    old, new = (world.row("SELECT * FROM items WHERE id = ?", arguments[name]) for name in ("item_id", "new_item_id"))
    if old is None or new is None:
        return ["other_product"]
    found = [] if order["state"] == "delivered" else ["not_delivered"]
    found += ["final_sale"] if _is_final(world, [old["id"]], policy) else []
    found += ["too_late"] if _days_since_delivery(order) > policy.exchange_days else []
    found += ["other_product"] if old["product_id"] != new["product_id"] else []
    paid = world.row("SELECT price FROM lines WHERE order_id = ? AND item_id = ?", order["id"], old["id"])
    difference = abs((paid[0] if paid is not None else old["price"]) - new["price"])
    found += ["price_difference"] if difference > policy.max_difference_cents else []
    return found + (
        ["refund_method"] if arguments["payment_id"] != order["payment_id"] and policy.refunds_go_back else []
    )


def _against_new_address(world: World, order: Any, arguments: Mapping[str, Any], policy: ShopPolicy) -> list[str]:
    return ([] if order["state"] == "pending" else ["not_pending"]) + (
        [] if policy.address_changes else ["address_fixed"]
    )


def _against_new_payment(world: World, order: Any, arguments: Mapping[str, Any], policy: ShopPolicy) -> list[str]:
    return ([] if order["state"] == "pending" else ["not_pending"]) + (
        [] if policy.payment_changes else ["payment_fixed"]
    )


def _against_contact(world: World, customer: Any, arguments: Mapping[str, Any], policy: ShopPolicy) -> list[str]:
    return [] if policy.contact_changes in ("both", arguments["field"]) else ["staff_contact"]


def _against_voucher(world: World, order: Any, arguments: Mapping[str, Any], policy: ShopPolicy) -> list[str]:
    late = (order["delivered"] or TODAY) - order["due"]
    found = [] if late >= policy.late_days else ["not_late"]
    return found + ([] if arguments["amount_cents"] == policy.voucher_cents else ["wrong_amount"])


_OBJECTORS: Mapping[str, Objector] = {
    "cancel_order": _against_cancelling,
    "cancel_items": _against_cancelling,
    "return_items": _against_returning,
    "exchange_item": _against_exchanging,
    "change_address": _against_new_address,
    "change_payment": _against_new_payment,
    "update_contact": _against_contact,
    "issue_voucher": _against_voucher,
}


class Shop(Domain):
    """The desk of a shop."""

    name = "shop"
    title = "the customers of a shop"
    toolbox, policy, kinds, sizes, today = ShopTools, ShopPolicy, KINDS, SIZES, TODAY
    subjects = ("order_id",)
    told, synonyms = TOLD, SYNONYMS
    facts = {
        "name": "the name",
        "email": "the e-mail address",
        "phone": "the phone number",
        "zip_code": "the zip code",
        "order_id": "the order number",
        "reason": "the reason",
        "item": "the item",
        "refund_to": "what the money goes to",
        "colour": "the colour",
        "new_street": "the new house number and street",
        "new_city": "the new city",
        "new_zip": "the new zip code",
        "payment": "the way to pay",
        "field": "what is changed",
        "new_contact": "the new value",
        "state": "the state of the order",
        "total_cents": "what the order costs, in cents",
        "refund_cents": "what would be paid back, in cents",
        "balance_cents": "what the gift card holds, in cents",
    }
    reasons = {
        "not_pending": "the order is no longer pending",
        "not_delivered": "the order was not delivered",
        "too_late": "it is too late",
        "reason_not_accepted": "the reason is none that is accepted",
        "final_sale": "such items are not taken back",
        "refund_method": "a refund goes to the order's payment",
        "other_product": "it is another product",
        "price_difference": "the prices differ too much",
        "address_fixed": "addresses are not changed",
        "payment_fixed": "payments are not changed",
        "not_late": "the order was not late enough",
        "high_value": "the order costs too much for this desk",
        "staff_contact": "the staff changes this contact",
        "wrong_fee": "the fee is another one",
        "wrong_amount": "the amount is another one",
    }
    templates = (
        *(Template((kind,), "do") for kind in KINDS if not kind.startswith("ask_")),
        *(Template((kind,), "answer") for kind in KINDS if kind.startswith("ask_")),
        *(Template(("cancel_order",), "refuse", why) for why in ("not_pending", "too_late", "reason_not_accepted")),
        *(Template(("cancel_item",), "refuse", why) for why in ("not_pending", "too_late")),
        *(
            Template(("return_item",), "refuse", why)
            for why in ("not_delivered", "too_late", "final_sale", "refund_method")
        ),
        *(Template(("exchange_item",), "refuse", why) for why in ("too_late", "final_sale", "price_difference")),
        *(Template(("change_address",), "refuse", why) for why in ("not_pending", "address_fixed")),
        *(Template(("change_payment",), "refuse", why) for why in ("not_pending", "payment_fixed")),
        Template(("claim_voucher",), "refuse", "not_late"),
        *(Template((kind,), "transfer", "high_value") for kind in ("cancel_order", "return_item")),
        Template(("update_contact",), "transfer", "staff_contact"),
        *(Template(("ask_state", kind), "do") for kind in ("cancel_order", "return_item", "change_address")),
        Template(("update_contact", "exchange_item"), "do"),
        Template(("change_payment", "change_address", "ask_total"), "answer"),
        Template(("ask_total", "change_address", "return_item"), "refuse", "too_late"),
        *depending(("exchange_item", "return_item"), "refused", ("order_id", "item")),
        *depending(("change_address", "change_payment"), "done", ("order_id",)),
    )

    def draw_customer(self, rng: random.Random, world: World) -> str:
        """Some customer's key."""
        count = world.row("SELECT count(*) FROM customers")
        assert count is not None
        return customer_key(rng.randrange(count[0]))

    def profile(self, world: World, customer: str) -> dict[str, Value]:
        """Name, e-mail address, phone number and zip code."""
        row = world.row("SELECT * FROM customers WHERE id = ?", customer)
        assert row is not None
        return {"name": row["name"], "email": row["email"], "phone": row["phone"], "zip_code": row["zip"]}

    def identification(self, world: World, customer: str, policy: ShopPolicy) -> Call:
        """By what the policy says."""
        profile = self.profile(world, customer)
        needed = {"email": ("email",), "name": ("name", "zip_code"), "phone": ("phone", "zip_code")}
        tool, _ = IDENTIFY[policy.identify_by]
        return Call(tool, {name: profile[name] for name in needed[policy.identify_by]})

    def objections(self, world: World, call: Call, policy: ShopPolicy) -> list[str]:
        """What the rules say against a call."""
        if call.tool == "update_contact":
            return _against_contact(world, None, call.arguments, policy)
        order = world.row("SELECT * FROM orders WHERE id = ?", call.arguments["order_id"])
        return [] if order is None else _OBJECTORS[call.tool](world, order, call.arguments, policy)

    def owner(self, world: World, call: Call) -> str | None:
        """The customer of the order, or the one that is named."""
        if "customer_id" in call.arguments:
            return str(call.arguments["customer_id"])
        row = world.row("SELECT customer_id FROM orders WHERE id = ?", call.arguments["order_id"])
        return None if row is None else str(row[0])

    def needs_yes(self, tool: str, policy: ShopPolicy) -> bool:
        """Every change, or every one but the small ones."""
        return policy.asks_before_small_changes or tool not in _SMALL

    def is_for_staff(self, reason: str, policy: ShopPolicy) -> bool:
        """What costs much, and contacts that the desk may not change."""
        return reason in _STAFF


def _total(world: World, order: Any) -> int:
    row = world.row("SELECT sum(price) FROM lines WHERE order_id = ?", order["id"])
    assert row is not None
    return int(row[0])


def _is_final(world: World, items: Any, policy: ShopPolicy) -> bool:
    marks = ", ".join("?" * len(items))
    rows = world.rows(
        f"SELECT category FROM items JOIN products ON products.id = product_id WHERE items.id IN ({marks})",  # noqa: S608
        *items,
    )
    return any(row[0] in policy.final_sale for row in rows)


def _days_since_delivery(order: Any) -> int:
    return 0 if order["delivered"] is None else TODAY - int(order["delivered"])


SHOP = Shop()
