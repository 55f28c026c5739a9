"""What customers of the shop want."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.policy import Policy
from agentgym_tools.desks.shop.policy import CANCEL_REASONS, ShopPolicy
from agentgym_tools.desks.shop.world import CITIES, STREETS
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Facts = dict[str, Value]


def _orders(world: World, customer: str, *states: str) -> list[Any]:
    marks = ", ".join("?" * len(states))
    return world.rows(
        f"SELECT * FROM orders WHERE customer_id = ? AND state IN ({marks}) ORDER BY id",  # noqa: S608
        customer,
        *states,
    )


def _lines(world: World, order: str) -> list[Any]:
    return world.rows(
        "SELECT lines.*, name, category, colour, product_id FROM lines JOIN items ON items.id = item_id "
        "JOIN products ON products.id = product_id WHERE order_id = ? AND lines.state = 'ordered' ORDER BY item_id",
        order,
    )


def _all_orders(world: World) -> Sequence[Value]:
    return [row[0] for row in world.rows("SELECT id FROM orders ORDER BY id LIMIT 200")]


def _customer_of(world: World, order: Value) -> str:
    row = world.row("SELECT customer_id FROM orders WHERE id = ?", order)
    assert row is not None
    return str(row[0])


class OrderGoal(GoalKind):
    """A goal about an order, whose number the customer knows."""

    states: tuple[str, ...] = ("pending",)
    volunteered: tuple[str, ...] = ("order_id",)
    can_change = {"order_id": _all_orders}

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """An order in one of the states, and what else there is."""
        orders = _orders(world, customer, *self.states)
        if not orders:
            return None
        order = rng.choice(orders)
        more = self.draw_more(rng, world, order)
        return None if more is None else {"order_id": order["id"], **more}

    def draw_more(self, rng: random.Random, world: World, order: Any) -> Facts | None:
        """Further facts; None if the order does not do."""
        return {}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The order, and before it the customer's list where the number is not known."""
        order = goal.facts["order_id"]
        listed = (
            [Call("list_orders", {"customer_id": _customer_of(world, order)})] if "order_id" in goal.unknown else []
        )
        return [*listed, Call("get_order", {"order_id": order})]


class CancelOrder(OrderGoal):
    """Cancel an order."""

    name, phrase = "cancel_order", "cancel an order"
    states = ("pending", "pending", "shipped")

    def draw_more(self, rng: random.Random, world: World, order: Any) -> Facts | None:
        """A reason."""
        return {"reason": rng.choice(CANCEL_REASONS)}

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """The one call."""
        return [(Call("cancel_order", {"order_id": goal.facts["order_id"], "reason": goal.facts["reason"]}),)]


class ItemGoal(OrderGoal):
    """A goal about one item of an order; the customer names its product and colour, if not the order's number."""

    states: tuple[str, ...] = ("delivered",)
    volunteered: tuple[str, ...] = ("order_id", "item")
    can_lack = ("order_id",)

    def draw_more(self, rng: random.Random, world: World, order: Any) -> Facts | None:
        """One of the items."""
        lines = _lines(world, order["id"])
        if not lines:
            return None
        line = rng.choice(lines)
        more = self.draw_rest(rng, world, order, line)
        return None if more is None else {"item": f"{line['colour']} {line['name']}", **more}

    def draw_rest(self, rng: random.Random, world: World, order: Any, line: Any) -> Facts | None:
        """Further facts; None if the item does not do."""
        return {}

    @staticmethod
    def line(world: World, goal: Goal) -> Any:
        """The line of the order that the goal is about; None where it is no longer there."""
        lines = _lines(world, str(goal.facts["order_id"]))
        return next((line for line in lines if f"{line['colour']} {line['name']}" == goal.facts["item"]), None)


class CancelItem(ItemGoal):
    """Cancel one item of an order."""

    name, phrase = "cancel_item", "cancel one item of an order"
    states = ("pending", "pending", "shipped")
    can_reconsider = ("item",)

    def draw_rest(self, rng: random.Random, world: World, order: Any, line: Any) -> Facts | None:
        """Nothing more, if the order has other items."""
        return {} if len(_lines(world, order["id"])) > 1 else None

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """The one call."""
        line = self.line(world, goal)
        if line is None:
            return []
        return [(Call("cancel_items", {"order_id": goal.facts["order_id"], "item_ids": [line["item_id"]]}),)]


