"""The insurance company's rules."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.wording import counted
from agentgym_tools.desks.insurance.world import YEAR
from agentgym_tools.desks.policy import Policy, drawn

IDENTIFY = {
    "birth": ("find_customer_by_birth", "the name and date of birth", ("name", "birth_date")),
    "phone": ("find_customer_by_phone", "the phone number and date of birth", ("phone", "birth_date")),
    "email": ("find_customer_by_email", "the e-mail address and zip code", ("email", "zip_code")),
}
"""For each way to know a customer: the tool, the way in words, and the facts."""
CANCEL_REASONS = ("insured thing sold", "moving abroad", "insured elsewhere", "too expensive")
SMALL_CHANGES = ("add_document", "change_address", "defer_premium", "reopen_claim")
MONEY_CHANGES = ("pay_claim", "cancel_contract", "add_driver", "extend_trip", "reinstate_contract", "change_account")


@dataclass(frozen=True)
class InsurancePolicy(Policy):
    """The rules of an insurance company."""

    identify_by: str = drawn("birth", "phone", "email")
    asks_before: str = drawn("all", "larger", "money")

    report_days: int = drawn(5, 10, 20, 30, held_out=(7, 14, 25))
    waiting_days: int = drawn(10, 30, 60, held_out=(20, 45))
    waiting_lines: tuple[str, ...] = drawn(
        ("home",), ("car", "home"), ("travel", "home"), (), held_out=(("car",), ("car", "home", "travel"))
    )
    max_claims_a_year: int = drawn(1, 2, 3)
    staff_claim_cents: int = drawn(200_000, 300_000, 400_000, held_out=(250_000, 350_000))
    always_needed: tuple[str, ...] = drawn(("photo",), ("bill",), ("photo", "bill"))
    police_for: tuple[str, ...] = drawn(
        ("theft",), ("theft", "vandalism"), ("theft", "collision"), held_out=(("fire", "theft"), ("accident", "theft"))
    )
    expert_above_cents: int = drawn(50_000, 100_000, 150_000, held_out=(80_000, 120_000))
    document_days: int = drawn(30, 60, 120, held_out=(45, 90))
    waived_perils: tuple[str, ...] = drawn(
        ("glass",), ("hail", "illness"), ("fire",), (), held_out=(("storm", "glass"), ("theft",))
    )
    keeps_back_due: bool = drawn(True, False)
    account_rest_days: int = drawn(0, 14, 30, held_out=(7, 21))
    withdraw_days: int = drawn(10, 30, 60, held_out=(20, 45))
    reopen_days: int = drawn(20, 40, 80, held_out=(30, 60))
    reopen_needs_document: bool = drawn(True, False)

    cooling_off_days: int = drawn(14, 21, 30, held_out=(10, 25))
    cancel_reasons: tuple[str, ...] = drawn(
        CANCEL_REASONS[:2], CANCEL_REASONS[:3], CANCEL_REASONS[:1], held_out=((CANCEL_REASONS[0], CANCEL_REASONS[2]),)
    )
    cancel_fee_cents: int = drawn(0, 1_000, 1_500, held_out=(500, 1_200))
    keeps_premium_after_payout: bool = drawn(True, False)
    retention_above_cents: int = drawn(2_800, 3_700, 4_500, held_out=(3_300, 4_000))
    tariff_run_days: int = drawn(30, 90, 180, held_out=(60, 120))
    max_level_steps: int = drawn(1, 2)
    driver_min_age: int = drawn(18, 20, 23, held_out=(19, 21))
    young_below_age: int = drawn(25, 27, 30, held_out=(26, 28))
    young_surcharge_cents: int = drawn(500, 1_000, 1_500, held_out=(700, 1_200))
    max_drivers: int = drawn(1, 2, 3)
    bonus_lines: tuple[str, ...] = drawn(("car",), ("car", "home"), ("home",))
    bonus_years: int = drawn(1, 2, 3)
    bonus_percent: int = drawn(5, 10, 15, held_out=(8, 12))
    max_deferral_days: int = drawn(14, 30, 45, held_out=(20, 35))
    staff_due_cents: int = drawn(6_000, 9_000, 12_000, held_out=(7_500, 10_500))
    extension_day_cents: int = drawn(150, 200, 300, held_out=(180, 250))
    max_trip_days: int = drawn(30, 45, 60, held_out=(35, 50))
    reinstate_days: int = drawn(30, 50, 90, held_out=(40, 60))
    reinstate_fee_cents: int = drawn(0, 1_000, 2_000, held_out=(800, 1_500))

    risk_towns: tuple[str, ...] = drawn(
        ("Greyport", "Brightwater"), ("Coldwell", "Fairhaven", "Arden"), ("Dunmore",), held_out=(("Elmstead", "Arden"),)
    )
    account_countries: tuple[str, ...] = drawn(
        ("AT", "DE"), ("DE", "FR", "NO"), ("AT", "DE", "FR", "NO"), held_out=(("FR", "NO", "US"), ("AT", "BR"))
    )
    account_gap_days: int = drawn(15, 30, 90, held_out=(20, 60))
    account_waits_for_claims: bool = drawn(True, False)

    @property
    def bonus_days(self) -> int:
        """How long a contract has to run without a payout before it earns a bonus."""
        return self.bonus_years * YEAR

    def lines(self) -> list[str]:
        """The rules in sentences."""
        return [*self._general(), *self._of_claims(), *self._of_payouts(), *self._of_contracts(), *self._of_customers()]

    def _general(self) -> list[str]:
        tool, by, _ = IDENTIFY[self.identify_by]
        before = {
            "all": "every change",
            "larger": f"every change except {_listed(SMALL_CHANGES)}",
            "money": f"{_listed(MONEY_CHANGES)}; other changes need none",
        }
        return [
            f"First know the customer by {by}, with {tool}. Change only what belongs to this customer.",
            f"Ask for the customer's yes before {before[self.asks_before]}.",
            "Before you decide on a request, read the contract or the claim that it is about.",
            "A period of N days includes the Nth day. Amounts are in cents.",
            "Refuse what a rule forbids. Hand a customer over to the staff only where a rule says so and no other rule "
            "forbids the request.",
        ]

    def _of_claims(self) -> list[str]:
        waiting = (
            f"Waiting period: in the lines {_listed(self.waiting_lines)}, a loss fewer than {self.waiting_days} days "
            "after the start day is not covered. Other lines have none."
        )
        document = ", and only if a document of it came after the day on which it was settled"
        return [
            "A claim is filed only on an active contract, for a peril that its tariff covers and a loss on its "
            "start day or later and before its end day. The same loss (contract, peril and day) is filed once.",
            waiting if self.waiting_lines else "There is no waiting period: losses are covered from the start day.",
            f"A loss must be reported at most {self.report_days} days after it happened.",
            f"If {self.max_claims_a_year} or more claims of the contract were reported in the last {YEAR} days, "
            "whatever became of them, the staff files the next one.",
            f"Claims of more than {self.staff_claim_cents} are filed and paid by the staff.",
            f"A claim needs these documents: {_listed(self.always_needed)}; for {_listed(self.police_for)} also a "
            f"police report; and for more than {self.expert_above_cents} also an expert opinion.",
            "Documents are taken in only for an open claim that needs them and lacks them, until "
            f"{self.document_days} days after the claim was reported.",
            f"An open claim may be withdrawn until {self.withdraw_days} days after it was reported.",
            f"A rejected claim may be reopened until {self.reopen_days} days after it was settled"
            f"{document if self.reopen_needs_document else ''}.",
        ]

    def _of_payouts(self) -> list[str]:
        waived = f" For {_listed(self.waived_perils)} no deductible is taken." if self.waived_perils else ""
        due = ", and less what is due on the contract" if self.keeps_back_due else ""
        rested = f", and only if it was changed {self.account_rest_days} days ago or earlier"
        return [
            "An open claim is paid when all its documents are there. The payout is the claimed amount, but at most "
            f"what the contract's tariff covers for the peril, less the contract's deductible{due}.{waived} If nothing "
            "is left, refuse.",
            f"Payouts go only to the customer's account on file{rested if self.account_rest_days else ''}.",
        ]

    def _of_contracts(self) -> list[str]:
        kept = f" If a claim of the contract was paid in the last {YEAR} days, nothing goes back in either case."
        fee = f", less a fee of {self.cancel_fee_cents} (but never below 0)" if self.cancel_fee_cents else ""
        steps = "the same level or the next one up or down" if self.max_level_steps == 1 else "any level"
        return [
            "Only active contracts are cancelled, extended, given another tariff, a further driver or a bonus.",
            f"Until {self.cooling_off_days} days after its start a contract may be cancelled for any reason, and what "
            "was paid for the term goes back. Later it may be cancelled only for one of these reasons: "
            f"{_listed(self.cancel_reasons)}; then the monthly premium of the whole months left goes back{fee}."
            f"{kept if self.keeps_premium_after_payout else ''}",
            "A contract on which something is due, or that has an open claim, is not cancelled.",
            f"If the monthly premium is more than {self.retention_above_cents}, the staff cancels.",
            f"The tariff may be changed {self.tariff_run_days} days after the start or later, to {steps}, while no "
            "claim of the contract is open. The levels are basic, plus and full, in this order.",
            f"A car may have at most {counted(self.max_drivers, 'further driver')}, each at least "
            f"{self.driver_min_age} years old. One younger than {self.young_below_age} costs a surcharge of "
            f"{self.young_surcharge_cents}, others 0.",
            f"Contracts of the line {' or '.join(self.bonus_lines)} earn one bonus, of {self.bonus_percent} percent, "
            f"when they have run for {self.bonus_days} days or more and no claim of theirs was paid in the last "
            f"{self.bonus_days} days.",
            "What is due on an active or lapsed contract may be deferred once, by at most "
            f"{self.max_deferral_days} days. If more than {self.staff_due_cents} is due, the staff does it.",
            "A trip may be extended once, on its end day at the latest, to at most "
            f"{self.max_trip_days} days in all; each further day costs {self.extension_day_cents}.",
            f"A lapsed contract is reinstated until {self.reinstate_days} days after it lapsed, if nothing is due on "
            f"it, for a fee of {self.reinstate_fee_cents}.",
        ]

    def _of_customers(self) -> list[str]:
        frozen = ", and not while a claim of the customer is open" if self.account_waits_for_claims else ""
        return [
            f"If a customer with an active home contract moves to {' or '.join(self.risk_towns)}, the staff changes "
            "the address. Any other address is changed here.",
            f"The account on file may be changed if its last change was {self.account_gap_days} days ago or "
            f"earlier{frozen}. If the new one does not begin with {' or '.join(self.account_countries)}, the staff "
            "changes it.",
        ]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
