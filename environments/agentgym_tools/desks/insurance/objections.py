"""What the insurance company's rules say against a call that writes, the plainest reason first.

Reasons that a contract or claim itself shows come first, then those that need further reading, then those for which
the staff takes over. What a reason rests on beyond that row is in `NEEDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentgym_tools.desks.insurance import reckoning
from agentgym_tools.desks.insurance.policy import InsurancePolicy
from agentgym_tools.desks.insurance.world import LEVELS, YEAR
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, as_text

Arguments = Mapping[str, Any]
Objector = Callable[[World, Arguments, InsurancePolicy], dict[str, bool]]
"""Whether each reason speaks against a call."""

STAFF = frozenset(
    {"claim_too_high", "frequent_claims", "retention", "too_much_due", "risk_area", "account_abroad"},
)
"""Reasons for which the staff takes over."""
NEEDS: Mapping[str, tuple[str, ...]] = {
    "not_covered": ("get_cover",),
    "already_reported": ("list_claims",),
    "has_document": ("list_documents",),
    "no_new_document": ("list_documents",),
    "document_missing": ("list_documents",),
    "account_too_new": ("get_account",),
    "nothing_to_pay": ("get_contract", "get_cover"),
    "open_claim": ("list_claims",),
    "level_jump": ("find_tariffs",),
    "too_many_drivers": ("list_drivers",),
    "claim_paid": ("list_claims",),
    "account_changed_lately": ("get_account",),
}
"""The tools that show what a refusal for a reason rests on; the row that the request is about shows the others."""


def objections(world: World, call: Call, policy: InsurancePolicy) -> list[str]:
    """Why the rules forbid a call; none if they allow it, or if it names what there is not."""
    return [reason for reason, speaks in _OBJECTORS[call.tool](world, call.arguments, policy).items() if speaks]


def _against_filing(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    contract = reckoning.contract_of(world, given["contract_id"])
    if contract is None:
        return {}
    peril, day = as_text(given["peril"]), TODAY - given["days_ago"]
    claims = reckoning.claims_on(world, contract["id"])
    waits = contract["line"] in policy.waiting_lines and day - contract["started"] < policy.waiting_days
    recent = sum(TODAY - claim["reported"] <= YEAR for claim in claims)
    return {
        "not_in_force": contract["state"] != "active",
        "outside_term": not contract["started"] <= day < contract["ends"],
        "waiting_period": waits and contract["started"] <= day,
        "reported_late": given["days_ago"] > policy.report_days,
        "not_covered": not reckoning.most_covered(world, contract["tariff_id"], peril),
        "already_reported": any((claim["peril"], claim["happened"]) == (peril, day) for claim in claims),
        "frequent_claims": recent >= policy.max_claims_a_year,
        "claim_too_high": given["amount_cents"] > policy.staff_claim_cents,
    }


def _against_document(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    claim = reckoning.claim_of(world, given["claim_id"])
    if claim is None:
        return {}
    document = as_text(given["document"])
    return {
        "claim_not_open": claim["state"] != "open",
        "document_too_late": TODAY - claim["reported"] > policy.document_days,
        "document_not_needed": document not in reckoning.documents_needed(claim, policy),
        "has_document": document in reckoning.documents_of(world, claim["id"]),
    }


def _against_withdrawing(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    claim = reckoning.claim_of(world, given["claim_id"])
    if claim is None:
        return {}
    return {
        "claim_not_open": claim["state"] != "open",
        "withdrawn_too_late": TODAY - claim["reported"] > policy.withdraw_days,
    }


def _against_reopening(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    claim = reckoning.claim_of(world, given["claim_id"])
    if claim is None:
        return {}
    settled = TODAY if claim["settled"] is None else claim["settled"]
    has_new = any(day > settled for day in reckoning.documents_of(world, claim["id"]).values())
    return {
        "not_rejected": claim["state"] != "rejected",
        "reopened_too_late": TODAY - settled > policy.reopen_days,
        "no_new_document": policy.reopen_needs_document and not has_new,
    }


def _against_paying(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    claim = reckoning.claim_of(world, given["claim_id"])
    if claim is None:
        return {}
    contract = reckoning.contract_of(world, claim["contract_id"])
    account = world.row("SELECT * FROM accounts WHERE customer_id = ?", contract["customer_id"])
    assert account is not None
    payout = reckoning.payout_of(world, claim, policy)
    return {
        "claim_not_open": claim["state"] != "open",
        "document_missing": bool(reckoning.documents_missing(world, claim, policy)),
        "account_too_new": TODAY - account["changed"] < policy.account_rest_days,
        "nothing_to_pay": payout == 0,
        "claim_too_high": claim["amount"] > policy.staff_claim_cents,
        "wrong_amount": given["amount_cents"] != payout,
        "wrong_account": as_text(given["account"]) != as_text(account["account"]),
    }


def _against_cancelling(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    contract = reckoning.contract_of(world, given["contract_id"])
    if contract is None:
        return {}
    is_early = TODAY - contract["started"] <= policy.cooling_off_days
    return {
        "not_in_force": contract["state"] != "active",
        "premium_due": contract["due"] > 0,
        "no_ground": not is_early and as_text(given["reason"]) not in policy.cancel_reasons,
        "open_claim": reckoning.has_open_claim(world, contract["id"]),
        "retention": contract["premium"] > policy.retention_above_cents,
        "wrong_amount": given["refund_cents"] != reckoning.refund_of(world, contract, policy),
    }


def _against_tariff(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    contract = reckoning.contract_of(world, given["contract_id"])
    tariff = world.row("SELECT * FROM tariffs WHERE id = ?", given["tariff_id"])
    if contract is None or tariff is None:
        return {}
    steps = abs(LEVELS.index(contract["level"]) - LEVELS.index(tariff["level"]))
    return {
        "not_in_force": contract["state"] != "active",
        "contract_too_new": TODAY - contract["started"] < policy.tariff_run_days,
        "open_claim": reckoning.has_open_claim(world, contract["id"]),
        "level_jump": steps > policy.max_level_steps,
    }


def _against_driver(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    contract = reckoning.contract_of(world, given["contract_id"])
    if contract is None:
        return {}
    drivers = world.rows("SELECT name FROM drivers WHERE contract_id = ?", contract["id"])
    return {
        "not_in_force": contract["state"] != "active",
        "driver_too_young": given["driver_age"] < policy.driver_min_age,
        "too_many_drivers": len(drivers) >= policy.max_drivers,
        "wrong_amount": given["surcharge_cents"] != reckoning.surcharge_for(given["driver_age"], policy),
    }


def _against_bonus(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    contract = reckoning.contract_of(world, given["contract_id"])
    if contract is None:
        return {}
    return {
        "not_in_force": contract["state"] != "active",
        "no_bonus_line": contract["line"] not in policy.bonus_lines,
        "has_bonus": contract["bonus"] > 0,
        "contract_too_new": TODAY - contract["started"] < policy.bonus_days,
        "claim_paid": reckoning.was_paid_within(world, contract["id"], policy.bonus_days),
        "wrong_amount": given["percent"] != policy.bonus_percent,
    }


def _against_deferral(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    contract = reckoning.contract_of(world, given["contract_id"])
    if contract is None:
        return {}
    return {
        "not_in_force": contract["state"] == "cancelled",
        "nothing_due": contract["due"] == 0,
        "deferred_before": contract["deferred"] > 0,
        "deferral_too_long": given["days"] > policy.max_deferral_days,
        "too_much_due": contract["due"] > policy.staff_due_cents,
    }


def _against_extension(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    contract = reckoning.contract_of(world, given["contract_id"])
    if contract is None:
        return {}
    return {
        "not_in_force": contract["state"] != "active",
        "trip_over": contract["ends"] < TODAY,
        "extended_before": reckoning.was_extended(world, contract["id"]),
        "trip_too_long": contract["ends"] - contract["started"] + given["days"] > policy.max_trip_days,
        "wrong_amount": given["price_cents"] != given["days"] * policy.extension_day_cents,
    }


def _against_reinstating(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    contract = reckoning.contract_of(world, given["contract_id"])
    if contract is None:
        return {}
    lapsed = TODAY if contract["lapsed"] is None else contract["lapsed"]
    return {
        "not_lapsed": contract["state"] != "lapsed",
        "premium_due": contract["due"] > 0,
        "lapsed_too_long": TODAY - lapsed > policy.reinstate_days,
        "wrong_amount": given["fee_cents"] != policy.reinstate_fee_cents,
    }


def _against_address(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    is_risk = as_text(given["new_town"]) in map(as_text, policy.risk_towns)
    return {"risk_area": is_risk and has_active_home(world, given["customer_id"])}


def _against_account(world: World, given: Arguments, policy: InsurancePolicy) -> dict[str, bool]:
    account = world.row("SELECT * FROM accounts WHERE customer_id = ?", given["customer_id"])
    if account is None:
        return {}
    waits = policy.account_waits_for_claims and any(
        reckoning.has_open_claim(world, row["id"])
        for row in world.rows("SELECT id FROM contracts WHERE customer_id = ?", account["customer_id"])
    )
    return {
        "account_changed_lately": TODAY - account["changed"] < policy.account_gap_days,
        "open_claim": waits,
        "account_abroad": given["new_account"].strip().upper()[:2] not in policy.account_countries,
    }


def has_active_home(world: World, customer: object) -> bool:
    """Whether a customer has a home contract that is active."""
    sql = (
        "SELECT 1 FROM contracts JOIN tariffs ON tariffs.id = tariff_id "
        "WHERE customer_id = ? AND state = 'active' AND line = 'home'"
    )
    return world.row(sql, customer) is not None


_OBJECTORS: Mapping[str, Objector] = {
    "file_claim": _against_filing,
    "add_document": _against_document,
    "withdraw_claim": _against_withdrawing,
    "reopen_claim": _against_reopening,
    "pay_claim": _against_paying,
    "cancel_contract": _against_cancelling,
    "change_tariff": _against_tariff,
    "add_driver": _against_driver,
    "grant_bonus": _against_bonus,
    "defer_premium": _against_deferral,
    "extend_trip": _against_extension,
    "reinstate_contract": _against_reinstating,
    "change_address": _against_address,
    "change_account": _against_account,
}
