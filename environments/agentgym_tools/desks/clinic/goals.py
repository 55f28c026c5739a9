"""All kinds of goals of the clinic; here those about fees, lists, insurance and family doctors."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from agentgym_tools.desks.clinic.booking import (
    AskCancelFee,
    AskCost,
    AskNextVisit,
    BookDay,
    BookFamilyDoctor,
    BookForOther,
    BookSpecialist,
    CancelVisit,
    DoctorGoal,
    MoveVisit,
    no_such_slots,
)
from agentgym_tools.desks.clinic.callers import Facts, record_of
from agentgym_tools.desks.clinic.policy import EXCUSES, ClinicPolicy
from agentgym_tools.desks.clinic.records import debt_of
from agentgym_tools.desks.clinic.treatment import (
    AskRenewal,
    GetResult,
    RenewForOther,
    RenewPrescription,
    ResultForOther,
)
from agentgym_tools.desks.clinic.world import CONSULTANTS, FAMILY, INSURERS
from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value


class JoinList(DoctorGoal):
    """Get on a doctor's waiting list."""

    name, phrase = "join_waiting_list", "get on a doctor's waiting list"

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A doctor."""
        return {"doctor": self.some(rng, world, FAMILY, *CONSULTANTS)["name"]}

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The doctor, the file with its lists, and the doctor's slots."""
        doctor = self.doctor(world, goal)
        wish = {"doctor_id": doctor["id"], "daytime": "any", "since": date_of(TODAY)}
        return [
            Call("find_doctor", {"name": doctor["name"]}),
            Call("get_file", {"patient_id": goal.customer}),
            Call("list_doctor_slots", wish),
        ]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        key = {"patient_id": goal.customer, "doctor_id": self.doctor(world, goal)["id"]}
        return [(Call("join_waiting_list", key),)]


class LeaveList(DoctorGoal):
    """Get off a doctor's waiting list."""

    name, phrase = "leave_waiting_list", "get off a doctor's waiting list"

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """One of the doctors waited for; now and then another one."""
        sql = "SELECT name FROM waiting JOIN doctors ON id = doctor_id WHERE patient_id = ? ORDER BY id"
        waiting = world.rows(sql, customer)
        if waiting and rng.random() < 0.7:
            return {"doctor": rng.choice(waiting)["name"]}
        return {"doctor": self.some(rng, world, *CONSULTANTS)["name"]}

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The doctor and the file with its lists."""
        name = {"name": self.doctor(world, goal)["name"]}
        return [Call("find_doctor", name), Call("get_file", {"patient_id": goal.customer})]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        key = {"patient_id": goal.customer, "doctor_id": self.doctor(world, goal)["id"]}
        return [(Call("leave_waiting_list", key),)]


class ChangeFamilyDoctor(DoctorGoal):
    """Get another family doctor."""

    name, phrase = "change_family_doctor", "have another family doctor"

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A doctor other than the present one."""
        doctor = self.some(rng, world, FAMILY, FAMILY, CONSULTANTS[rng.randrange(4)])
        return {"doctor": doctor["name"]} if doctor["id"] != record_of(world, customer)["doctor_id"] else None

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The doctor; the caller's record is known."""
        return [Call("find_doctor", {"name": self.doctor(world, goal)["name"]})]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        key = {"patient_id": goal.customer, "doctor_id": self.doctor(world, goal)["id"]}
        return [(Call("change_family_doctor", key),)]


class ChangeInsurer(GoalKind):
    """Be insured by somebody else."""

    name, phrase = "change_insurer", "tell of another insurance"
    volunteered = ("insurer",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """Another insurer, and the number there."""
        insurer = rng.choice(list(INSURERS))
        present = world.row("SELECT name FROM insurers WHERE id = ?", record_of(world, customer)["insurer_id"])
        if present is None or present[0] == insurer:
            return None
        return {"insurer": insurer, "new_member_number": f"K{rng.randint(100, 999)}"}

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The insurer, and the file with the coming visits."""
        name = {"name": goal.facts["insurer"]}
        return [Call("find_insurer", name), Call("get_file", {"patient_id": goal.customer})]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        insurer = world.row("SELECT id FROM insurers WHERE name = ?", goal.facts["insurer"])
        assert insurer is not None
        fields = {"insurer_id": insurer["id"], "member_number": goal.facts["new_member_number"]}
        return [(Call("change_insurer", {"patient_id": goal.customer, **fields}),)]


class ChargeGoal(GoalKind):
    """A goal about a fee."""

    volunteered: tuple[str, ...] = ("slot_id",)
    can_change = {"slot_id": no_such_slots}

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """One of the caller's unpaid fees."""
        sql = "SELECT slot_id FROM charges WHERE patient_id = ? AND state = 'unpaid' ORDER BY slot_id"
        rows = world.rows(sql, customer)
        return {"slot_id": rng.choice(rows)["slot_id"], **self.draw_more(rng)} if rows else None

    def draw_more(self, rng: random.Random) -> Facts:
        """Further facts."""
        return {}

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The fees."""
        return [Call("list_charges", {"patient_id": goal.customer})]

    @staticmethod
    def charge(world: World, goal: Goal) -> Any:
        """The fee's row."""
        sql = "SELECT * FROM charges WHERE patient_id = ? AND slot_id = ?"
        return world.row(sql, goal.customer, goal.facts["slot_id"])


class PayFee(ChargeGoal):
    """Pay a fee."""

    name, phrase = "pay_fee", "pay the fee for a visit that was missed"

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with what the policy adds."""
        key = {"patient_id": goal.customer, "slot_id": goal.facts["slot_id"]}
        charge = self.charge(world, goal)
        return [(Call("pay_charge", {**key, "amount_cents": policy.due(charge["amount"], charge["charged"])}),)]


class WaiveFee(ChargeGoal):
    """Be let off a fee."""

    name, phrase = "waive_fee", "be let off the fee for a visit that was missed"
    volunteered = ("slot_id", "reason")

    def draw_more(self, rng: random.Random) -> Facts:
        """An excuse."""
        return {"reason": rng.choice(EXCUSES)}

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        facts = {"slot_id": goal.facts["slot_id"], "reason": goal.facts["reason"]}
        return [(Call("waive_charge", {"patient_id": goal.customer, **facts}),)]


class AskDebt(GoalKind):
    """Ask what one owes."""

    name, phrase = "ask_debt", "know what your unpaid fees come to, with what is added for paying late"

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """Nothing, for somebody who owes something."""
        return {} if debt_of(world, customer) else None

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The fees."""
        return [Call("list_charges", {"patient_id": goal.customer})]

    def answers(self, world: World, goal: Goal, policy: ClinicPolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """What is to be paid for all unpaid fees."""
        rows = world.rows("SELECT * FROM charges WHERE patient_id = ? AND state = 'unpaid'", goal.customer)
        return {"due_cents": sum(policy.due(row["amount"], row["charged"]) for row in rows)}


KINDS: Mapping[str, GoalKind] = {
    kind.name: kind()
    for kind in (
        *(BookSpecialist, BookForOther, BookFamilyDoctor, BookDay, MoveVisit, CancelVisit),
        *(RenewPrescription, RenewForOther, GetResult, ResultForOther, PayFee, WaiveFee),
        *(JoinList, LeaveList, ChangeFamilyDoctor, ChangeInsurer),
        *(AskNextVisit, AskCost, AskCancelFee, AskDebt, AskRenewal),
    )
}
"""Its kinds of goals by name."""
