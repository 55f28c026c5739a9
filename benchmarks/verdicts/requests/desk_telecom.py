"""Requests at the telephone company: what each kind wants, and what the company's rules leave of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from sqlite3 import Row
from typing import Any

from agentgym_tools.desks.setting.days import TODAY
from benchmarks.verdicts.requests.desk_requests import Alternatives, Wished, wants
from benchmarks.verdicts.requests.effects import Effect

TELECOM = "telecom"
FAST = ("auto", "4g", "5g")


def _line(wished: Wished) -> Row:
    return wished.one("SELECT * FROM lines WHERE id = :line AND customer_id = :me")


def _plan(wished: Wished, name: str) -> Row:
    return wished.one("SELECT * FROM plans WHERE id = :name", name=name)


def _phone(wished: Wished) -> Row:
    return wished.one("SELECT * FROM phones WHERE customer_id = :me")


def _is_overdue(wished: Wished) -> bool:
    return wished.has("SELECT 1 FROM bills WHERE customer_id = :me AND paid_by = '' AND due < :today", today=TODAY)


def _is_stopped(wished: Wished, what: str) -> bool:
    """Whether the rules stop something while a bill is overdue, and one is."""
    return what in wished.policy.stopped_by_debt and _is_overdue(wished)


def _charged(wished: Wished, what: str, cents: int) -> Effect:
    """A fee of the line, added to what was charged for the same before."""
    before = wished.rows("SELECT * FROM fees WHERE line_id = :line AND what = :what", what=what)
    if before:
        return wished.added("fees", before[0], amount=cents)
    return wished.new("fees", line_id=wished["line"], what=what, amount=cents)


def _restarted(phone: Row, apn: str) -> dict[str, Any]:
    """What a restart does to a phone of an active line whose SIM sits well by then."""
    return {"apn_in_use": apn, "registered": 1, "restarts": phone["restarts"] + 1}


@wants(TELECOM, "change_plan")
def change_plan(wished: Wished) -> Alternatives:
    line, policy = _line(wished), wished.policy
    old, name = _plan(wished, line["plan_id"]), wished["plan"]
    if name == "the next larger":
        larger = wished.rows("SELECT * FROM plans WHERE data_mb > :data ORDER BY data_mb", data=old["data_mb"])
        name = larger[0]["id"] if larger else old["id"]
    new = _plan(wished, name)
    is_rested = TODAY - line["plan_since"] >= policy.plan_change_days
    is_fine = policy.allows_smaller_plan or new["data_mb"] >= old["data_mb"]
    if line["state"] != "active" or new["id"] == old["id"] or not is_rested or not is_fine:
        return
    if _is_stopped(wished, "change a plan"):
        return
    effects = [wished.set("lines", line, plan_id=new["id"], plan_since=TODAY)]
    phone = _phone(wished)
    if phone["line_id"] == line["id"]:
        values: dict[str, Any] = {"apn": new["apn"], "mms_center": new["mms_center"]}
        if phone["apn_in_use"] != new["apn"]:
            values |= _restarted(phone, new["apn"]) | {"registered": int(bool(phone["sim_seated"]))}
        effects.append(wished.set("phones", phone, **values))
    yield effects


def _packed(wished: Wished, line: Row) -> list[Effect] | None:
    """A data pack for a line; None where the rules forbid it."""
    policy, gigabytes = wished.policy, wished["gigabytes"]
    if line["packs"] >= policy.max_packs or gigabytes > policy.max_pack_gigabytes or _is_stopped(wished, "add data"):
        return None
    cost = _charged(wished, f"data pack {line['packs'] + 1}", gigabytes * policy.pack_price_cents)
    return [wished.added("lines", line, packs=1, pack_mb=1000 * gigabytes), cost]


@wants(TELECOM, "buy_data")
def buy_data(wished: Wished) -> Alternatives:
    packed = _packed(wished, _line(wished)) if _line(wished)["state"] == "active" else None
    if packed:
        yield packed


@wants(TELECOM, "resume_line")
def resume_line(wished: Wished) -> Alternatives:
    line = _line(wished)
    if line["state"] == "suspended" and line["barred"] != "fraud" and not _is_overdue(wished):
        cost = _charged(wished, "resumption", wished.policy.resume_fee_cents)
        yield [wished.set("lines", line, state="active"), cost]


@wants(TELECOM, "block_line")
def block_line(wished: Wished) -> Alternatives:
    if _line(wished)["state"] == "active":
        yield [wished.set("lines", _line(wished), state="blocked")]


@wants(TELECOM, "replace_sim")
def replace_sim(wished: Wished) -> Alternatives:
    sim = wished.one("SELECT * FROM sims WHERE line_id = :line")
    is_old = TODAY - sim["since"] >= wished.policy.sim_wait_days
    if _line(wished)["state"] != "moved" and is_old and not _is_stopped(wished, "send a SIM"):
        new = wished.set("sims", sim, serial=sim["serial"] + 1, kind=wished["sim_kind"], since=TODAY)
        yield [new, _charged(wished, "SIM", wished.policy.sim_fee_cents)]


@wants(TELECOM, "move_out")
def move_out(wished: Wished) -> Alternatives:
    line = _line(wished)
    if line["state"] == "active" and not _is_stopped(wished, "move a line to another carrier"):
        num_months = len(range(0, max(0, line["contract_end"] - TODAY), 30))
        cost = _charged(wished, "exit", num_months * wished.policy.exit_fee_cents)
        yield [wished.set("lines", line, state="moved", moved_to=wished["carrier"]), cost]


@wants(TELECOM, "refund_charge")
def refund_charge(wished: Wished) -> Alternatives:
    policy = wished.policy
    meant = "line_id = :line AND kind = :charge_kind AND amount = :charged_cents AND NOT refunded"
    for charge in wished.rows(f"SELECT * FROM charges WHERE {meant}"):
        is_paid_back = charge["kind"] in policy.refunded_charges and charge["amount"] <= policy.staff_above_cents
        if is_paid_back and TODAY - charge["day"] <= policy.refund_days:
            yield [wished.set("charges", charge, refunded=1)]


@wants(TELECOM, "pay_bill")
def pay_bill(wished: Wished) -> Alternatives:
    bills = wished.rows("SELECT * FROM bills WHERE customer_id = :me AND paid_by = ''")
    first = min((bill["due"] for bill in bills), default=0)
    payment = wished.one("SELECT * FROM payments WHERE customer_id = :me AND kind = :payment")["id"]
    for bill in bills:
        is_meant = bill["due"] == first if wished["bill"] == "the oldest open" else bill["id"] == wished["bill"]
        is_late = TODAY - bill["due"] > wished.policy.grace_days
        if is_meant:
            fee = wished.policy.late_fee_cents if is_late else 0
            yield [wished.set("bills", bill, paid_by=payment, late_fee=fee)]


# A phone that works again: each cause is gone, and nothing else has changed.


def _roaming(wished: Wished, line: Row) -> list[Effect] | None:
    """Roaming of a line; None where the rules forbid it."""
    is_old = TODAY - line["started"] >= wished.policy.roaming_after_days
    if not is_old or line["plan_id"] in wished.policy.plans_without_roaming:
        return None
    return [wished.set("lines", line, roaming=1)]


def _lifted(wished: Wished, line: Row) -> list[Effect] | None:
    """A line whose calls are not barred; None where the rules forbid it."""
    return None if line["barred"] in wished.policy.staff_bars else [wished.set("lines", line, barred="")]


def _with_service(wished: Wished, phone: Row, values: Mapping[str, Any], applies: bool) -> Effect:
    """The phone in the network with other values; restarted where that is needed."""
    ends: dict[str, Any] = {"airplane": 0, "sim_seated": 1, "sim_locked": 0, **values}
    apn = ends.get("apn", phone["apn"])
    if not phone["registered"] or (applies and phone["apn_in_use"] != apn):
        ends |= _restarted(phone, apn)
    return wished.set("phones", phone, **ends)


def _data(wished: Wished, phone: Row, line: Row) -> dict[str, Any]:
    """The values with which a phone has data."""
    abroad = {"roaming": 1} if phone["place"] == "abroad" else {}
    return {"mobile_data": 1, "apn": _plan(wished, line["plan_id"])["apn"], **abroad}


def _cured(
    kind: str,
    values: Callable[[Wished, Row, Row], Mapping[str, Any]],
    at_desk: Callable[[Wished, Row, Row], list[Effect] | None],
    has_data: bool = True,
) -> None:
    """Add the statement of a trouble."""

    def says(wished: Wished) -> Alternatives:
        line, phone = _line(wished), _phone(wished)
        desk = at_desk(wished, phone, line)
        if line["state"] == "active" and desk is not None:
            yield [_with_service(wished, phone, values(wished, phone, line), has_data), *desk]

    wants(TELECOM, kind)(says)


def _fast(wished: Wished, phone: Row, line: Row) -> dict[str, Any]:
    mode = phone["mode"] if phone["mode"] in FAST else wished.policy.network_mode
    return {**_data(wished, phone, line), "mode": mode, "data_saver": 0, "battery_saver": 0, "vpn": 0}


def _mms(wished: Wished, phone: Row, line: Row) -> dict[str, Any]:
    return {**_data(wished, phone, line), "mms_center": _plan(wished, line["plan_id"])["mms_center"]}


def _roaming_if_needed(wished: Wished, phone: Row, line: Row) -> list[Effect] | None:
    return _roaming(wished, line) if phone["place"] == "abroad" and not line["roaming"] else []


def _pack_if_needed(wished: Wished, phone: Row, line: Row) -> list[Effect] | None:
    """Data, where all is used up; at home, where no roaming is needed."""
    is_used_up = line["used_mb"] >= _plan(wished, line["plan_id"])["data_mb"] + line["pack_mb"]
    return _packed(wished, line) if is_used_up else []


def _permitted(wished: Wished, phone: Row, line: Row) -> list[Effect] | None:
    roaming = _roaming_if_needed(wished, phone, line)
    rows = wished.rows("SELECT * FROM permissions WHERE customer_id = :me AND app = 'messages'")
    return None if roaming is None else [*roaming, wished.put("permissions", rows, granted=1)]


_cured("fix_service", lambda wished, phone, line: {}, lambda wished, phone, line: [], has_data=False)
_cured("fix_data", _data, _roaming_if_needed)
_cured("fix_roaming", _data, _roaming_if_needed)
_cured("fix_slow_data", _fast, _pack_if_needed)
_cured("fix_mms", _mms, _permitted)
_cured(
    "fix_calls",
    lambda wished, phone, line: {"do_not_disturb": 0, "forwarded_to": ""},
    lambda wished, phone, line: _lifted(wished, line) if line["barred"] else [],
    has_data=False,
)
