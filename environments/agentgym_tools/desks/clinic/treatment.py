"""What callers of the clinic want of prescriptions and test results."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks.clinic.callers import Facts, OtherGoal
from agentgym_tools.desks.clinic.policy import ClinicPolicy
from agentgym_tools.desks.clinic.world import PHARMACIES
from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.setting.days import date_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

CHANNELS = ("portal", "letter", "phone")


def _pharmacies(world: World) -> Sequence[Value]:
    return PHARMACIES


class PrescriptionGoal(GoalKind):
    """A goal about a drug that the caller takes."""

    volunteered: tuple[str, ...] = ("drug",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """One of the caller's drugs."""
        return self.draw_drug(rng, world, customer)

    @staticmethod
    def draw_drug(rng: random.Random, world: World, patient: str) -> Facts | None:
        """One of a patient's drugs."""
        rows = world.rows("SELECT drug FROM prescriptions WHERE patient_id = ? ORDER BY id", patient)
        return {"drug": rng.choice(rows)["drug"]} if rows else None

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The prescription."""
        return [Call("find_prescription", {"patient_id": goal.customer, "drug": goal.facts["drug"]})]

    @staticmethod
    def prescription(world: World, goal: Goal, patient: str) -> Any:
        """The prescription's row."""
        sql = "SELECT * FROM prescriptions WHERE patient_id = ? AND drug = ?"
        return world.row(sql, patient, goal.facts["drug"])


class RenewPrescription(PrescriptionGoal):
    """Renew a prescription."""

    name, phrase = "renew_prescription", "have a prescription renewed"
    volunteered: tuple[str, ...] = ("drug", "pharmacy")
    can_change = {"pharmacy": _pharmacies}
    can_reconsider = ("pharmacy",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A drug and a pharmacy."""
        return self.draw_renewal(rng, world, customer)

    def draw_renewal(self, rng: random.Random, world: World, patient: str) -> Facts | None:
        """The same of some patient."""
        drug = self.draw_drug(rng, world, patient)
        return None if drug is None else {**drug, "pharmacy": rng.choice(PHARMACIES)}

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The prescription, and the file with the last visit."""
        return self.reads_for(goal, goal.customer)

    @staticmethod
    def reads_for(goal: Goal, patient: str) -> list[Call]:
        """The same for some patient."""
        found = Call("find_prescription", {"patient_id": patient, "drug": goal.facts["drug"]})
        return [found, Call("get_file", {"patient_id": patient})]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        return self.wanted_for(world, goal, policy, goal.customer)

    def wanted_for(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[tuple[Call, ...]]:
        """The same for some patient, for as many days as the policy says."""
        arguments = {
            "prescription_id": self.prescription(world, goal, patient)["id"],
            "supply_days": policy.supply_days,
            "pharmacy": goal.facts["pharmacy"],
            "requested_by": goal.customer,
        }
        return [(Call("renew_prescription", arguments),)]


class RenewForOther(OtherGoal, RenewPrescription):
    """Renew somebody else's prescription."""

    right = "prescriptions"
    name, phrase = "renew_for_other", "have a prescription renewed for somebody else"
    volunteered = (*OtherGoal.volunteered, *RenewPrescription.volunteered)

    def draw_for(self, rng: random.Random, world: World, patient: str) -> Facts | None:
        """A drug and a pharmacy."""
        return self.draw_renewal(rng, world, patient)

    def reads_of(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[Call]:
        """The prescription, and the file with the last visit."""
        return self.reads_for(goal, patient)

    def wanted_of(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[tuple[Call, ...]]:
        """The one call."""
        return self.wanted_for(world, goal, policy, patient)


class AskRenewal(PrescriptionGoal):
    """Ask from when a prescription may be renewed."""

    name, phrase = "ask_renewal", "know the first day on which a prescription may be renewed"

    def answers(self, world: World, goal: Goal, policy: ClinicPolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """So many days before it runs out as the policy says."""
        row = self.prescription(world, goal, goal.customer)
        return {"renewal_on": date_of(row["runs_out"] - policy.early_days)}


class GetResult(GoalKind):
    """Get a test result."""

    name, phrase = "get_result", "get the result of a test"
    volunteered: tuple[str, ...] = ("test", "channel")
    can_reconsider = ("channel",)

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A test, and how the result is to come."""
        return self.draw_result(rng, world, customer)

    @staticmethod
    def draw_result(rng: random.Random, world: World, patient: str) -> Facts | None:
        """The same of some patient."""
        rows = world.rows("SELECT test FROM results WHERE patient_id = ? ORDER BY id", patient)
        return {"test": rng.choice(rows)["test"], "channel": rng.choice(CHANNELS)} if rows else None

    def reads(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[Call]:  # type: ignore[override]
        """The result."""
        return [Call("find_result", {"patient_id": goal.customer, "test": goal.facts["test"]})]

    def wanted(self, world: World, goal: Goal, policy: ClinicPolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call."""
        return self.wanted_for(world, goal, goal.customer)

    @staticmethod
    def wanted_for(world: World, goal: Goal, patient: str) -> list[tuple[Call, ...]]:
        """The same for some patient."""
        row = world.row("SELECT id FROM results WHERE patient_id = ? AND test = ?", patient, goal.facts["test"])
        assert row is not None
        arguments = {"result_id": row["id"], "channel": goal.facts["channel"], "requested_by": goal.customer}
        return [(Call("release_result", arguments),)]


class ResultForOther(OtherGoal, GetResult):
    """Get somebody else's test result."""

    right = "results"
    name, phrase = "result_for_other", "get the result of somebody else's test"
    volunteered = (*OtherGoal.volunteered, *GetResult.volunteered)

    def draw_for(self, rng: random.Random, world: World, patient: str) -> Facts | None:
        """A test, and how the result is to come."""
        return self.draw_result(rng, world, patient)

    def reads_of(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[Call]:
        """The result."""
        return [Call("find_result", {"patient_id": patient, "test": goal.facts["test"]})]

    def wanted_of(self, world: World, goal: Goal, policy: ClinicPolicy, patient: str) -> list[tuple[Call, ...]]:
        """The one call."""
        return self.wanted_for(world, goal, patient)
