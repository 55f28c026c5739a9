"""What customers want of their lines, bills and SIMs; their troubles with phones are in `trouble_goals`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.policy import Policy
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.telecom.network import situation_of
from agentgym_tools.desks.telecom.policy import TelecomPolicy
from agentgym_tools.desks.telecom.world import CARRIERS, PLANS
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Facts = dict[str, Value]
NEXT_LARGER, OLDEST = "the next larger", "the oldest open"


def phone_line(world: World, customer: str) -> str:
    """The line whose SIM is in the customer's phone."""
    row = world.row("SELECT line_id FROM phones WHERE customer_id = ?", customer)
    assert row is not None
    return str(row[0])


def some_lines(world: World) -> Sequence[Value]:
    """Numbers that a customer could mix up."""
    return [row[0] for row in world.rows("SELECT id FROM lines ORDER BY id LIMIT 200")]


def line_of(world: World, goal: Goal) -> Any:
    """The row of the line that a goal is about."""
    return world.row("SELECT * FROM lines WHERE id = ?", goal.facts["line"])


def bills_of(world: World, customer: str, *, is_open: bool) -> list[Any]:
    """A customer's bills, the oldest first."""
    which = "AND paid_by = ''" if is_open else ""
    return world.rows(f"SELECT * FROM bills WHERE customer_id = ? {which} ORDER BY due, id", customer)  # noqa: S608


class LineGoal(GoalKind):
    """A goal about a line of the customer, which it may have to look up.

    Attributes:
        states: Line states that it can be about.
        with_phone: Whether it can be about the line of the phone, and about the other ones.
    """

    states: tuple[str, ...] = ("active",)
    with_phone: tuple[bool, ...] = (False,)
    volunteered: tuple[str, ...] = ("line",)
    can_lack: tuple[str, ...] = ()
    can_change = {"line": some_lines}

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A line in one of the states, and what else there is."""
        own = phone_line(world, customer)
        rows = world.rows("SELECT * FROM lines WHERE customer_id = ? ORDER BY id", customer)
        lines = [row for row in rows if row["state"] in self.states and (row["id"] == own) in self.with_phone]
        if not lines:
            return None
        line = rng.choice(lines)
        more = self.draw_more(rng, world, line)
        return None if more is None else {"line": line["id"], **more}

    def draw_more(self, rng: random.Random, world: World, line: Any) -> Facts | None:
        """Further facts; None if the line does not do."""
        return {}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The line, and before it the customer's list where the number is not known."""
        line = goal.facts["line"]
        listed = [Call("list_lines", {"customer_id": goal.customer})] if "line" in goal.unknown else []
        return [*listed, Call("get_line", {"line": line}), *self.further_reads(world, goal)]

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """What is read beside the line."""
        return []


