"""Requests at the insurance company: what each kind wants, and what the company's rules leave of it."""

# ruff: noqa: E501 - queries in a line each

from __future__ import annotations

from sqlite3 import Row

from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.months import MONTHS
from benchmarks.verdicts.requests.desk_requests import Alternatives, Wished, wants
from benchmarks.verdicts.requests.effects import Effect

INSURANCE = "insurance"
YEAR, MONTH = 365, 30
LEVELS = ("basic", "plus", "full")


def _contract(wished: Wished) -> Row:
    return wished.one("SELECT * FROM contracts WHERE id = :contract_id AND customer_id = :me")


def _tariff(wished: Wished, contract: Row) -> Row:
    return wished.one("SELECT * FROM tariffs WHERE id = :tariff", tariff=contract["tariff_id"])


def _claims(wished: Wished, contract: Row) -> list[Row]:
    return wished.rows("SELECT * FROM claims WHERE contract_id = :contract", contract=contract["id"])


def _was_paid(wished: Wished, contract: Row, days: int) -> bool:
    return any(row["state"] == "paid" and TODAY - row["settled"] <= days for row in _claims(wished, contract))


def _has_open(wished: Wished, contract: Row) -> bool:
    return any(row["state"] == "open" for row in _claims(wished, contract))


def _most(wished: Wished, contract: Row, peril: str) -> int:
    """What the tariff of a contract pays at most for a peril; 0 for nothing."""
    sql = "SELECT most FROM covers WHERE tariff_id = :tariff AND peril = :what"
    return sum(row["most"] for row in wished.rows(sql, tariff=contract["tariff_id"], what=peril))


def _booked(wished: Wished, what: str, cents: int) -> Effect:
    return wished.new("bookings", contract_id=wished["contract_id"], what=what, amount=cents)


@wants(INSURANCE, "file_claim")
def file_claim(wished: Wished) -> Alternatives:
    contract, policy, peril = _contract(wished), wished.policy, wished["peril"]
    day, amount, claims = TODAY - wished["days_ago"], wished["amount_cents"], _claims(wished, contract)
    waits = policy.waiting_days if _tariff(wished, contract)["line"] in policy.waiting_lines else 0
    is_covered = contract["started"] + waits <= day < contract["ends"] and _most(wished, contract, peril) > 0
    is_known = any(row["peril"] == peril and row["happened"] == day for row in claims)
    num_recent = sum(TODAY - row["reported"] <= YEAR for row in claims)
    if contract["state"] != "active" or not is_covered or is_known or wished["days_ago"] > policy.report_days:
        return
    if num_recent < policy.max_claims_a_year and amount <= policy.staff_claim_cents:
        event = f"{peril} in {MONTHS[int(date_of(day)[5:7]) - 1]}"
        told = {"contract_id": contract["id"], "event": event, "peril": peril, "happened": day, "reported": TODAY}
        yield [wished.new("claims", **told, amount=amount, state="open", settled=None)]


def _claim(wished: Wished) -> Row:
    own = "SELECT id FROM contracts WHERE customer_id = :me"
    return wished.one(f"SELECT * FROM claims WHERE id = :claim_id AND contract_id IN ({own})")


def _needed(wished: Wished, claim: Row) -> set[str]:
    policy = wished.policy
    police = {"police report"} if claim["peril"] in policy.police_for else set()
    expert = {"expert opinion"} if claim["amount"] > policy.expert_above_cents else set()
    return {*policy.always_needed, *police, *expert}


def _received(wished: Wished) -> dict[str, int]:
    rows = wished.rows("SELECT * FROM documents WHERE claim_id = :claim_id")
    return {row["kind"]: row["received"] for row in rows}


@wants(INSURANCE, "add_document")
def add_document(wished: Wished) -> Alternatives:
    claim, kind = _claim(wished), wished["document"]
    is_lacking = kind in _needed(wished, claim) and kind not in _received(wished)
    if claim["state"] == "open" and is_lacking and TODAY - claim["reported"] <= wished.policy.document_days:
        yield [wished.new("documents", claim_id=claim["id"], kind=kind, received=TODAY)]


