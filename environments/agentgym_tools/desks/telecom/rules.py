"""What the company's policy says of a call that changes something: the reasons against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.telecom.policy import CHANGE_PLAN, DATA_PACK, MOVE_OUT, NEW_SIM, TelecomPolicy
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call

Objector = Callable[[World, Any, Mapping[str, Any], TelecomPolicy], list[str]]
"""Why a policy forbids a call, given the row that the call is about and its arguments."""
STAFF = frozenset({"staff_bar", "fraud_bar", "sim_changed_lately", "high_amount"})
"""What is handed over to the staff."""


def _against(**is_so: bool) -> list[str]:
    """The reasons that hold."""
    return [reason for reason, holds in is_so.items() if holds]


def _has_overdue(world: World, customer: str) -> bool:
    sql = "SELECT 1 FROM bills WHERE customer_id = ? AND paid_by = '' AND due < ?"
    return world.row(sql, customer, TODAY) is not None


def _is_stopped(world: World, line: Any, what: str, policy: TelecomPolicy) -> bool:
    return what in policy.stopped_by_debt and _has_overdue(world, line["customer_id"])


def _plan(world: World, line: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    old, new = (
        world.row("SELECT data_mb FROM plans WHERE id = ?", plan) for plan in (line["plan_id"], arguments["plan"])
    )
    is_smaller = old is not None and new is not None and new[0] < old[0]
    return _against(
        changed_lately=TODAY - line["plan_since"] < policy.plan_change_days,
        smaller_plan=is_smaller and not policy.allows_smaller_plan,
        bill_overdue=_is_stopped(world, line, CHANGE_PLAN, policy),
    )


def _pack(world: World, line: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    return _against(
        packs_used_up=line["packs"] >= policy.max_packs,
        pack_too_large=arguments["gigabytes"] > policy.max_pack_gigabytes,
        bill_overdue=_is_stopped(world, line, DATA_PACK, policy),
        wrong_fee=arguments["price_cents"] != arguments["gigabytes"] * policy.pack_price_cents,
    )


def _roaming(world: World, line: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    return _against(
        plan_without_roaming=line["plan_id"] in policy.plans_without_roaming,
        line_too_new=TODAY - line["started"] < policy.roaming_after_days,
    )


def _lifting(world: World, line: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    return _against(staff_bar=line["barred"] in policy.staff_bars)


def _resuming(world: World, line: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    return _against(
        not_suspended=line["state"] != "suspended",
        fraud_bar=line["barred"] == "fraud",
        bill_overdue=_has_overdue(world, line["customer_id"]),
        wrong_fee=arguments["fee_cents"] != policy.resume_fee_cents,
    )


def _blocking(world: World, line: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    return _against(not_active=line["state"] != "active")


def _sim(world: World, line: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    sim = world.row("SELECT since FROM sims WHERE line_id = ?", line["id"])
    return _against(
        sim_changed_lately=sim is not None and TODAY - sim[0] < policy.sim_wait_days,
        bill_overdue=_is_stopped(world, line, NEW_SIM, policy),
        wrong_fee=arguments["fee_cents"] != policy.sim_fee_cents,
    )


def _moving(world: World, line: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    return _against(
        not_active=line["state"] != "active",
        bill_overdue=_is_stopped(world, line, MOVE_OUT, policy),
        wrong_fee=arguments["fee_cents"] != policy.exit_fee(line["contract_end"] - TODAY),
    )


def _paying(world: World, bill: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    return _against(
        already_paid=bool(bill["paid_by"]),
        wrong_fee=arguments["late_fee_cents"] != policy.late_fee(TODAY - bill["due"]),
    )


def _refunding(world: World, charge: Any, arguments: Mapping[str, Any], policy: TelecomPolicy) -> list[str]:
    return _against(
        already_refunded=bool(charge["refunded"]),
        charge_stands=charge["kind"] not in policy.refunded_charges,
        too_late=TODAY - charge["day"] > policy.refund_days,
        high_amount=charge["amount"] > policy.staff_above_cents,
    )


_OBJECTORS: Mapping[str, tuple[str, str, Objector]] = {
    "change_plan": ("lines", "line", _plan),
    "add_data_pack": ("lines", "line", _pack),
    "enable_roaming": ("lines", "line", _roaming),
    "lift_barring": ("lines", "line", _lifting),
    "resume_line": ("lines", "line", _resuming),
    "block_line": ("lines", "line", _blocking),
    "replace_sim": ("lines", "line", _sim),
    "move_out": ("lines", "line", _moving),
    "pay_bill": ("bills", "bill", _paying),
    "refund_charge": ("charges", "charge", _refunding),
}
"""For each tool that the policy speaks of: the table and the argument of its row, and what it says."""


def objections(world: World, call: Call, policy: TelecomPolicy) -> list[str]:
    """Why a policy forbids a call of the desk's tools or of the phone's."""
    if call.tool == "set_network_mode":
        return _against(wrong_mode=call.arguments["mode"] != policy.network_mode)
    if call.tool not in _OBJECTORS:
        return []
    table, name, objector = _OBJECTORS[call.tool]
    row = world.row(f"SELECT * FROM {table} WHERE id = ?", call.arguments[name])  # noqa: S608 - from this file
    return [] if row is None else objector(world, row, call.arguments, policy)


def owner(world: World, call: Call) -> str | None:
    """Whose data a call of the desk's tools changes."""
    given = call.arguments
    if "line" in given:
        row = world.row("SELECT customer_id FROM lines WHERE id = ?", given["line"])
    elif "bill" in given:
        row = world.row("SELECT customer_id FROM bills WHERE id = ?", given["bill"])
    elif "charge" in given:
        row = world.row(
            "SELECT customer_id FROM charges JOIN lines ON lines.id = line_id WHERE charges.id = ?", given["charge"]
        )
    else:
        row = None
    return None if row is None else str(row[0])
