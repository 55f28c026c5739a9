"""The clinic as a desk: who calls, whose records a call changes, and what its tasks are like."""

from __future__ import annotations

import random

from agentgym_tools.desks.clinic import rules
from agentgym_tools.desks.clinic.callers import record_of, some_patient
from agentgym_tools.desks.clinic.goals import KINDS
from agentgym_tools.desks.clinic.policy import IDENTIFY, ClinicPolicy
from agentgym_tools.desks.clinic.tools import ClinicTools
from agentgym_tools.desks.clinic.words import SYNONYMS, TOLD
from agentgym_tools.desks.clinic.world import ADULT_AGE, SIZES, age_of
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.desks.templates import Template, depending
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

_SMALL = frozenset({"join_waiting_list", "leave_waiting_list"})


def _refused(kind: str, *reasons: str) -> tuple[Template, ...]:
    return tuple(Template((kind,), "transfer" if why in rules.STAFF else "refuse", why) for why in reasons)


class Clinic(Domain):
    """The desk of a clinic."""

    name = "clinic"
    title = "the patients of a clinic"
    toolbox, policy, kinds, sizes, today = ClinicTools, ClinicPolicy, KINDS, SIZES, TODAY
    customers_table = "patients"
    subjects = ("slot_id", "drug", "test", "doctor", "insurer", "specialty", "daytime", "patient_name")
    told, synonyms = TOLD, SYNONYMS
    facts = {
        "name": "the caller's name",
        "born_on": "the caller's date of birth",
        "phone": "the caller's phone number",
        "member_number": "the number at the caller's insurer",
        "patient_name": "the name of the patient who is called for",
        "patient_born_on": "that patient's date of birth",
        "specialty": "the specialty",
        "daytime": "morning or afternoon",
        "doctor": "the doctor's name",
        "wished_on": "the day that is wished for",
        "slot_id": "the number of the visit",
        "visit_on": "the day of the visit",
        "drug": "the drug",
        "pharmacy": "the pharmacy",
        "test": "the test",
        "channel": "how the result is to come",
        "reason": "why the visit was missed",
        "insurer": "the new insurer",
        "new_member_number": "the number at the new insurer",
        "next_visit_on": "the day of the next visit",
        "cost_cents": "what the patient pays for the visit, in cents",
        "cancel_fee_cents": "what it costs to cancel the visit, in cents",
        "due_cents": "what has to be paid for the unpaid fees, in cents",
        "renewal_on": "the first day on which the prescription may be renewed",
    }
    reasons = {
        "not_guardian": "the caller may not act for this patient",
        "carer_limits": "a carer may not have this done",
        "old_enough": "the patient is too old for a parent to get results",
        "slot_taken": "the slot is not free",
        "too_old": "the patient is too old for paediatrics",
        "not_covered": "the doctor does not take the insurance",
        "other_family_doctor": "it is not the patient's own family doctor",
        "no_referral": "there is no referral",
        "referral_used": "the referral has no visits left",
        "referral_expired": "the referral is too old",
        "referral_not_needed": "no referral is used for this visit",
        "too_many_visits": "the patient has too many coming visits",
        "unpaid_fees": "the patient owes too much",
        "too_soon": "the day is too soon",
        "too_far": "the day is too far ahead",
        "not_coming": "the visit is not a coming one",
        "too_late": "it is too late",
        "moved_too_often": "the visit was moved too often",
        "other_doctor": "it is another doctor's slot",
        "none_left": "the prescription has no renewals left",
        "too_early": "the prescription runs out too late",
        "not_seen": "the patient was not seen for too long",
        "wrong_supply": "the supply is for another number of days",
        "doctor_renews": "a doctor alone renews this",
        "not_reviewed": "no doctor has reviewed the result",
        "on_hold": "the result was reviewed too lately",
        "channel_not_used": "results do not go this way",
        "doctor_tells": "a doctor tells this result",
        "nothing_unpaid": "there is no such unpaid fee",
        "wrong_amount": "the amount is another one",
        "no_excuse": "the reason is none that is accepted",
        "waived_before": "fees were waived before",
        "on_list_already": "the patient is on the list already",
        "too_many_lists": "the patient waits for too many doctors",
        "slots_free": "the doctor has free slots",
        "not_on_list": "the patient is not on the list",
        "visit_soon": "the patient has a visit soon",
        "staff_insurer": "the staff changes to this insurer",
        "no_family_doctor": "the doctor is no family doctor",
        "takes_no_new_patients": "the doctor takes no new patients",
        "changed_lately": "the family doctor was changed lately",
    }
    templates = (
        *(Template((kind,), "answer" if kind.startswith("ask_") else "do") for kind in KINDS),
        *_refused("book_specialist", "too_old", "no_referral", "referral_used", "referral_expired"),
        *_refused("book_specialist", "too_many_visits", "unpaid_fees"),
        *_refused("book_for_other", "not_guardian", "too_old", "no_referral"),
        *_refused("book_family_doctor", "not_covered", "too_many_visits", "unpaid_fees", "too_far"),
        *_refused("book_day", "not_covered", "other_family_doctor", "too_soon", "too_far"),
        *_refused("move_visit", "too_late", "moved_too_often", "too_far"),
        *_refused("cancel_visit", "not_coming", "too_late"),
        *_refused("renew_prescription", "none_left", "too_early", "not_seen", "doctor_renews"),
        *_refused("renew_for_other", "not_guardian", "carer_limits", "too_early", "doctor_renews"),
        *_refused("get_result", "not_reviewed", "on_hold", "channel_not_used", "doctor_tells"),
        *_refused("result_for_other", "not_guardian", "carer_limits", "old_enough", "not_reviewed", "doctor_tells"),
        *_refused("waive_fee", "no_excuse", "too_late", "waived_before"),
        *_refused("join_waiting_list", "on_list_already", "not_covered", "too_many_lists", "slots_free"),
        *_refused("leave_waiting_list", "not_on_list"),
        *_refused("change_insurer", "visit_soon", "staff_insurer"),
        *_refused("change_family_doctor", "no_family_doctor", "takes_no_new_patients", "not_covered", "changed_lately"),
        Template(("pay_fee", "book_specialist"), "do"),
        Template(("ask_debt", "pay_fee"), "do"),
        Template(("cancel_visit", "book_family_doctor"), "do"),
        Template(("renew_prescription", "get_result"), "do"),
        Template(("result_for_other", "renew_prescription"), "do"),
        Template(("ask_cost", "move_visit", "ask_renewal"), "answer"),
        Template(("change_family_doctor", "book_family_doctor"), "do"),
        Template(("ask_next_visit", "waive_fee"), "refuse", "waived_before"),
        Template(("get_result", "renew_prescription"), "transfer", "doctor_renews"),
        *depending(("book_specialist", "book_family_doctor"), "refused"),
        *depending(("cancel_visit", "book_day"), "done"),
    )

    def draw_customer(self, rng: random.Random, world: World) -> str:
        """Some patient's key; for a child, that of one of its guardians."""
        patient = some_patient(rng, world)
        if age_of(patient["born"]) >= ADULT_AGE:
            return str(patient["id"])
        sql = "SELECT guardian_id FROM guardians WHERE patient_id = ? ORDER BY guardian_id"
        return str(rng.choice(world.rows(sql, patient["id"]))[0])

    def profile(self, world: World, customer: str) -> dict[str, Value]:
        """Name, date of birth, phone number and member number."""
        row = record_of(world, customer)
        return {
            "name": row["name"],
            "born_on": date_of(row["born"]),
            "phone": row["phone"],
            "member_number": row["member_number"],
        }

    def identification(self, world: World, customer: str, policy: ClinicPolicy) -> Call:
        """By what the policy says, and the date of birth."""
        profile = self.profile(world, customer)
        tool, _ = IDENTIFY[policy.identify_by]
        return Call(tool, {name: profile[name] for name in (policy.identify_by, "born_on")})

    def objections(self, world: World, call: Call, policy: ClinicPolicy) -> list[str]:
        """What the rules say against a call."""
        return rules.objections(world, call.tool, call.arguments, policy)

    def owner(self, world: World, call: Call) -> str | None:
        """The caller who is named, else the patient, or the one whose visit it is."""
        for name in ("requested_by", "patient_id"):
            if name in call.arguments:
                return str(call.arguments[name])
        row = world.row("SELECT patient_id FROM slots WHERE id = ?", call.arguments["slot_id"])
        return None if row is None or row[0] is None else str(row[0])

    def needs_yes(self, tool: str, policy: ClinicPolicy) -> bool:
        """Every change, or every one but those of waiting lists."""
        return policy.asks_before_small_changes or tool not in _SMALL

    def is_for_staff(self, reason: str, policy: ClinicPolicy) -> bool:
        """What only a doctor or the staff may do."""
        return reason in rules.STAFF


CLINIC = Clinic()
"""The desk of a clinic: visits, referrals, prescriptions, results, fees, waiting lists, insurance, family doctors."""
