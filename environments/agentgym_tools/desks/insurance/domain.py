"""The insurance company as a desk: who is a customer, and what its tasks are like."""

from __future__ import annotations

import random

from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.insurance import reckoning
from agentgym_tools.desks.insurance.changes import InsuranceTools
from agentgym_tools.desks.insurance.goals import KINDS
from agentgym_tools.desks.insurance.objections import STAFF, objections
from agentgym_tools.desks.insurance.policy import IDENTIFY, MONEY_CHANGES, SMALL_CHANGES, InsurancePolicy
from agentgym_tools.desks.insurance.words import SYNONYMS, TOLD
from agentgym_tools.desks.insurance.world import SIZES, customer_key
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.templates import Template, depending
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

_REFUSED = {
    "file_claim": (
        *("not_in_force", "outside_term", "waiting_period", "reported_late", "not_covered"),
        "already_reported",
    ),
    "add_document": ("claim_not_open", "document_too_late", "document_not_needed", "has_document"),
    "withdraw_claim": ("claim_not_open", "withdrawn_too_late"),
    "reopen_claim": ("not_rejected", "reopened_too_late", "no_new_document"),
    "pay_claim": ("claim_not_open", "document_missing", "account_too_new", "nothing_to_pay"),
    "cancel_contract": ("not_in_force", "premium_due", "no_ground", "open_claim"),
    "change_tariff": ("not_in_force", "contract_too_new", "open_claim", "level_jump"),
    "add_driver": ("not_in_force", "driver_too_young", "too_many_drivers"),
    "get_bonus": ("not_in_force", "no_bonus_line", "has_bonus", "contract_too_new", "claim_paid"),
    "defer_premium": ("not_in_force", "nothing_due", "deferred_before", "deferral_too_long"),
    "extend_trip": ("not_in_force", "trip_over", "extended_before", "trip_too_long"),
    "reinstate_contract": ("not_lapsed", "premium_due", "lapsed_too_long"),
    "change_account": ("account_changed_lately", "open_claim"),
}
_HANDED_OVER = (
    *(("file_claim", "frequent_claims"), ("file_claim", "claim_too_high"), ("pay_claim", "claim_too_high")),
    *(("cancel_contract", "retention"), ("defer_premium", "too_much_due"), ("change_address", "risk_area")),
    ("change_account", "account_abroad"),
)