class ChangePlan(LineGoal):
    """Change to another plan; the customer's phone then needs that plan's settings."""

    name, phrase = "change_plan", "change the plan of a line"
    with_phone = (True, False)
    volunteered = ("line", "plan")
    can_reconsider = ("plan",)

    def draw_more(self, rng: random.Random, world: World, line: Any) -> Facts | None:
        """The plan, or the wish for the next larger one."""
        if rng.random() < 0.4 and _larger(line["plan_id"]):
            return {"plan": NEXT_LARGER}
        return {"plan": rng.choice([plan for plan in PLANS if plan != line["plan_id"]])}

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The bills, the plans, and what is set on the phone."""
        is_in_phone = goal.facts["line"] == phone_line(world, goal.customer)
        settings = [Call("get_plan", {"plan": self._new(world, goal)}), Call("check_access_point")]
        return [
            *(Call("list_bills", {"customer_id": goal.customer}), Call("list_plans")),
            *(settings if is_in_phone else []),
        ]

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """The change at the desk, then what the phone needs."""
        new = self._new(world, goal)
        change = Call("change_plan", {"line": goal.facts["line"], "plan": new})
        if goal.facts["line"] != phone_line(world, goal.customer):
            return [(change,)]
        phone, (_, _, apn, mms_center) = situation_of(world, goal.customer).phone, PLANS[new]
        settings = [Call("set_apn", {"apn": apn})] if phone["apn"] != apn else []
        settings += [Call("set_mms_center", {"address": mms_center})] if phone["mms_center"] != mms_center else []
        settings += [Call("reboot")] if phone["apn_in_use"] != apn else []
        return [(change, *settings)]

    def check(self, world: World, goal: Goal, policy: Policy) -> Call | None:
        """What is set on the phone."""
        return Call("check_access_point") if goal.facts["line"] == phone_line(world, goal.customer) else None

    @staticmethod
    def _new(world: World, goal: Goal) -> str:
        wish = str(goal.facts["plan"])
        return _larger(line_of(world, goal)["plan_id"]) if wish == NEXT_LARGER else wish


class BuyData(LineGoal):
    """Buy more data for this month."""

    name, phrase = "buy_data", "buy more data for a line"
    with_phone = (True, False)
    volunteered = ("line", "gigabytes")
    can_reconsider = ("gigabytes",)

    def draw_more(self, rng: random.Random, world: World, line: Any) -> Facts | None:
        """How much."""
        return {"gigabytes": rng.choice((1, 1, 2, 3, 5))}

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The bills."""
        return [Call("list_bills", {"customer_id": goal.customer})]

    def wanted(self, world: World, goal: Goal, policy: TelecomPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, at the policy's price."""
        return [(Call("add_data_pack", {"line": goal.facts["line"], **pack_of(goal, policy)}),)]


class ResumeLine(LineGoal):
    """Have a suspended line switched on again."""

    name, phrase = "resume_line", "have a suspended line switched on again"
    states = ("suspended", "suspended", "blocked")
    can_lack = ("line",)

    def draw_more(self, rng: random.Random, world: World, line: Any) -> Facts | None:
        """Nothing more; the only line in its state, so that it can be found."""
        others = world.rows(
            "SELECT 1 FROM lines WHERE customer_id = ? AND state = ?", line["customer_id"], line["state"]
        )
        return {} if len(others) == 1 else None

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The bills."""
        return [Call("list_bills", {"customer_id": goal.customer})]

    def wanted(self, world: World, goal: Goal, policy: TelecomPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the policy's fee."""
        return [(Call("resume_line", {"line": goal.facts["line"], "fee_cents": policy.resume_fee_cents}),)]


class BlockLine(LineGoal):
    """Have a line blocked whose phone is lost."""

    name, phrase = "block_line", "have a line blocked whose phone is lost"
    states = ("active", "suspended")

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """The one call."""
        return [(Call("block_line", {"line": goal.facts["line"]}),)]


class ReplaceSim(LineGoal):
    """Get a new SIM."""

    name, phrase = "replace_sim", "get a new SIM for a line"
    states = ("active", "blocked")
    volunteered = ("line", "sim_kind")
    can_reconsider = ("sim_kind",)

    def draw_more(self, rng: random.Random, world: World, line: Any) -> Facts | None:
        """The kind of SIM."""
        return {"sim_kind": rng.choice(("card", "eSIM"))}

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The present SIM and the bills."""
        return [Call("get_sim", {"line": goal.facts["line"]}), Call("list_bills", {"customer_id": goal.customer})]

    def wanted(self, world: World, goal: Goal, policy: TelecomPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the policy's fee."""
        kind, fee = goal.facts["sim_kind"], policy.sim_fee_cents
        return [(Call("replace_sim", {"line": goal.facts["line"], "kind": kind, "fee_cents": fee}),)]


class MoveOut(LineGoal):
    """Take a number to another carrier."""

    name, phrase = "move_out", "move a number to another carrier"
    states = ("active", "active", "suspended")
    volunteered = ("line", "carrier")
    can_reconsider = ("carrier",)

    def draw_more(self, rng: random.Random, world: World, line: Any) -> Facts | None:
        """The other carrier."""
        return {"carrier": rng.choice(CARRIERS)}

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The bills."""
        return [Call("list_bills", {"customer_id": goal.customer})]

    def wanted(self, world: World, goal: Goal, policy: TelecomPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the fee for what is left of the contract."""
        fee = policy.exit_fee(line_of(world, goal)["contract_end"] - TODAY)
        return [(Call("move_out", {"line": goal.facts["line"], "carrier": goal.facts["carrier"], "fee_cents": fee}),)]


class RefundCharge(LineGoal):
    """Get a charge back, which the customer knows by its kind and amount."""

    name, phrase = "refund_charge", "get a charge back"
    states = ("active", "suspended", "blocked")
    with_phone = (True, False)
    volunteered = ("line", "charge_kind")

    def draw_more(self, rng: random.Random, world: World, line: Any) -> Facts | None:
        """One of the charges."""
        charges = world.rows("SELECT * FROM charges WHERE line_id = ? ORDER BY id", line["id"])
        if not charges:
            return None
        charge = rng.choice(charges)
        return {"charge_kind": charge["kind"], "charged_cents": charge["amount"]}

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The charges."""
        return [Call("list_charges", {"line": goal.facts["line"]})]

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """Each charge that it could mean."""
        rows = world.rows(
            "SELECT id FROM charges WHERE line_id = ? AND kind = ? AND amount = ? ORDER BY id",
            *(goal.facts[name] for name in ("line", "charge_kind", "charged_cents")),
        )
        return [(Call("refund_charge", {"charge": row[0]}),) for row in rows]


class PayBill(GoalKind):
    """Pay a bill, or the oldest one that is open."""

    name, phrase = "pay_bill", "pay a bill"
    volunteered = ("bill",)
    can_reconsider = ("payment",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A bill and a way to pay."""
        bills, open_bills = (bills_of(world, customer, is_open=is_open) for is_open in (False, True))
        if not bills:
            return None
        kinds = world.rows("SELECT kind FROM payments WHERE customer_id = ? ORDER BY id", customer)
        bill = OLDEST if open_bills and rng.random() < 0.4 else rng.choice(open_bills * 3 + bills)["id"]
        return {"bill": bill, "payment": rng.choice(kinds)[0]}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The bills and the ways to pay."""
        return [Call(name, {"customer_id": goal.customer}) for name in ("list_bills", "list_payments")]

    def wanted(self, world: World, goal: Goal, policy: TelecomPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, or one for each of the oldest bills, with the policy's fee for lateness."""
        paid = world.row(
            "SELECT id FROM payments WHERE customer_id = ? AND kind = ?", goal.customer, goal.facts["payment"]
        )
        assert paid is not None
        if goal.facts["bill"] == OLDEST:
            bills = bills_of(world, goal.customer, is_open=True)
            bills = [bill for bill in bills if bill["due"] == bills[0]["due"]]
        else:
            bills = world.rows("SELECT * FROM bills WHERE id = ?", goal.facts["bill"])
        return [
            (
                Call(
                    "pay_bill",
                    {
                        "bill": bill["id"],
                        "payment_id": paid[0],
                        "late_fee_cents": policy.late_fee(TODAY - bill["due"]),
                    },
                ),
            )
            for bill in bills
        ]


class AskUsage(LineGoal):
    """Ask how much data is left."""

    name, phrase = "ask_data_left", "know how much data a line has left"
    with_phone = (True, False)

    def further_reads(self, world: World, goal: Goal) -> list[Call]:
        """The plan."""
        return [Call("get_plan", {"plan": line_of(world, goal)["plan_id"]})]

    def answers(self, world: World, goal: Goal, policy: Policy) -> Mapping[str, Value]:
        """What the plan and the packs hold, less what is used."""
        line = line_of(world, goal)
        return {"data_left_mb": max(0, PLANS[line["plan_id"]][1] + line["pack_mb"] - line["used_mb"])}


class AskExitFee(LineGoal):
    """Ask what leaving would cost."""

    name, phrase = "ask_exit_fee", "know what it would cost to move a line to another carrier"
    with_phone = (True, False)

    def answers(self, world: World, goal: Goal, policy: TelecomPolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The fee for what is left of the contract."""
        return {"exit_fee_cents": policy.exit_fee(line_of(world, goal)["contract_end"] - TODAY)}


class AskDebt(GoalKind):
    """Ask what is to be paid today, late fees included."""

    name, phrase = "ask_debt", "know what all open bills would cost if they were paid today"

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """Nothing; the customer has an open bill."""
        return {} if bills_of(world, customer, is_open=True) else None

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The bills."""
        return [Call("list_bills", {"customer_id": goal.customer})]

    def answers(self, world: World, goal: Goal, policy: TelecomPolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The sum of open bills with the policy's fees for lateness."""
        bills = bills_of(world, goal.customer, is_open=True)
        return {"debt_cents": sum(bill["amount"] + policy.late_fee(TODAY - bill["due"]) for bill in bills)}


class AskPriceOfPlan(GoalKind):
    """Ask which plan has the data that one needs for the least money."""

    name, phrase = "ask_cheapest_plan", "know the cheapest plan with as much data as needed"
    volunteered = ("needed_mb",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """How much is needed."""
        return {"needed_mb": rng.randrange(1_000, 45_000, 500)}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The plans."""
        return [Call("list_plans")]

    def answers(self, world: World, goal: Goal, policy: Policy) -> Mapping[str, Value]:
        """The plan's name; no two plans have the same price."""
        fitting = [(price, plan) for plan, (price, data, *_) in PLANS.items() if data >= int(goal.facts["needed_mb"])]
        return {"plan": min(fitting)[1]}


def pack_of(goal: Goal, policy: TelecomPolicy) -> Facts:
    """The size and price of the data pack that a customer would buy."""
    gigabytes = int(goal.facts["gigabytes"])
    return {"gigabytes": gigabytes, "price_cents": gigabytes * policy.pack_price_cents}


def _larger(plan: str) -> str:
    """The plan with the least data above that of another; "" for the largest."""
    larger = [(data, name) for name, (_, data, *_) in PLANS.items() if data > PLANS[plan][1]]
    return min(larger)[1] if larger else ""


DESK_KINDS: Sequence[type[GoalKind]] = (
    *(ChangePlan, BuyData, ResumeLine, BlockLine, ReplaceSim, MoveOut, RefundCharge, PayBill),
    *(AskUsage, AskExitFee, AskDebt, AskPriceOfPlan),
)
