"""Who calls for whom: the records of patients, guardians, and goals on behalf of somebody else."""

from __future__ import annotations

import random
from abc import abstractmethod
from typing import Any

from agentgym_tools.desks.clinic.policy import ClinicPolicy
from agentgym_tools.desks.clinic.world import age_of
from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Facts = dict[str, Value]


def record_of(world: World, patient: Value) -> Any:
    """A patient's row."""
    return world.row("SELECT * FROM patients WHERE id = ?", patient)


def _kind_of_guardian(world: World, patient: Value, guardian: Value) -> str:
    """As what somebody may act for a patient today: parent or carer; "" if not at all."""
    sql = "SELECT kind, until FROM guardians WHERE patient_id = ? AND guardian_id = ?"
    row = world.row(sql, patient, guardian)
    return "" if row is None or row["until"] < TODAY else str(row["kind"])


def against_guardian(world: World, patient: str, caller: Value, right: str, policy: ClinicPolicy) -> list[str]:
    """Why a caller may not have something done for a patient: none for oneself.

    Args:
        world: The world.
        patient: The patient.
        caller: The patient who calls.
        right: What is wanted: visits, prescriptions or results.
        policy: The rules.
    """
    if caller == patient:
        return []
    kind = _kind_of_guardian(world, patient, caller)
    if not kind:
        return ["not_guardian"]
    if kind == "carer":
        return [] if right in policy.carer_rights else ["carer_limits"]
    is_old = right == "results" and age_of(record_of(world, patient)["born"]) >= policy.own_results_age
    return ["old_enough"] if is_old else []


def some_patient(rng: random.Random, world: World) -> Any:
    """Some patient's row, found by the member number, since all are spread alike over those."""
    sql = "SELECT * FROM patients WHERE member_number >= ? ORDER BY member_number LIMIT 1"
    return world.row(sql, f"M{rng.randrange(10**6, 10**7)}") or world.row(sql, "M")


class OtherGoal(GoalKind):
    """A goal for somebody else, whom the caller names; the caller may be no guardian of that patient."""

    right: str
    """What is wanted: visits, prescriptions or results."""
    volunteered: tuple[str, ...] = ("patient_name", "patient_born_on")

    @abstractmethod
    def draw_for(self, rng: random.Random, world: World, patient: str) -> Facts | None:
        """What the patient could need; None if there is no such thing."""

    @abstractmethod
    def reads_of(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[Call]:
        """What is read of the patient for a guardian."""

    @abstractmethod
    def wanted_of(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[tuple[Call, ...]]:
        """Every set of writes with which the caller would be content."""

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """Somebody whose guardian the caller is or was; now and then somebody else."""
        rows = world.rows("SELECT patient_id FROM guardians WHERE guardian_id = ? ORDER BY patient_id", customer)
        if rows and rng.random() < 0.85:
            patient = record_of(world, rng.choice(rows)["patient_id"])
        else:
            patient = some_patient(rng, world)
        more = self.draw_for(rng, world, patient["id"]) if patient["id"] != customer else None
        if more is None:
            return None
        return {"patient_name": patient["name"], "patient_born_on": date_of(patient["born"]), **more}

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The patient and the guardians; nothing more where the caller may not act for the patient."""
        who = {"name": goal.facts["patient_name"], "born_on": goal.facts["patient_born_on"]}
        patient = self.patient(world, goal)
        first = [Call("find_patient", who), Call("list_guardians", {"patient_id": patient})]
        if against_guardian(world, patient, goal.customer, self.right, policy):
            return first
        return [*first, *self.reads_of(world, goal, policy, patient)]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """What would be wanted of the patient's guardian."""
        return self.wanted_of(world, goal, policy, self.patient(world, goal))

    @staticmethod
    def patient(world: World, goal: Goal) -> str:
        """The patient's id."""
        for row in world.rows("SELECT id, born FROM patients WHERE name = ?", goal.facts["patient_name"]):
            if date_of(row["born"]) == goal.facts["patient_born_on"]:
                return str(row["id"])
        raise AssertionError(goal)
