"""What callers of the clinic want of visits: to have one, also for somebody else, to move or to cancel one."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks.clinic.callers import Facts, OtherGoal, record_of
from agentgym_tools.desks.clinic.policy import ClinicPolicy
from agentgym_tools.desks.clinic.records import MAX_FOUND, is_taken
from agentgym_tools.desks.clinic.world import CHILDREN, CONSULTANTS, FAMILY, NOON
from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

DAYTIMES = ("morning", "afternoon")
MISTAKEN = tuple(f"S{number}" for number in range(2, 10))
"""Numbers that no slot has."""
_SOON = 5
"""The first day ahead on which every policy books."""


def no_such_slots(world: World) -> Sequence[Value]:
    """Numbers of visits that a caller could tell by mistake."""
    return MISTAKEN


def _is_at(row: Any, daytime: Value) -> bool:
    return bool((row["minute"] < NOON) == (daytime == "morning"))


def _earliest(rows: Sequence[Any]) -> list[Any]:
    """The earliest slots, which may be several at the same time."""
    first = min(((row["day"], row["minute"]) for row in rows), default=None)
    return [row for row in rows if (row["day"], row["minute"]) == first]


def _specialists(world: World, specialty: Value, insurer: Value, since: int, daytime: Value) -> list[Any]:
    """The earliest free slots of a specialty's doctors who take an insurer."""
    rows = world.rows(
        "SELECT * FROM slots WHERE specialty = ? AND state = 'free' AND day >= ? AND (minute < ?) = ? AND EXISTS "
        "(SELECT 1 FROM accepted WHERE accepted.doctor_id = slots.doctor_id AND insurer_id = ?) "
        "ORDER BY day, minute, id LIMIT ?",
        *(specialty, since, NOON, daytime == "morning", insurer, MAX_FOUND),
    )
    return _earliest(rows)


def _free_slots(world: World, doctor: Value, since: int) -> list[Any]:
    return world.rows(
        "SELECT * FROM slots WHERE doctor_id = ? AND state = 'free' AND day >= ? ORDER BY day, minute, id",
        *(doctor, since),
    )


def _bookings(
    world: World, patient: Value, caller: str, slots: Sequence[Any], policy: ClinicPolicy
) -> list[tuple[Call, ...]]:
    """Bookings of each slot, with each referral to its specialty where one is needed."""
    found: list[tuple[Call, ...]] = []
    for slot in slots:
        referrals = [""]
        if slot["specialty"] in policy.referral_for:
            rows = world.rows("SELECT id, specialty FROM referrals WHERE patient_id = ? ORDER BY id", patient)
            referrals = [row["id"] for row in rows if row["specialty"] == slot["specialty"]] or [""]
        for referral in referrals:
            arguments = {"patient_id": patient, "slot_id": slot["id"], "referral_id": referral, "requested_by": caller}
            found.append((Call("book_visit", arguments),))
    return found


def _reads_for_booking(patient: Value, specialty: Value, policy: ClinicPolicy) -> list[Call]:
    referrals = [Call("list_referrals", {"patient_id": patient})] if specialty in policy.referral_for else []
    return [Call("get_file", {"patient_id": patient}), *referrals]


