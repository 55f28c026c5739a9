"""What follows from rows and rules: payouts, refunds, missing documents; goals and objections reckon alike by it."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.insurance.policy import InsurancePolicy
from agentgym_tools.desks.insurance.world import YEAR
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds import World

_CONTRACT = (
    "SELECT contracts.*, line, level, deductible, premium FROM contracts JOIN tariffs ON tariffs.id = tariff_id "
    "WHERE contracts.id = ?"
)
_MONTH = 30
MAX_NUMBER = 10**9
"""The largest number that tools take; the database holds no larger ones than 2^63."""


def contract_of(world: World, contract_id: object) -> Any:
    """A contract with its tariff's line, level, deductible and premium; None if there is none."""
    return world.row(_CONTRACT, contract_id)


def claim_of(world: World, claim_id: int) -> Any:
    """A claim; None if there is none."""
    return None if abs(claim_id) > MAX_NUMBER else world.row("SELECT * FROM claims WHERE id = ?", claim_id)


def claims_on(world: World, contract_id: object) -> list[Any]:
    """The claims of a contract in order of their numbers."""
    return world.rows("SELECT * FROM claims WHERE contract_id = ? ORDER BY id", contract_id)


def has_open_claim(world: World, contract_id: object) -> bool:
    """Whether a claim of a contract is open."""
    return any(claim["state"] == "open" for claim in claims_on(world, contract_id))


def was_paid_within(world: World, contract_id: object, days: int) -> bool:
    """Whether a claim of a contract was paid in the last so many days."""
    return any(claim["state"] == "paid" and TODAY - claim["settled"] <= days for claim in claims_on(world, contract_id))


def was_extended(world: World, contract_id: object) -> bool:
    """Whether a trip was made longer before."""
    return world.row("SELECT 1 FROM bookings WHERE contract_id = ? AND what = 'extended'", contract_id) is not None


def documents_of(world: World, claim_id: object) -> dict[str, int]:
    """The documents of a claim with the days on which they came."""
    rows = world.rows("SELECT kind, received FROM documents WHERE claim_id = ? ORDER BY kind", claim_id)
    return {row["kind"]: row["received"] for row in rows}


def most_covered(world: World, tariff_id: object, peril: object) -> int:
    """The most that a tariff pays for a peril, in cents; 0 where it does not cover it."""
    row = world.row("SELECT most FROM covers WHERE tariff_id = ? AND peril = ?", tariff_id, peril)
    return 0 if row is None else int(row["most"])


def documents_needed(claim: Any, policy: InsurancePolicy) -> set[str]:
    """The documents that the rules want of a claim."""
    needed = set(policy.always_needed)
    if claim["peril"] in policy.police_for:
        needed.add("police report")
    if claim["amount"] > policy.expert_above_cents:
        needed.add("expert opinion")
    return needed


def documents_missing(world: World, claim: Any, policy: InsurancePolicy) -> set[str]:
    """Those that are not there."""
    return documents_needed(claim, policy) - set(documents_of(world, claim["id"]))


def payout_of(world: World, claim: Any, policy: InsurancePolicy) -> int:
    """What is paid for a claim, in cents; 0 where nothing is left of it."""
    contract = contract_of(world, claim["contract_id"])
    covered = min(int(claim["amount"]), most_covered(world, contract["tariff_id"], claim["peril"]))
    deductible = 0 if claim["peril"] in policy.waived_perils else contract["deductible"]
    return max(0, covered - int(deductible) - (int(contract["due"]) if policy.keeps_back_due else 0))


def months_left(contract: Any) -> int:
    """Whole months of 30 days until the end of a contract."""
    return max(0, (int(contract["ends"]) - TODAY) // _MONTH)


def paid_for_term(contract: Any) -> int:
    """What the present term of a contract costs, in cents; it is paid in advance."""
    days = min(YEAR, contract["ends"] - contract["started"])
    return int(contract["premium"] * max(1, days // _MONTH))


def refund_of(world: World, contract: Any, policy: InsurancePolicy) -> int:
    """What goes back if a contract is cancelled today, in cents."""
    if policy.keeps_premium_after_payout and was_paid_within(world, contract["id"], YEAR):
        return 0
    if TODAY - contract["started"] <= policy.cooling_off_days:
        return paid_for_term(contract)
    return int(max(0, contract["premium"] * months_left(contract) - policy.cancel_fee_cents))


def waiting_left(contract: Any, policy: InsurancePolicy) -> int:
    """Days until losses are covered; 0 where the waiting period is over, or there is none."""
    if contract["line"] not in policy.waiting_lines:
        return 0
    return int(max(0, contract["started"] + policy.waiting_days - TODAY))


def surcharge_for(age: int, policy: InsurancePolicy) -> int:
    """What a further driver of an age costs, in cents."""
    return policy.young_surcharge_cents if age < policy.young_below_age else 0