class Insurance(Domain):
    """The desk of an insurance company."""

    name = "insurance"
    title = "the customers of an insurance company"
    toolbox, policy, kinds, sizes, today = InsuranceTools, InsurancePolicy, KINDS, SIZES, TODAY
    subjects = ("contract_id", "claim_id")
    told, synonyms = TOLD, SYNONYMS
    facts = {
        "name": "the name",
        "birth_date": "the date of birth",
        "phone": "the phone number",
        "email": "the e-mail address",
        "zip_code": "the zip code",
        "contract_id": "the contract number",
        "insured": "what is insured",
        "claim_id": "the claim number",
        "event": "what happened and in which month",
        "peril": "the peril",
        "days_ago": "how many days ago it happened",
        "amount_cents": "the amount of the loss, in cents",
        "document": "the document",
        "reason": "the reason",
        "driver": "the name of the driver",
        "driver_age": "the age of the driver",
        "days": "the number of days",
        "new_street": "the new house number and street",
        "new_town": "the new town",
        "new_zip": "the new zip code",
        "new_account": "the new bank account",
        "claim_state": "the state of the claim",
        "payout_cents": "what would be paid for the claim, in cents",
        "num_missing": "how many documents are missing",
        "cover_cents": "the most that is paid, in cents; 0 if it is not covered",
        "waiting_days_left": "how many days of the waiting period are left; 0 if none",
        "refund_cents": "what would be paid back, in cents",
    }
    reasons = {
        "not_in_force": "the contract is not in force",
        "outside_term": "the loss happened outside the contract's term",
        "waiting_period": "the loss happened in the waiting period",
        "reported_late": "the loss is reported too late",
        "not_covered": "the tariff does not cover the peril",
        "already_reported": "the loss has been reported already",
        "frequent_claims": "there have been many claims on the contract",
        "claim_too_high": "the claim is too high for this desk",
        "claim_not_open": "the claim is not open",
        "document_too_late": "it is too late for documents",
        "document_not_needed": "the claim does not need this document",
        "has_document": "the document is there already",
        "withdrawn_too_late": "it is too late to withdraw the claim",
        "not_rejected": "the claim was not rejected",
        "reopened_too_late": "it is too late to reopen the claim",
        "no_new_document": "there is no new document",
        "document_missing": "a document is missing",
        "account_too_new": "the bank account was changed a short time ago",
        "nothing_to_pay": "nothing is left to be paid",
        "premium_due": "something is due on the contract",
        "no_ground": "the contract cannot be cancelled for this reason",
        "open_claim": "a claim is open",
        "retention": "the premium is too high for this desk",
        "contract_too_new": "the contract has not run long enough",
        "level_jump": "the level would change by too many steps",
        "driver_too_young": "the driver is too young",
        "too_many_drivers": "there are too many drivers",
        "no_bonus_line": "contracts of this line earn no bonus",
        "has_bonus": "the contract has a bonus",
        "claim_paid": "a claim was paid in this time",
        "nothing_due": "nothing is due",
        "deferred_before": "it was deferred before",
        "deferral_too_long": "it is longer than may be deferred",
        "too_much_due": "too much is due for this desk",
        "trip_over": "the trip is over",
        "extended_before": "the trip was extended before",
        "trip_too_long": "the trip would be too long",
        "not_lapsed": "the contract has not lapsed",
        "lapsed_too_long": "the contract lapsed too long ago",
        "risk_area": "the staff has to look at the new place",
        "account_changed_lately": "the account was changed a short time ago",
        "account_abroad": "the staff has to look at the new account",
        "wrong_amount": "the amount is another one",
        "wrong_account": "the account is another one",
    }
    templates = (
        *(Template((kind,), "do") for kind in KINDS if not kind.startswith("ask_")),
        *(Template((kind,), "answer") for kind in KINDS if kind.startswith("ask_")),
        *(Template((kind,), "refuse", why) for kind, reasons in _REFUSED.items() for why in reasons),
        *(Template((kind,), "transfer", why) for kind, why in _HANDED_OVER),
        *(Template(("ask_claim_state", kind), "do") for kind in ("withdraw_claim", "add_document", "file_claim")),
        Template(("ask_cover", "file_claim"), "refuse", "not_covered"),
        Template(("change_address", "change_tariff"), "do"),
        Template(("get_bonus", "ask_payout"), "answer"),
        Template(("ask_waiting", "pay_claim"), "do"),
        Template(("change_account", "pay_claim"), "refuse", "account_too_new"),
        Template(("change_address", "add_driver", "ask_cover"), "answer"),
        Template(("extend_trip", "ask_missing", "change_address"), "transfer", "risk_area"),
        Template(("ask_cover", "ask_claim_state", "cancel_contract"), "refuse", "no_ground"),
        *depending(("defer_premium", "cancel_contract"), "refused", ("contract_id",)),
        *depending(("get_bonus", "change_tariff"), "done", ("contract_id",)),
    )

    def draw_customer(self, rng: random.Random, world: World) -> str:
        """Some customer's key."""
        row = world.row("SELECT count(*) FROM customers")
        assert row is not None
        return customer_key(rng.randrange(row[0]))

    def profile(self, world: World, customer: str) -> dict[str, Value]:
        """Name, date of birth, phone number, e-mail address and zip code."""
        row = world.row("SELECT * FROM customers WHERE id = ?", customer)
        assert row is not None
        same = {name: row[name] for name in ("name", "phone", "email")}
        return {**same, "birth_date": row["born"], "zip_code": row["zip"]}

    def identification(self, world: World, customer: str, policy: InsurancePolicy) -> Call:
        """By what the rules say."""
        profile = self.profile(world, customer)
        tool, _, facts = IDENTIFY[policy.identify_by]
        return Call(tool, {name: profile[name] for name in facts})

    def objections(self, world: World, call: Call, policy: InsurancePolicy) -> list[str]:
        """What the rules say against a call."""
        return objections(world, call, policy)

    def owner(self, world: World, call: Call) -> str | None:
        """The customer of the contract or claim, or the one that is named."""
        given = call.arguments
        if "customer_id" in given:
            return str(given["customer_id"])
        contract_id = given.get("contract_id")
        if "claim_id" in given:
            claim = reckoning.claim_of(world, given["claim_id"])
            contract_id = None if claim is None else claim["contract_id"]
        row = world.row("SELECT customer_id FROM contracts WHERE id = ?", contract_id)
        return None if row is None else str(row[0])

    def needs_yes(self, tool: str, policy: InsurancePolicy) -> bool:
        """Every change, every larger one, or those that move money."""
        if policy.asks_before == "money":
            return tool in MONEY_CHANGES
        return policy.asks_before == "all" or tool not in SMALL_CHANGES

    def is_for_staff(self, reason: str, policy: InsurancePolicy) -> bool:
        """Whether it is a reason for which the staff takes over."""
        return reason in STAFF


INSURANCE = Insurance()
