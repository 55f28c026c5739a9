"""What the clinic's policy says against a call that writes: the plainest reason first, those of the staff last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentgym_tools.desks.clinic.callers import against_guardian, record_of
from agentgym_tools.desks.clinic.policy import ClinicPolicy
from agentgym_tools.desks.clinic.records import debt_of, is_taken, last_seen
from agentgym_tools.desks.clinic.world import CHILDREN, FAMILY, age_of
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds import World

Objector = Callable[[World, Mapping[str, Any], ClinicPolicy], list[str]]
STAFF = frozenset({"doctor_renews", "doctor_tells", "staff_insurer"})
"""Reasons for which the caller is handed over."""


def objections(world: World, tool: str, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    """Why a call is forbidden; none if it is allowed, or names what there is not, which its tool refuses."""
    named = (("patient_id", "patients"), ("slot_id", "slots"), ("new_slot_id", "slots"), ("doctor_id", "doctors"))
    more = (("insurer_id", "insurers"), ("prescription_id", "prescriptions"), ("result_id", "results"))
    for name, table in (*named, *more):
        sql = f"SELECT 1 FROM {table} WHERE id = ?"  # noqa: S608 - from the line above
        if name in arguments and world.row(sql, arguments[name]) is None:
            return []
    return _OBJECTORS[tool](world, arguments, policy)


def _names(**reasons: bool) -> list[str]:
    """The reasons that hold."""
    return [reason for reason, holds in reasons.items() if holds]


def _row(world: World, table: str, key: Any) -> Any:
    return world.row(f"SELECT * FROM {table} WHERE id = ?", key)  # noqa: S608 - tables of this file


def _against_booking(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    patient = str(arguments["patient_id"])
    barred = against_guardian(world, patient, arguments["requested_by"], "visits", policy)
    if barred:
        return barred
    record, slot = record_of(world, patient), _row(world, "slots", arguments["slot_id"])
    coming = world.row("SELECT count(*) FROM slots WHERE patient_id = ? AND state = 'booked'", patient)
    is_others = slot["specialty"] == FAMILY and slot["doctor_id"] != record["doctor_id"]
    return [
        *_names(
            slot_taken=slot["state"] != "free",
            too_old=slot["specialty"] == CHILDREN and age_of(record["born"]) >= policy.child_until,
            not_covered=not is_taken(world, slot["doctor_id"], record["insurer_id"]),
            other_family_doctor=policy.own_family_doctor and is_others,
        ),
        *_names(
            too_many_visits=coming is not None and coming[0] >= policy.max_coming_visits,
            unpaid_fees=debt_of(world, patient) > policy.max_debt_cents,
        ),
        *_against_referral(world, patient, slot, str(arguments["referral_id"]), policy),
        *_against_day(slot, policy),
    ]


def _against_day(slot: Any, policy: ClinicPolicy) -> list[str]:
    ahead = slot["day"] - TODAY
    return _names(too_soon=ahead < policy.notice_days, too_far=ahead > policy.ahead_days)


def _against_referral(world: World, patient: str, slot: Any, referral_id: str, policy: ClinicPolicy) -> list[str]:
    if slot["specialty"] not in policy.referral_for:
        return _names(referral_not_needed=bool(referral_id))
    row = _row(world, "referrals", referral_id)
    if row is None or (row["patient_id"], row["specialty"]) != (patient, slot["specialty"]):
        return ["no_referral"]
    is_old = TODAY - row["issued"] > policy.referral_days
    return _names(referral_used=row["visits_left"] < 1, referral_expired=is_old)


def _against_moving(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    old, new = (_row(world, "slots", arguments[name]) for name in ("slot_id", "new_slot_id"))
    return [
        *_names(
            not_coming=old["state"] != "booked",
            too_late=old["day"] - TODAY < policy.move_days,
            moved_too_often=old["moves"] >= policy.max_moves,
            other_doctor=old["doctor_id"] != new["doctor_id"],
            slot_taken=new["state"] != "free",
        ),
        *_against_day(new, policy),
    ]


def _against_cancelling(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    slot = _row(world, "slots", arguments["slot_id"])
    if slot["state"] != "booked":
        return ["not_coming"]
    is_other_fee = arguments["fee_cents"] != policy.cancel_fee(slot["day"])
    return _names(too_late=slot["day"] - TODAY < policy.cancel_days, wrong_amount=is_other_fee)


def _against_renewing(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    row = _row(world, "prescriptions", arguments["prescription_id"])
    barred = against_guardian(world, row["patient_id"], arguments["requested_by"], "prescriptions", policy)
    if barred:
        return barred
    seen = last_seen(world, row["patient_id"])
    return _names(
        none_left=row["renewals_left"] < 1,
        too_early=row["runs_out"] - TODAY > policy.early_days,
        not_seen=seen is None or TODAY - seen > policy.seen_days,
        wrong_supply=arguments["supply_days"] != policy.supply_days,
        doctor_renews=row["class"] in policy.doctor_renews,
    )


def _against_releasing(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    row = _row(world, "results", arguments["result_id"])
    barred = against_guardian(world, row["patient_id"], arguments["requested_by"], "results", policy)
    if barred:
        return barred
    is_abnormal = policy.doctor_tells_abnormal and row["finding"] == "abnormal"
    is_reviewed = row["reviewed"] is not None
    return _names(
        not_reviewed=not is_reviewed,
        on_hold=is_reviewed and TODAY - row["reviewed"] < policy.hold_days,
        channel_not_used=arguments["channel"] not in policy.channels,
        doctor_tells=(is_reviewed and is_abnormal) or row["test"] in policy.doctor_tells,
    )


def _charge(world: World, arguments: Mapping[str, Any]) -> Any:
    sql = "SELECT * FROM charges WHERE patient_id = ? AND slot_id = ? AND state = 'unpaid'"
    return world.row(sql, arguments["patient_id"], arguments["slot_id"])


def _against_paying(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    charge = _charge(world, arguments)
    if charge is None:
        return ["nothing_unpaid"]
    return _names(wrong_amount=arguments["amount_cents"] != policy.due(charge["amount"], charge["charged"]))


def _against_waiving(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    charge = _charge(world, arguments)
    if charge is None:
        return ["nothing_unpaid"]
    sql = "SELECT count(*) FROM charges WHERE patient_id = ? AND state = 'waived'"
    waived = world.row(sql, arguments["patient_id"])
    return _names(
        no_excuse=arguments["reason"] not in policy.excuses,
        too_late=TODAY - charge["charged"] > policy.waive_days,
        waived_before=waived is not None and waived[0] >= policy.max_waived,
    )


def _against_waiting(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    patient, doctor = arguments["patient_id"], arguments["doctor_id"]
    waiting = [row[0] for row in world.rows("SELECT doctor_id FROM waiting WHERE patient_id = ?", patient)]
    sql = "SELECT 1 FROM slots WHERE doctor_id = ? AND state = 'free' AND day BETWEEN ? AND ? LIMIT 1"
    free = world.row(sql, doctor, TODAY, TODAY + policy.waiting_days)
    return _names(
        on_list_already=doctor in waiting,
        not_covered=not is_taken(world, doctor, record_of(world, patient)["insurer_id"]),
        too_many_lists=len(waiting) >= policy.max_waiting,
        slots_free=free is not None,
    )


def _against_leaving(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    sql = "SELECT 1 FROM waiting WHERE patient_id = ? AND doctor_id = ?"
    return _names(not_on_list=world.row(sql, arguments["patient_id"], arguments["doctor_id"]) is None)


def _against_other_insurer(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    sql = "SELECT 1 FROM slots WHERE patient_id = ? AND state = 'booked' AND day BETWEEN ? AND ?"
    soon = world.row(sql, arguments["patient_id"], TODAY, TODAY + policy.insurer_days)
    is_staffs = _row(world, "insurers", arguments["insurer_id"])["kind"] in policy.staff_insurers
    return _names(visit_soon=soon is not None, staff_insurer=is_staffs)


def _against_other_family_doctor(world: World, arguments: Mapping[str, Any], policy: ClinicPolicy) -> list[str]:
    record, doctor = record_of(world, arguments["patient_id"]), _row(world, "doctors", arguments["doctor_id"])
    return _names(
        no_family_doctor=doctor["specialty"] != FAMILY,
        takes_no_new_patients=not doctor["takes_patients"],
        not_covered=not is_taken(world, doctor["id"], record["insurer_id"]),
        changed_lately=TODAY - record["doctor_since"] < policy.doctor_change_days,
    )


_OBJECTORS: Mapping[str, Objector] = {
    "book_visit": _against_booking,
    "move_visit": _against_moving,
    "cancel_visit": _against_cancelling,
    "renew_prescription": _against_renewing,
    "release_result": _against_releasing,
    "pay_charge": _against_paying,
    "waive_charge": _against_waiving,
    "join_waiting_list": _against_waiting,
    "leave_waiting_list": _against_leaving,
    "change_insurer": _against_other_insurer,
    "change_family_doctor": _against_other_family_doctor,
}