@wants(INSURANCE, "withdraw_claim")
def withdraw_claim(wished: Wished) -> Alternatives:
    claim = _claim(wished)
    if claim["state"] == "open" and TODAY - claim["reported"] <= wished.policy.withdraw_days:
        yield [wished.set("claims", claim, state="withdrawn", settled=TODAY)]


@wants(INSURANCE, "reopen_claim")
def reopen_claim(wished: Wished) -> Alternatives:
    claim, policy = _claim(wished), wished.policy
    if claim["state"] != "rejected" or TODAY - claim["settled"] > policy.reopen_days:
        return
    if not policy.reopen_needs_document or any(day > claim["settled"] for day in _received(wished).values()):
        yield [wished.set("claims", claim, state="open", settled=None)]


@wants(INSURANCE, "pay_claim")
def pay_claim(wished: Wished) -> Alternatives:
    claim, policy = _claim(wished), wished.policy
    contract = wished.one("SELECT * FROM contracts WHERE id = :contract", contract=claim["contract_id"])
    account = wished.one("SELECT * FROM accounts WHERE customer_id = :me")
    amount = min(claim["amount"], _most(wished, contract, claim["peril"]))
    amount -= 0 if claim["peril"] in policy.waived_perils else _tariff(wished, contract)["deductible"]
    amount -= contract["due"] if policy.keeps_back_due else 0
    is_complete = claim["state"] == "open" and _needed(wished, claim) <= set(_received(wished))
    is_rested = TODAY - account["changed"] >= policy.account_rest_days
    if is_complete and is_rested and amount > 0 and claim["amount"] <= policy.staff_claim_cents:
        paid = wished.new("payouts", claim_id=claim["id"], account=account["account"], amount=amount)
        yield [wished.set("claims", claim, state="paid", settled=TODAY), paid]


