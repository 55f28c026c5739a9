"""Requests at the clinic: what each kind wants, and what the clinic's rules leave of it."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Row

from agentgym_tools.desks.clinic.world import age_of
from agentgym_tools.desks.setting.days import TODAY
from benchmarks.verdicts.requests.desk_requests import Alternatives, Wished, number_of_day, wants
from benchmarks.verdicts.requests.effects import Effect

CLINIC = "clinic"
FAMILY, CHILDREN = "general practice", "paediatrics"
NOON = 12 * 60
FREE = {"state": "free", "patient_id": None, "referral_id": None, "booked_by": None, "moves": 0}


def _patient(wished: Wished) -> Row:
    """The patient whom the request is for: the one who is named, or who calls."""
    if "patient_name" not in wished.words:
        return wished.one("SELECT * FROM patients WHERE id = :me")
    born = number_of_day(wished["patient_born_on"])
    return wished.one("SELECT * FROM patients WHERE name = :patient_name AND born = :born", born=born)


def _may_act(wished: Wished, patient: Row, right: str) -> bool:
    """Whether the rules let the caller have something done for a patient."""
    if patient["id"] == wished.me:
        return True
    sql = "SELECT * FROM guardians WHERE patient_id = :patient AND guardian_id = :me AND until >= :today"
    for row in wished.rows(sql, patient=patient["id"], today=TODAY):
        if row["kind"] == "carer":
            return right in wished.policy.carer_rights
        return right != "results" or age_of(patient["born"]) < wished.policy.own_results_age
    return False


def _takes(wished: Wished, doctor: str, patient: Row) -> bool:
    """Whether a doctor takes the insurance of a patient."""
    sql = "SELECT 1 FROM accepted WHERE doctor_id = :doctor_id AND insurer_id = :insurer"
    return wished.has(sql, doctor_id=doctor, insurer=patient["insurer_id"])


def _free(wished: Wished, where: str, since: int) -> list[Row]:
    """Free slots from a day on, in order; of the part of the day that is wished for, if one is."""
    rows = wished.rows(f"SELECT * FROM slots WHERE state = 'free' AND day >= {since} AND {where} ORDER BY day, minute")
    daytime = wished.words.get("daytime")
    return [row for row in rows if daytime is None or (row["minute"] < NOON) == (daytime == "morning")]


def _earliest(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if (row["day"], row["minute"]) == (rows[0]["day"], rows[0]["minute"])]


def _is_bookable(wished: Wished, day: int) -> bool:
    return bool(wished.policy.notice_days <= day - TODAY <= wished.policy.ahead_days)


def _booked(wished: Wished, patient: Row, slots: Sequence[Row]) -> Alternatives:
    """The patient has one of these slots; a referral is used where the specialty needs one."""
    policy, key = wished.policy, patient["id"]
    num_coming = len(wished.rows("SELECT 1 FROM slots WHERE patient_id = :patient AND state = 'booked'", patient=key))
    unpaid = wished.rows("SELECT amount FROM charges WHERE patient_id = :patient AND state = 'unpaid'", patient=key)
    owes = sum(row["amount"] for row in unpaid)
    if (
        not _may_act(wished, patient, "visits")
        or num_coming >= policy.max_coming_visits
        or owes > policy.max_debt_cents
    ):
        return
    for slot in slots:
        specialty, own = slot["specialty"], slot["doctor_id"] == patient["doctor_id"]
        is_young = specialty != CHILDREN or age_of(patient["born"]) < policy.child_until
        is_own = specialty != FAMILY or own or not policy.own_family_doctor
        if not (
            is_young and is_own and _takes(wished, slot["doctor_id"], patient) and _is_bookable(wished, slot["day"])
        ):
            continue
        taken = {"state": "booked", "patient_id": key, "booked_by": wished.me, "moves": 0}
        if specialty not in policy.referral_for:
            yield [wished.set("slots", slot, **taken, referral_id=None)]
            continue
        for referral in wished.rows(
            "SELECT * FROM referrals WHERE patient_id = :patient AND specialty = :needed AND visits_left > 0",
            patient=key,
            needed=specialty,
        ):
            if TODAY - referral["issued"] <= policy.referral_days:
                used = wished.added("referrals", referral, visits_left=-1)
                yield [wished.set("slots", slot, **taken, referral_id=referral["id"]), used]


@wants(CLINIC, "book_specialist", "book_for_other")
def book_specialist(wished: Wished) -> Alternatives:
    patient = _patient(wished)
    slots = _free(wished, "specialty = :specialty", TODAY + wished.policy.notice_days)
    covered = [slot for slot in slots if _takes(wished, slot["doctor_id"], patient)]
    yield from _booked(wished, patient, _earliest(covered) if covered else [])


@wants(CLINIC, "book_family_doctor")
def book_family_doctor(wished: Wished) -> Alternatives:
    patient = _patient(wished)
    slots = _free(wished, f"doctor_id = '{patient['doctor_id']}'", TODAY + wished.policy.notice_days)
    yield from _booked(wished, patient, _earliest(slots) if slots else [])


@wants(CLINIC, "book_day")
def book_day(wished: Wished) -> Alternatives:
    day = number_of_day(wished["wished_on"])
    of_doctor = "doctor_id = (SELECT id FROM doctors WHERE name = :doctor)"
    yield from _booked(wished, _patient(wished), _free(wished, f"{of_doctor} AND day = {day}", TODAY))


def _visit(wished: Wished) -> list[Row]:
    return wished.rows("SELECT * FROM slots WHERE id = :slot_id AND patient_id = :me AND state = 'booked'")


@wants(CLINIC, "move_visit")
def move_visit(wished: Wished) -> Alternatives:
    policy = wished.policy
    for old in _visit(wished):
        if old["day"] - TODAY < policy.move_days or old["moves"] >= policy.max_moves:
            continue
        later = _free(wished, f"doctor_id = '{old['doctor_id']}'", max(old["day"] + 1, TODAY + policy.notice_days))
        for new in _earliest(later) if later else []:
            if _is_bookable(wished, new["day"]):
                kept = {name: old[name] for name in ("state", "patient_id", "referral_id", "booked_by")}
                moved = wished.set("slots", new, **kept, moves=old["moves"] + 1)
                yield [moved, wished.set("slots", old, **FREE)]


@wants(CLINIC, "cancel_visit")
def cancel_visit(wished: Wished) -> Alternatives:
    policy = wished.policy
    for slot in _visit(wished):
        ahead = slot["day"] - TODAY
        fee = 0 if ahead >= policy.free_cancel_days else policy.late_fee_cents
        if ahead < policy.cancel_days:
            continue
        used = wished.rows("SELECT * FROM referrals WHERE id = :referral", referral=slot["referral_id"])
        back = [wished.added("referrals", referral, visits_left=1) for referral in used]
        effects: list[Effect] = [wished.set("slots", slot, **FREE), *back]
        if fee:
            charge = {"slot_id": slot["id"], "patient_id": wished.me, "kind": "cancelled late", "charged": TODAY}
            effects.append(wished.new("charges", **charge, amount=fee, state="unpaid"))
        yield effects


@wants(CLINIC, "renew_prescription", "renew_for_other")
def renew_prescription(wished: Wished) -> Alternatives:
    policy, patient = wished.policy, _patient(wished)
    kept = wished.rows("SELECT day FROM slots WHERE patient_id = :patient AND state = 'kept'", patient=patient["id"])
    is_seen = any(TODAY - row["day"] <= policy.seen_days for row in kept)
    if not is_seen or not _may_act(wished, patient, "prescriptions"):
        return
    sql = "SELECT * FROM prescriptions WHERE patient_id = :patient AND drug = :drug AND renewals_left > 0"
    for row in wished.rows(sql, patient=patient["id"]):
        if row["runs_out"] - TODAY <= policy.early_days and row["class"] not in policy.doctor_renews:
            until = max(row["runs_out"], TODAY) + policy.supply_days
            values = {"runs_out": until, "renewals_left": row["renewals_left"] - 1, "pharmacy": wished["pharmacy"]}
            yield [wished.set("prescriptions", row, **values)]


@wants(CLINIC, "get_result", "result_for_other")
def get_result(wished: Wished) -> Alternatives:
    policy, patient = wished.policy, _patient(wished)
    sql = "SELECT * FROM results WHERE patient_id = :patient AND test = :test AND reviewed IS NOT NULL"
    for row in wished.rows(sql, patient=patient["id"]):
        is_told = row["test"] in policy.doctor_tells or (policy.doctor_tells_abnormal and row["finding"] == "abnormal")
        is_ripe = TODAY - row["reviewed"] >= policy.hold_days and wished["channel"] in policy.channels
        if is_ripe and not is_told and _may_act(wished, patient, "results"):
            yield [wished.set("results", row, released_to=wished.me, channel=wished["channel"])]


def _unpaid(wished: Wished) -> list[Row]:
    return wished.rows("SELECT * FROM charges WHERE patient_id = :me AND slot_id = :slot_id AND state = 'unpaid'")


@wants(CLINIC, "pay_fee")
def pay_fee(wished: Wished) -> Alternatives:
    for row in _unpaid(wished):
        more = wished.policy.reminder_cents if TODAY - row["charged"] > wished.policy.overdue_days else 0
        yield [wished.set("charges", row, state="paid", note=f"{row['amount'] + more} cents")]


@wants(CLINIC, "waive_fee")
def waive_fee(wished: Wished) -> Alternatives:
    num_waived = len(wished.rows("SELECT 1 FROM charges WHERE patient_id = :me AND state = 'waived'"))
    for row in _unpaid(wished):
        is_in_time = TODAY - row["charged"] <= wished.policy.waive_days
        if wished["reason"] in wished.policy.excuses and is_in_time and num_waived < wished.policy.max_waived:
            yield [wished.set("charges", row, state="waived", note=wished["reason"])]


def _doctor(wished: Wished) -> Row:
    return wished.one("SELECT * FROM doctors WHERE name = :doctor")


@wants(CLINIC, "join_waiting_list")
def join_waiting_list(wished: Wished) -> Alternatives:
    doctor, policy = _doctor(wished), wished.policy
    waits = [row["doctor_id"] for row in wished.rows("SELECT doctor_id FROM waiting WHERE patient_id = :me")]
    slots = _free(wished, f"doctor_id = '{doctor['id']}'", TODAY)
    has_slot = any(slot["day"] - TODAY <= policy.waiting_days for slot in slots)
    if doctor["id"] in waits or len(waits) >= policy.max_waiting or has_slot:
        return
    if _takes(wished, doctor["id"], _patient(wished)):
        yield [wished.new("waiting", patient_id=wished.me, doctor_id=doctor["id"], since=TODAY)]


@wants(CLINIC, "leave_waiting_list")
def leave_waiting_list(wished: Wished) -> Alternatives:
    sql = "SELECT * FROM waiting WHERE patient_id = :me AND doctor_id = :key"
    for row in wished.rows(sql, key=_doctor(wished)["id"]):
        yield [wished.gone("waiting", [row])]


@wants(CLINIC, "change_family_doctor")
def change_family_doctor(wished: Wished) -> Alternatives:
    patient, doctor = _patient(wished), _doctor(wished)
    is_rested = TODAY - patient["doctor_since"] >= wished.policy.doctor_change_days
    is_fit = doctor["specialty"] == FAMILY and doctor["takes_patients"] and _takes(wished, doctor["id"], patient)
    if is_rested and is_fit:
        yield [wished.set("patients", patient, doctor_id=doctor["id"], doctor_since=TODAY)]


@wants(CLINIC, "change_insurer")
def change_insurer(wished: Wished) -> Alternatives:
    insurer = wished.one("SELECT * FROM insurers WHERE name = :insurer")
    visits = wished.rows("SELECT day FROM slots WHERE patient_id = :me AND state = 'booked'")
    is_soon = any(0 <= row["day"] - TODAY <= wished.policy.insurer_days for row in visits)
    if not is_soon and insurer["kind"] not in wished.policy.staff_insurers:
        new = {"insurer_id": insurer["id"], "member_number": wished["new_member_number"]}
        yield [wished.set("patients", _patient(wished), **new)]