class ReturnItem(ItemGoal):
    """Return an item for a refund."""

    name, phrase = "return_item", "return an item"
    states = ("delivered", "shipped")
    can_reconsider = ("refund_to",)

    def draw_rest(self, rng: random.Random, world: World, order: Any, line: Any) -> Facts | None:
        """What the money goes back to."""
        return {"refund_to": rng.choice(_payments(world, order["customer_id"]))["kind"]}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The order and the ways to pay."""
        customer = _customer_of(world, goal.facts["order_id"])
        return [*super().reads(world, goal, policy), Call("list_payments", {"customer_id": customer})]

    def wanted(self, world: World, goal: Goal, policy: ShopPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the fee of the policy."""
        line = self.line(world, goal)
        if line is None:
            return []
        payments = _payments(world, _customer_of(world, goal.facts["order_id"]))
        to = next(row["id"] for row in payments if row["kind"] == goal.facts["refund_to"])
        call = Call(
            "return_items",
            {
                "order_id": goal.facts["order_id"],
                "item_ids": [line["item_id"]],
                "refund_to": to,
                "fee_cents": policy.return_fee_cents,
            },
        )
        return [(call,)]


class ExchangeItem(ItemGoal):
    """Exchange an item for another colour; or for whichever colour is cheapest, where several may be right."""

    name, phrase = "exchange_item", "exchange an item"
    volunteered = ("order_id", "item", "colour")
    can_reconsider = ("colour",)

    def draw_rest(self, rng: random.Random, world: World, order: Any, line: Any) -> Facts | None:
        """The colour that is wanted, among those in stock."""
        others = self._others(world, order["id"], line)
        if not others:
            return None
        return {"colour": "the cheapest" if rng.random() < 0.4 else rng.choice(others)["colour"]}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The order and the product."""
        line = self.line(world, goal)
        product = [Call("get_product", {"product_id": line["product_id"]})] if line is not None else []
        found = [Call("find_products", {"name": line["name"]})] if line is not None else []
        return [*super().reads(world, goal, policy), *found, *product]

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """Each item of the wanted colour, or each of the cheapest ones; the order's payment settles the difference."""
        line = self.line(world, goal)
        if line is None:
            return []
        others = self._others(world, str(goal.facts["order_id"]), line)
        if goal.facts["colour"] == "the cheapest":
            best = min((row["price"] for row in others), default=0)
            chosen = [row for row in others if row["price"] == best]
        else:
            chosen = [row for row in others if row["colour"] == goal.facts["colour"]]
        order = world.row("SELECT * FROM orders WHERE id = ?", goal.facts["order_id"])
        assert order is not None
        fixed = {"order_id": order["id"], "item_id": line["item_id"], "payment_id": order["payment_id"]}
        return [(Call("exchange_item", {**fixed, "new_item_id": row["id"]}),) for row in chosen]

    @staticmethod
    def _others(world: World, order: str, line: Any) -> list[Any]:
        return world.rows(
            "SELECT * FROM items WHERE product_id = ? AND stock > 0 AND id NOT IN "
            "(SELECT item_id FROM lines WHERE order_id = ?) ORDER BY id",
            line["product_id"],
            order,
        )


class ChangeAddress(OrderGoal):
    """Send an order to another address."""

    name, phrase = "change_address", "have an order sent to another address"
    states = ("pending", "pending", "shipped")
    can_reconsider = ("new_street",)

    def draw_more(self, rng: random.Random, world: World, order: Any) -> Facts | None:
        """The new address."""
        return {
            "new_street": f"{rng.randint(1, 99)} {rng.choice(STREETS)}",
            "new_city": rng.choice(CITIES),
            "new_zip": f"{rng.randint(10_000, 99_999)}",
        }

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """The one call."""
        new = {"street": "new_street", "city": "new_city", "zip_code": "new_zip"}
        address = {name: goal.facts[fact] for name, fact in new.items()}
        return [(Call("change_address", {"order_id": goal.facts["order_id"], **address}),)]