@wants(INSURANCE, "cancel_contract")
def cancel_contract(wished: Wished) -> Alternatives:
    contract, policy = _contract(wished), wished.policy
    premium = _tariff(wished, contract)["premium"]
    is_early = TODAY - contract["started"] <= policy.cooling_off_days
    is_barred = contract["state"] != "active" or contract["due"] or _has_open(wished, contract)
    if is_barred or premium > policy.retention_above_cents:
        return
    if not is_early and wished["reason"] not in policy.cancel_reasons:
        return
    term = min(YEAR, contract["ends"] - contract["started"])
    left = max(0, contract["ends"] - TODAY) // MONTH
    refund = premium * max(1, term // MONTH) if is_early else max(0, premium * left - policy.cancel_fee_cents)
    if policy.keeps_premium_after_payout and _was_paid(wished, contract, YEAR):
        refund = 0
    gone = wished.set("contracts", contract, state="cancelled")
    yield [gone, _booked(wished, f"cancelled: {wished['reason']}", -refund)]


@wants(INSURANCE, "change_tariff")
def change_tariff(wished: Wished) -> Alternatives:
    contract, policy = _contract(wished), wished.policy
    old = _tariff(wished, contract)
    is_old = TODAY - contract["started"] >= policy.tariff_run_days
    if contract["state"] != "active" or not is_old or _has_open(wished, contract):
        return
    covering = "SELECT * FROM tariffs WHERE line = :kind AND id IN (SELECT tariff_id FROM covers WHERE peril = :peril)"
    tariffs = wished.rows(covering, kind=old["line"])
    for new in tariffs:
        is_cheapest = new["premium"] == min(each["premium"] for each in tariffs)
        steps = abs(LEVELS.index(new["level"]) - LEVELS.index(old["level"]))
        if is_cheapest and steps <= policy.max_level_steps:
            yield [wished.set("contracts", contract, tariff_id=new["id"])]


@wants(INSURANCE, "add_driver")
def add_driver(wished: Wished) -> Alternatives:
    contract, policy, age = _contract(wished), wished.policy, wished["driver_age"]
    drivers = [row["name"] for row in wished.rows("SELECT name FROM drivers WHERE contract_id = :contract_id")]
    is_free = len(drivers) < policy.max_drivers and wished["driver"] not in drivers
    if contract["state"] == "active" and is_free and age >= policy.driver_min_age:
        cost = policy.young_surcharge_cents if age < policy.young_below_age else 0
        yield [wished.new("drivers", contract_id=contract["id"], name=wished["driver"], age=age, surcharge=cost)]


@wants(INSURANCE, "get_bonus")
def get_bonus(wished: Wished) -> Alternatives:
    contract, policy = _contract(wished), wished.policy
    days = policy.bonus_years * YEAR
    is_due = _tariff(wished, contract)["line"] in policy.bonus_lines and not contract["bonus"]
    has_run = TODAY - contract["started"] >= days and not _was_paid(wished, contract, days)
    if contract["state"] == "active" and is_due and has_run:
        yield [wished.set("contracts", contract, bonus=policy.bonus_percent)]


@wants(INSURANCE, "defer_premium")
def defer_premium(wished: Wished) -> Alternatives:
    contract, policy = _contract(wished), wished.policy
    is_open = contract["state"] in ("active", "lapsed") and not contract["deferred"]
    is_small = 0 < contract["due"] <= policy.staff_due_cents
    if is_open and is_small and wished["days"] <= policy.max_deferral_days:
        yield [wished.set("contracts", contract, deferred=wished["days"])]


@wants(INSURANCE, "extend_trip")
def extend_trip(wished: Wished) -> Alternatives:
    contract, policy, days = _contract(wished), wished.policy, wished["days"]
    was_extended = wished.has("SELECT 1 FROM bookings WHERE contract_id = :contract_id AND what = 'extended'")
    is_short = contract["ends"] - contract["started"] + days <= policy.max_trip_days
    if contract["state"] == "active" and contract["ends"] >= TODAY and is_short and not was_extended:
        cost = _booked(wished, "extended", days * policy.extension_day_cents)
        yield [wished.added("contracts", contract, ends=days), cost]


@wants(INSURANCE, "reinstate_contract")
def reinstate_contract(wished: Wished) -> Alternatives:
    contract, policy = _contract(wished), wished.policy
    if contract["state"] != "lapsed" or contract["due"] or TODAY - contract["lapsed"] > policy.reinstate_days:
        return
    back = wished.set("contracts", contract, state="active", lapsed=None)
    yield [back, _booked(wished, "reinstated", policy.reinstate_fee_cents)]


@wants(INSURANCE, "change_address")
def change_address(wished: Wished) -> Alternatives:
    home = "SELECT 1 FROM contracts JOIN tariffs ON tariffs.id = tariff_id WHERE customer_id = :me AND state = 'active' AND line = 'home'"
    if wished["new_town"] not in wished.policy.risk_towns or not wished.has(home):
        customer = wished.one("SELECT * FROM customers WHERE id = :me")
        address = {"street": wished["new_street"], "town": wished["new_town"], "zip": wished["new_zip"]}
        yield [wished.set("customers", customer, **address)]


@wants(INSURANCE, "change_account")
def change_account(wished: Wished) -> Alternatives:
    policy, account = wished.policy, wished.one("SELECT * FROM accounts WHERE customer_id = :me")
    contracts = wished.rows("SELECT * FROM contracts WHERE customer_id = :me")
    waits = policy.account_waits_for_claims and any(_has_open(wished, contract) for contract in contracts)
    is_rested = TODAY - account["changed"] >= policy.account_gap_days
    if is_rested and not waits and wished["new_account"][:2] in policy.account_countries:
        yield [wished.set("accounts", account, account=wished["new_account"], changed=TODAY)]
