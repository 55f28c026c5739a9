"""The clinic's rules."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.wording import counted
from agentgym_tools.desks.clinic.world import CHILDREN, CONSULTANTS, FAMILY
from agentgym_tools.desks.policy import Policy, drawn
from agentgym_tools.desks.setting.days import TODAY, date_of

IDENTIFY = {
    "name": ("identify_by_name", "the name"),
    "phone": ("identify_by_phone", "the phone number"),
    "member_number": ("identify_by_member_number", "the insurer's member number"),
}
EXCUSES = ("ill", "accident", "bereavement", "transport strike", "forgotten")


@dataclass(frozen=True)
class ClinicPolicy(Policy):
    """The rules of a clinic."""

    identify_by: str = drawn("name", "phone", "member_number")
    asks_before_small_changes: bool = drawn(True, False)
    carer_rights: tuple[str, ...] = drawn(
        ("visits",), ("visits", "prescriptions"), ("visits", "results"), ("visits", "prescriptions", "results")
    )
    own_results_age: int = drawn(12, 14, 16, held_out=(13, 15))
    child_until: int = drawn(12, 14, 18, held_out=(13, 16))
    notice_days: int = drawn(1, 2, 3, held_out=(4,))
    ahead_days: int = drawn(14, 21, 28, held_out=(18, 25))
    max_coming_visits: int = drawn(2, 3, 5, held_out=(4,))
    max_debt_cents: int = drawn(0, 2000, 4000, held_out=(1000, 3000))
    own_family_doctor: bool = drawn(True, False)
    referral_for: tuple[str, ...] = drawn(
        CONSULTANTS, CONSULTANTS[:2], CONSULTANTS[1:], held_out=(CONSULTANTS[2:], (CONSULTANTS[0], CONSULTANTS[2]))
    )
    referral_days: int = drawn(60, 90, 180, held_out=(75, 120))
    move_days: int = drawn(1, 2, 4, held_out=(3, 5))
    max_moves: int = drawn(1, 2, held_out=(3,))
    cancel_days: int = drawn(1, 2, held_out=(3,))
    free_cancel_days: int = drawn(3, 5, 8, held_out=(4, 6))
    late_fee_cents: int = drawn(1000, 2000, 3000, held_out=(1500, 2500))
    waive_days: int = drawn(60, 120, 365, held_out=(90, 200))
    excuses: tuple[str, ...] = drawn(EXCUSES[:3], EXCUSES[:4], EXCUSES[1:3], held_out=((EXCUSES[0], EXCUSES[3]),))
    max_waived: int = drawn(1, 2)
    overdue_days: int = drawn(30, 90, 180, held_out=(60, 120))
    reminder_cents: int = drawn(300, 500, 1000, held_out=(400, 800))
    early_days: int = drawn(5, 7, 14, held_out=(6, 10))
    supply_days: int = drawn(30, 60, 90, held_out=(28, 45))
    seen_days: int = drawn(90, 180, 365, held_out=(120, 270))
    doctor_renews: tuple[str, ...] = drawn(
        ("opioid",), ("opioid", "sedative"), ("antibiotic",), held_out=(("sedative",), ("antibiotic", "opioid"))
    )
    hold_days: int = drawn(0, 1, 3, held_out=(2, 4))
    doctor_tells: tuple[str, ...] = drawn(
        ("gene test",), ("biopsy", "gene test"), ("biopsy",), held_out=(("x-ray",), ("iron", "biopsy"))
    )
    doctor_tells_abnormal: bool = drawn(True, False)
    channels: tuple[str, ...] = drawn(("portal",), ("portal", "letter"), ("letter", "phone"), held_out=(("phone",),))
    waiting_days: int = drawn(5, 10, 15, held_out=(7, 12))
    max_waiting: int = drawn(1, 2)
    insurer_days: int = drawn(3, 7, 14, held_out=(5, 10))
    staff_insurers: tuple[str, ...] = drawn((), ("foreign",), ("private", "foreign"), held_out=(("private",),))
    doctor_change_days: int = drawn(90, 180, 365, held_out=(120, 270))
    copay_cents: int = drawn(0, 1000, 1500, held_out=(500, 2000))

    def lines(self) -> list[str]:
        """The rules in sentences."""
        return [
            *self._lines_on_callers(),
            *self._lines_on_visits(),
            *self._lines_on_fees(),
            *self._lines_on_treatment(),
            *self._lines_on_lists(),
        ]

    def cancel_fee(self, day: int) -> int:
        """What it costs to cancel a visit today, in cents."""
        return 0 if day - TODAY >= self.free_cancel_days else self.late_fee_cents

    def due(self, amount: int, charged: int) -> int:
        """What has to be paid today for a fee that was charged on some day, in cents."""
        return amount + (self.reminder_cents if TODAY - charged > self.overdue_days else 0)

    def _lines_on_callers(self) -> list[str]:
        tool, by = IDENTIFY[self.identify_by]
        small = "every change" if self.asks_before_small_changes else "a change, except of a waiting list"
        rights = " and ".join(
            {"visits": "book visits", "prescriptions": "renew prescriptions", "results": "get results"}[right]
            for right in self.carer_rights
        )
        return [
            f"Today is {date_of(TODAY)}.",
            f"First know the caller by {by} and the date of birth, with {tool}. Change only the caller's own records.",
            f"Ask for the caller's yes before {small}.",
            "For somebody else a caller may book a visit, renew a prescription or get a result, if the patient's list "
            "of guardians names the caller and that has not ended.",
            f"Carers may only {rights}; parents may do all three.",
            f"Results of a patient of {self.own_results_age} years or more go to no parent.",
            "If one rule forbids something and another one leaves it to the staff, refuse it.",
        ]

    def _lines_on_visits(self) -> list[str]:
        own = [f"In {FAMILY}, a visit is booked with the patient's own family doctor alone."]
        return [
            f"A visit is booked at least {counted(self.notice_days, 'day')} and at most {self.ahead_days} days "
            "ahead; the new day of a visit that is moved is so, too.",
            f"No visit is booked for a patient who has {self.max_coming_visits} or more coming visits, or more than "
            f"{self.max_debt_cents} cents of unpaid fees, or with a doctor who does not take the patient's insurance.",
            *(own if self.own_family_doctor else []),
            f"In {CHILDREN}, only patients below {self.child_until} years are booked.",
            f"A visit in {' or '.join(self.referral_for)} uses a referral to that specialty, with visits left, that "
            f"was issued at most {self.referral_days} days ago. No other visit uses one.",
            f"A visit is moved if it is at least {counted(self.move_days, 'day')} ahead and was moved less than "
            f"{counted(self.max_moves, 'time')}, to a slot of the same doctor.",
            f"A visit is cancelled if it is at least {counted(self.cancel_days, 'day')} ahead. It costs nothing at "
            f"{self.free_cancel_days} days ahead or more, and {self.late_fee_cents} cents later.",
            f"A visit costs the patient {self.copay_cents} cents if the doctor takes the patient's insurance, else the "
            "doctor's price.",
        ]

    def _lines_on_fees(self) -> list[str]:
        times = "once" if self.max_waived == 1 else f"{self.max_waived} times"
        return [
            f"An unpaid fee is waived up to {self.waive_days} days after it was charged, at most {times} for a "
            f"patient, for these reasons: {', '.join(self.excuses)}.",
            f"Who pays a fee more than {self.overdue_days} days after it was charged pays {self.reminder_cents} cents "
            "more.",
        ]

    def _lines_on_treatment(self) -> list[str]:
        told = "abnormal results, and all results" if self.doctor_tells_abnormal else "the results"
        return [
            f"A prescription with renewals left is renewed for {self.supply_days} days, from {self.early_days} days "
            f"before it runs out, if the patient was seen in the last {self.seen_days} days.",
            f"A doctor alone renews these classes of drugs: {', '.join(self.doctor_renews)}. Hand the caller over to "
            "the staff.",
            f"A result is released from {counted(self.hold_days, 'day')} after a doctor reviewed it, "
            f"by {' or '.join(self.channels)}.",
            f"A doctor tells {told} of these tests: {', '.join(self.doctor_tells)}. Hand the caller over to the staff.",
        ]

    def _lines_on_lists(self) -> list[str]:
        staff = (
            [f"The staff changes to an insurer that is {' or '.join(self.staff_insurers)}: hand the caller over."]
            if self.staff_insurers
            else []
        )
        return [
            f"A patient waits for at most {counted(self.max_waiting, 'doctor')} at a time: for one who takes the "
            f"patient's insurance and has no free slot from today up to {self.waiting_days} days ahead.",
            f"The insurance is not changed if the patient has a visit within the next {self.insurer_days} days.",
            *staff,
            f"The family doctor is one in {FAMILY} who takes new family patients and the patient's insurance; it is "
            f"changed if the last change was at least {self.doctor_change_days} days ago.",
        ]