class ChangePayment(OrderGoal):
    """Pay an order in another way."""

    name, phrase = "change_payment", "pay for an order in another way"
    states = ("pending", "pending", "shipped")
    can_reconsider = ("payment",)

    def draw_more(self, rng: random.Random, world: World, order: Any) -> Facts | None:
        """Another of the customer's ways to pay that can bear it."""
        total = sum(line["price"] for line in _lines(world, order["id"]))
        others = [
            row
            for row in _payments(world, order["customer_id"])
            if row["id"] != order["payment_id"] and (row["kind"] != "gift card" or row["balance"] >= total)
        ]
        return {"payment": rng.choice(others)["kind"]} if others else None

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The order and the ways to pay."""
        customer = _customer_of(world, goal.facts["order_id"])
        return [*super().reads(world, goal, policy), Call("list_payments", {"customer_id": customer})]

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """The one call."""
        payments = _payments(world, _customer_of(world, goal.facts["order_id"]))
        to = next(row["id"] for row in payments if row["kind"] == goal.facts["payment"])
        return [(Call("change_payment", {"order_id": goal.facts["order_id"], "payment_id": to}),)]


class ClaimVoucher(OrderGoal):
    """Get a voucher for an order that came late."""

    name, phrase = "claim_voucher", "get a voucher for an order that came late"
    states = ("delivered",)

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The order and whether it has a voucher."""
        return [*super().reads(world, goal, policy), Call("get_voucher", {"order_id": goal.facts["order_id"]})]

    def wanted(self, world: World, goal: Goal, policy: ShopPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the amount of the policy."""
        call = Call("issue_voucher", {"order_id": goal.facts["order_id"], "amount_cents": policy.voucher_cents})
        return [(call,)]


class UpdateContact(GoalKind):
    """Change the e-mail address or the phone number."""

    name, phrase = "update_contact", "change a contact"
    volunteered = ("field",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """The new address or number."""
        if rng.random() < 0.5:
            return {"field": "email", "new_contact": f"new{rng.randint(10, 99)}@post.test"}
        return {"field": "phone", "new_contact": f"555-{rng.randint(1000, 1999)}"}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """Nothing beyond the customer."""
        return []

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """The one call for the customer."""
        fields = {"field": goal.facts["field"], "value": goal.facts["new_contact"]}
        return [(Call("update_contact", {"customer_id": goal.customer, **fields}),)]


class AskState(OrderGoal):
    """Ask how an order stands."""

    name, phrase = "ask_state", "know the state of an order"
    states = ("pending", "shipped", "delivered", "cancelled")

    def answers(self, world: World, goal: Goal, policy: Policy) -> Mapping[str, Value]:
        """The state."""
        row = world.row("SELECT state FROM orders WHERE id = ?", goal.facts["order_id"])
        assert row is not None
        return {"state": row["state"]}


class AskTotal(OrderGoal):
    """Ask what an order costs."""

    name, phrase = "ask_total", "know what an order costs in all"
    states = ("pending", "shipped", "delivered")

    def answers(self, world: World, goal: Goal, policy: Policy) -> Mapping[str, Value]:
        """The sum of its items."""
        row = world.row("SELECT sum(price) FROM lines WHERE order_id = ?", goal.facts["order_id"])
        assert row is not None
        return {"total_cents": row[0]}


class AskRefund(ItemGoal):
    """Ask what one would get back for an item."""

    name, phrase = "ask_refund", "know what would be paid back for an item"

    def answers(self, world: World, goal: Goal, policy: ShopPolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """Its price less the policy's fee."""
        line = self.line(world, goal)
        return {"refund_cents": line["price"] - policy.return_fee_cents} if line is not None else {}


class AskBalance(GoalKind):
    """Ask what a gift card holds."""

    name, phrase = "ask_balance", "know what the gift card holds"

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A gift card."""
        return {} if any(row["kind"] == "gift card" for row in _payments(world, customer)) else None

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The ways to pay."""
        return [Call("list_payments", {"customer_id": goal.customer})]

    def answers(self, world: World, goal: Goal, policy: Policy) -> Mapping[str, Value]:
        """The balance."""
        card = next(row for row in _payments(world, goal.customer) if row["kind"] == "gift card")
        return {"balance_cents": card["balance"]}


def _payments(world: World, customer: str) -> list[Any]:
    return world.rows("SELECT * FROM payments WHERE customer_id = ? ORDER BY id", customer)


KINDS: Mapping[str, GoalKind] = {
    kind.name: kind()
    for kind in (
        *(CancelOrder, CancelItem, ReturnItem, ExchangeItem, ChangeAddress, ChangePayment, ClaimVoucher),
        *(UpdateContact, AskState, AskTotal, AskRefund, AskBalance),
    )
}
"""Its kinds of goals by name."""