class BookSpecialist(GoalKind):
    """Book the earliest visit of a specialty."""

    name, phrase = "book_specialist", "have the earliest visit to a specialist"
    volunteered: tuple[str, ...] = ("specialty", "daytime")
    can_reconsider = ("daytime",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A specialty, and whether it is to be in the morning."""
        specialty = rng.choice((*CONSULTANTS, *CONSULTANTS, CHILDREN))
        return self.wish(world, customer, specialty, rng.choice(DAYTIMES))

    @staticmethod
    def wish(world: World, patient: str, specialty: str, daytime: str) -> Facts | None:
        """The wish, if there are slots."""
        insurer = record_of(world, patient)["insurer_id"]
        found = _specialists(world, specialty, insurer, TODAY + _SOON, daytime)
        return {"specialty": specialty, "daytime": daytime} if found else None

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The file, the referrals where they matter, and the slots."""
        return self.reads_for(world, goal.customer, goal, policy)

    @staticmethod
    def reads_for(world: World, patient: str, goal: Goal, policy: ClinicPolicy) -> list[Call]:
        """The same for some patient."""
        wish = {name: goal.facts[name] for name in ("specialty", "daytime")}
        insurer, since = record_of(world, patient)["insurer_id"], date_of(TODAY + policy.notice_days)
        slots = Call("find_slots", {**wish, "insurer_id": insurer, "since": since})
        return [*_reads_for_booking(patient, goal.facts["specialty"], policy), slots]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The earliest slot, or each of those at the same time."""
        return self.wanted_for(world, goal.customer, goal, policy)

    @staticmethod
    def wanted_for(world: World, patient: str, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:
        """The same for some patient."""
        insurer, since = record_of(world, patient)["insurer_id"], TODAY + policy.notice_days
        slots = _specialists(world, goal.facts["specialty"], insurer, since, goal.facts["daytime"])
        return _bookings(world, patient, goal.customer, slots, policy)


class BookForOther(OtherGoal, BookSpecialist):
    """Book the earliest visit of a specialty for somebody else."""

    right = "visits"
    name, phrase = "book_for_other", "have the earliest visit to a specialist for somebody else"
    volunteered = (*OtherGoal.volunteered, *BookSpecialist.volunteered)

    def draw_for(self, rng: random.Random, world: World, patient: str) -> Facts | None:
        """A specialty, and whether it is to be in the morning."""
        specialty = rng.choice((*CONSULTANTS, CHILDREN, CHILDREN, CHILDREN))
        return self.wish(world, patient, specialty, rng.choice(DAYTIMES))

    def reads_of(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[Call]:
        """What any booking takes."""
        return self.reads_for(world, patient, goal, policy)

    def wanted_of(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[tuple[Call, ...]]:
        """The earliest slot, or each of those at the same time."""
        return self.wanted_for(world, patient, goal, policy)


class BookFamilyDoctor(GoalKind):
    """Book the earliest visit to the family doctor."""

    name, phrase = "book_family_doctor", "have the earliest visit to the family doctor"
    volunteered = ("daytime",)
    can_reconsider = ("daytime",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """Whether it is to be in the morning."""
        daytime = rng.choice(DAYTIMES)
        slots = _free_slots(world, record_of(world, customer)["doctor_id"], TODAY + _SOON)
        return {"daytime": daytime} if any(_is_at(slot, daytime) for slot in slots) else None

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The file, the doctor's slots and the insurers taken, which each visit shows."""
        doctor, since = record_of(world, goal.customer)["doctor_id"], date_of(TODAY + policy.notice_days)
        wish = {"doctor_id": doctor, "daytime": goal.facts["daytime"], "since": since}
        return [
            *_reads_for_booking(goal.customer, FAMILY, policy),
            Call("get_doctor", {"doctor_id": doctor}),
            Call("list_doctor_slots", wish),
        ]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The earliest slot."""
        slots = _free_slots(world, record_of(world, goal.customer)["doctor_id"], TODAY + policy.notice_days)
        chosen = _earliest([slot for slot in slots if _is_at(slot, goal.facts["daytime"])])
        return _bookings(world, goal.customer, goal.customer, chosen, policy)


class DoctorGoal(GoalKind):
    """A goal about a doctor whom the caller names."""

    volunteered: tuple[str, ...] = ("doctor",)

    @staticmethod
    def doctor(world: World, goal: Goal) -> Any:
        """The doctor's row."""
        return world.row("SELECT * FROM doctors WHERE name = ?", goal.facts["doctor"])

    @staticmethod
    def some(rng: random.Random, world: World, *specialties: str) -> Any:
        """A doctor of one of these specialties."""
        rows = world.rows("SELECT * FROM doctors ORDER BY id")
        return rng.choice([row for row in rows if row["specialty"] in specialties])


class BookDay(DoctorGoal):
    """Book a visit to some doctor on some day."""

    name, phrase = "book_day", "have a visit to a certain doctor on a certain day"
    volunteered = ("doctor", "wished_on")
    can_reconsider = ("wished_on",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A day on which the doctor has a free slot; often the family doctor."""
        doctor = self.some(rng, world, FAMILY, *CONSULTANTS)
        if rng.random() < 0.4:
            doctor = world.row("SELECT * FROM doctors WHERE id = ?", record_of(world, customer)["doctor_id"])
        slots = _free_slots(world, doctor["id"], TODAY)
        if not slots:
            return None
        slot = slots[0] if rng.random() < 0.3 else rng.choice(slots)
        return {"doctor": doctor["name"], "wished_on": date_of(slot["day"])}

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The doctor, the file, the referrals where they matter, and the slots."""
        doctor = self.doctor(world, goal)
        wish = {"doctor_id": doctor["id"], "daytime": "any", "since": goal.facts["wished_on"]}
        return [
            Call("find_doctor", {"name": doctor["name"]}),
            *_reads_for_booking(goal.customer, doctor["specialty"], policy),
            Call("list_doctor_slots", wish),
        ]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """Any slot of that day."""
        slots = _free_slots(world, self.doctor(world, goal)["id"], TODAY)
        chosen = [slot for slot in slots if date_of(slot["day"]) == goal.facts["wished_on"]]
        return _bookings(world, goal.customer, goal.customer, chosen, policy)


class VisitGoal(GoalKind):
    """A goal about one of the caller's visits, which is known by its number or by its day."""

    states: tuple[str, ...] = ("booked",)
    from_day = 0
    volunteered: tuple[str, ...] = ("slot_id", "visit_on")
    can_lack: tuple[str, ...] = ("slot_id",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A visit in one of the states, and what else there is."""
        rows = world.rows("SELECT * FROM slots WHERE patient_id = ? AND day >= ? ORDER BY id", customer, self.from_day)
        rows = [row for row in rows if row["state"] in self.states]
        if not rows:
            return None
        slot = rng.choice(rows)
        more = self.draw_more(rng, world, slot)
        return None if more is None else {"slot_id": slot["id"], "visit_on": date_of(slot["day"]), **more}

    def draw_more(self, rng: random.Random, world: World, slot: Any) -> Facts | None:
        """Further facts; None if the visit does not do."""
        return {}

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The visit."""
        if "slot_id" in goal.unknown:
            return [Call("find_visit", {"patient_id": goal.customer, "visit_on": goal.facts["visit_on"]})]
        return [Call("get_visit", {"slot_id": goal.facts["slot_id"]})]

    @staticmethod
    def slot(world: World, goal: Goal) -> Any:
        """The visit's row."""
        return world.row("SELECT * FROM slots WHERE id = ?", goal.facts["slot_id"])


class MoveVisit(VisitGoal):
    """Put a visit off."""

    name, phrase = "move_visit", "put a visit off to the doctor's next free morning or afternoon slot on a later day"
    volunteered = ("slot_id", "visit_on", "daytime")
    can_change = {"slot_id": no_such_slots}
    can_reconsider = ("daytime",)

    def draw_more(self, rng: random.Random, world: World, slot: Any) -> Facts | None:
        """Whether it is to be in the morning, if the doctor has such a slot."""
        daytime = rng.choice(DAYTIMES)
        later = _free_slots(world, slot["doctor_id"], max(slot["day"] + 1, TODAY + _SOON))
        return {"daytime": daytime} if any(_is_at(row, daytime) for row in later) else None

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The visit and the doctor's slots after it."""
        slot = self.slot(world, goal)
        since = date_of(max(slot["day"] + 1, TODAY + policy.notice_days))
        wish = {"doctor_id": slot["doctor_id"], "daytime": goal.facts["daytime"], "since": since}
        return [*super().reads(world, goal, policy), Call("list_doctor_slots", wish)]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The earliest slot on a later day."""
        slot = self.slot(world, goal)
        later = _free_slots(world, slot["doctor_id"], max(slot["day"] + 1, TODAY + policy.notice_days))
        chosen = _earliest([row for row in later if _is_at(row, goal.facts["daytime"])])
        return [(Call("move_visit", {"slot_id": slot["id"], "new_slot_id": row["id"]}),) for row in chosen]


class CancelVisit(VisitGoal):
    """Cancel a visit."""

    name, phrase = "cancel_visit", "cancel a visit"
    states = ("booked", "booked", "missed")
    from_day = TODAY - 120
    can_change = {"slot_id": no_such_slots}

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the fee of the policy."""
        fee = policy.cancel_fee(self.slot(world, goal)["day"])
        return [(Call("cancel_visit", {"slot_id": goal.facts["slot_id"], "fee_cents": fee}),)]


class AskCancelFee(VisitGoal):
    """Ask what it costs to cancel a visit."""

    name, phrase = "ask_cancel_fee", "know what it would cost to cancel a visit today"
    from_day = TODAY + _SOON - 2

    def answers(self, world: World, goal: Goal, policy: ClinicPolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The policy's fee, or nothing."""
        return {"cancel_fee_cents": policy.cancel_fee(self.slot(world, goal)["day"])}


class AskCost(VisitGoal):
    """Ask what one pays for a visit."""

    name, phrase = "ask_cost", "know what you will pay for a visit"

    def answers(self, world: World, goal: Goal, policy: ClinicPolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The policy's part where the insurance is taken, else the doctor's price."""
        doctor, insurer = self.slot(world, goal)["doctor_id"], record_of(world, goal.customer)["insurer_id"]
        if is_taken(world, doctor, insurer):
            return {"cost_cents": policy.copay_cents}
        row = world.row("SELECT price FROM doctors WHERE id = ?", doctor)
        assert row is not None
        return {"cost_cents": row["price"]}


class AskNextVisit(GoalKind):
    """Ask when the next visit is."""

    name, phrase = "ask_next_visit", "know the day of your next visit"

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """Nothing, for somebody who has one."""
        return {} if _next_visit(world, customer) is not None else None

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The file."""
        return [Call("get_file", {"patient_id": goal.customer})]

    def answers(self, world: World, goal: Goal, policy: ClinicPolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """The day."""
        day = _next_visit(world, goal.customer)
        return {} if day is None else {"next_visit_on": date_of(day)}


def _next_visit(world: World, patient: str) -> int | None:
    row = world.row("SELECT min(day) FROM slots WHERE patient_id = ? AND state = 'booked'", patient)
    return None if row is None else row[0]
