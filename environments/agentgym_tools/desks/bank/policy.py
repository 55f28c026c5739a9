"""The bank's rules: what the agent is told at the start, and the values that its documents state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentgym_tools.desks.bank.world import FEES
from agentgym_tools.desks.policy import Policy, drawn
from agentgym_tools.desks.setting.days import TODAY, date_of

IDENTIFY = {
    "name": ("find_customer_by_name", "the name and date of birth", ("name", "birth_date")),
    "phone": ("find_customer_by_phone", "the phone number and date of birth", ("phone", "birth_date")),
    "email": ("find_customer_by_email", "the e-mail address and zip code", ("email", "zip_code")),
}
"""For each way to know a customer: the tool, the way in words, and the facts."""
GROUNDS = ("not received", "wrong amount", "charged twice", "not authorised", "poor quality")
_BEFORE: Mapping[str, str] = {
    "all": "every change",
    "binding": "a transfer of money between accounts, and before each procedure that its document calls binding",
}


@dataclass(frozen=True)
class BankPolicy(Policy):
    """The rules of a bank. The first two values are told at the start, the others stand in documents."""

    identify_by: str = drawn("name", "phone", "email")
    asks_before: str = drawn("all", "binding")

    block_reasons: tuple[str, ...] = drawn(("lost", "stolen"), ("lost", "stolen", "damaged"), ("stolen", "damaged"))
    max_debit_limit_cents: int = drawn(200_000, 300_000, 500_000, held_out=(250_000, 400_000))
    max_credit_limit_cents: int = drawn(400_000, 600_000, 900_000, held_out=(500_000, 800_000))
    limit_card_days: int = drawn(30, 60, 100, held_out=(45, 90))
    staff_limit_cents: int = drawn(150_000, 250_000, 350_000, held_out=(200_000, 300_000))
    replacement_fee_cents: int = drawn(500, 1_000, 1_500, held_out=(800, 1_200))
    free_replacement: tuple[str, ...] = drawn(("stolen",), ("damaged",), ("stolen", "damaged"))
    max_replacements: int = drawn(1, 2, 3)
    unblock_days: int = drawn(10, 30, 60, held_out=(20, 45))
    unblock_reasons: tuple[str, ...] = drawn(("lost",), ("lost", "pin errors"), ("pin errors", "damaged"))
    barred_regions: tuple[str, ...] = drawn(
        ("North Asia",), ("Gulf", "Andes"), ("West Africa", "North Asia"), held_out=(("Balkans", "Gulf"), ("Oceania",))
    )
    max_abroad_days: int = drawn(20, 40, 60, held_out=(30, 50))
    pin_address_days: int = drawn(10, 20, 30, held_out=(15, 25))

    dispute_days: int = drawn(30, 60, 90, held_out=(45, 75))
    dispute_grounds: tuple[str, ...] = drawn(GROUNDS[:3], GROUNDS[1:4], (GROUNDS[0], GROUNDS[3], GROUNDS[4]))
    dispute_min_cents: int = drawn(500, 1_000, 2_000, held_out=(800, 1_500))
    credit_up_to_cents: int = drawn(10_000, 20_000, 40_000, held_out=(15_000, 30_000))
    staff_dispute_cents: int = drawn(60_000, 90_000, 120_000, held_out=(75_000, 100_000))
    withdraw_days: int = drawn(10, 20, 40, held_out=(15, 30))
    recall_days: int = drawn(2, 5, 10, held_out=(3, 7))
    recall_fee_cents: int = drawn(500, 1_000, 1_500, held_out=(700, 1_200))
    cheque_days: int = drawn(90, 180, 360, held_out=(120, 250))
    cheque_fee_cents: int = drawn(300, 600, 900, held_out=(400, 750))
    foreign_percent: int = drawn(1, 2, 3)
    foreign_min_cents: int = drawn(500, 800, 1_200, held_out=(600, 1_000))
    staff_foreign_cents: int = drawn(100_000, 200_000, 300_000, held_out=(150_000, 250_000))
    barred_countries: tuple[str, ...] = drawn(("BR",), ("US", "NO"), ("PT",), held_out=(("AT", "BR"), ("FR",)))
    max_beneficiaries: int = drawn(3, 4, 5)
    rest_days: int = drawn(1, 3, 7, held_out=(2, 5))
    waivable_fees: tuple[str, ...] = drawn(FEES[:2], FEES[1:3], FEES[2:], (FEES[0], FEES[3]))
    waive_days: int = drawn(20, 40, 80, held_out=(30, 60))
    waive_gap_days: int = drawn(90, 180, 350, held_out=(120, 250))
    waive_percent: int = drawn(50, 75, 100)
    staff_waive_cents: int = drawn(1_000, 2_000, 2_500, held_out=(1_500,))
    savings_free_cents: int = drawn(50_000, 100_000, 150_000, held_out=(80_000, 120_000))

    close_fee_cents: int = drawn(1_000, 2_000, 3_000, held_out=(1_500, 2_500))
    close_fee_days: int = drawn(90, 180, 360, held_out=(120, 250))
    staff_close_cents: int = drawn(300_000, 500_000, 800_000, held_out=(400_000,))
    overdraft_max_cents: int = drawn(100_000, 200_000, 300_000, held_out=(150_000, 250_000))
    overdraft_account_days: int = drawn(90, 180, 360, held_out=(120, 250))
    overdraft_percent: int = drawn(6, 12, 18, held_out=(9, 15))
    consent_matters: tuple[str, ...] = drawn(("closing",), ("overdraft",), ("closing", "overdraft"))
    consent_days: int = drawn(30, 60, 90, held_out=(45, 80))
    deposit_min_cents: int = drawn(50_000, 100_000, 200_000, held_out=(80_000, 150_000))
    rate_6_months: int = drawn(100, 150, 200)
    rate_12_months: int = drawn(150, 200, 250)
    rate_24_months: int = drawn(150, 200, 250)
    hold_days: int = drawn(2, 5, 10, held_out=(3, 7))
    staff_holds: tuple[str, ...] = drawn(("court order",), ("court order", "fraud alert"), ("identity check",))

    notice_days: int = drawn(1, 2, 4, held_out=(3,))
    raise_percent: int = drawn(20, 50, 100, held_out=(30, 75))
    max_pause_months: int = drawn(2, 3, 6, held_out=(4,))
    max_orders: int = drawn(1, 2, 3)
    order_min_cents: int = drawn(500, 1_000, 2_000, held_out=(800, 1_500))
    repay_run_days: int = drawn(180, 360, 700, held_out=(250, 500))
    repay_percent: int = drawn(1, 2, 3)
    staff_repay_cents: int = drawn(600_000, 900_000, 1_200_000, held_out=(750_000,))
    max_deferral_months: int = drawn(1, 2, 3)
    max_deferrals: int = drawn(1, 2)
    instalment_days: tuple[int, ...] = drawn((1, 15), (1, 10, 20), (5, 25), held_out=((10, 25), (1, 5)))
    address_days: int = drawn(5, 15, 30, held_out=(10, 20))
    lead_days: int = drawn(1, 3, 5, held_out=(2, 4))
    max_appointments: int = drawn(1, 2)

    def lines(self) -> list[str]:
        """What the agent has to know before it can look for the rest."""
        tool, by, _ = IDENTIFY[self.identify_by]
        return [
            f"Today is {date_of(TODAY)}. First know the customer by {by}, with {tool}. Change only what belongs to "
            "this customer.",
            f"Ask for the customer's yes before {_BEFORE[self.asks_before]}.",
            "The rules stand in documents. Search for the matter of a request, and open its rules before you decide.",
            "A document counts from its date on. Where several state the same, the one counts that has begun last. It "
            "replaces only what it states.",
            "The customers of this desk are private customers. Documents for business customers, private banking or "
            "staff do not count for them.",
            "Most changes are made by procedures, which only documents name. Open the document of a procedure, "
            "then call it by use_procedure. Of several versions, too, the one counts that has begun last.",
            "Before you decide on a request, read the account, card, payment, order, loan or fee that it is about.",
            "A period of N days includes the Nth day. Amounts are in cents; parts of a cent are dropped.",
            "Refuse what a rule forbids. Hand a customer over to the staff only where a rule says so and no other rule "
            "forbids the request.",
        ]
