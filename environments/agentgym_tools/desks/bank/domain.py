"""The bank as a desk: who is a customer, what its tasks are like, and which documents name which procedures."""

from __future__ import annotations

import random

from agentgym_tools.desks.bank import rules
from agentgym_tools.desks.bank.evidence import is_procedure
from agentgym_tools.desks.bank.goals import KINDS
from agentgym_tools.desks.bank.library import Library, library_of, procedure_key
from agentgym_tools.desks.bank.papers.procedures import BINDING
from agentgym_tools.desks.bank.policy import IDENTIFY, BankPolicy
from agentgym_tools.desks.bank.reckoning import row_of
from agentgym_tools.desks.bank.tools import BankTools
from agentgym_tools.desks.bank.words import SYNONYMS, TOLD
from agentgym_tools.desks.bank.world import SIZES, customer_key
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.goals import Finding
from agentgym_tools.desks.policy import Policy
from agentgym_tools.desks.setting.days import date_of
from agentgym_tools.desks.templates import Template, depending
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value
from agentgym_tools.worlds.toolbox import Seen

_REFUSED = {
    "report_card": ("card_not_active", "reason_not_taken"),
    "change_card_limit": ("card_not_active", "card_too_new", "limit_too_high"),
    "replace_card": ("card_not_blocked", "replaced_too_often"),
    "free_card": ("card_not_blocked", "block_stays", "blocked_too_long"),
    "use_card_abroad": ("card_not_active", "region_barred", "journey_too_long"),
    "get_new_pin": ("card_not_active", "moved_lately"),
    "dispute_payment": (
        *("no_card_payment", "disputed_before", "disputed_too_late", "ground_not_taken", "amount_too_small"),
    ),
    "drop_dispute": ("no_open_dispute", "withdrawn_too_late", "credited"),
    "get_transfer_back": ("no_transfer", "recalled_too_late"),
    "stop_a_cheque": ("cheque_cashed", "cheque_too_old"),
    "get_fee_back": ("fee_stays", "refunded_before", "refunded_too_late", "refunded_lately"),
    "free_account": ("account_not_held", "hold_too_new"),
    "change_overdraft": ("account_too_new", "overdraft_too_high", "overdrawn_by_more", "consent_missing"),
    "fix_savings": ("not_savings", "deposit_too_small", "not_enough_money"),
    "end_account": ("account_not_open", "overdrawn", "order_runs", "loan_runs", "consent_missing"),
    "move_money": ("account_not_open", "savings_bound", "not_enough_money", "target_not_open"),
    "send_money_abroad": ("not_a_beneficiary", "country_barred", "beneficiary_too_new", "not_enough_money"),
    "change_order": ("order_not_active", "notice_too_short", "raised_too_much", "order_too_small"),
    "rest_order": ("order_not_active", "paused_before", "pause_too_long"),
    "end_order": ("order_not_active", "notice_too_short"),
    "new_order": ("not_checking", "order_too_small", "payee_has_order", "too_many_orders"),
    "pay_off_loan": ("loan_not_running", "loan_too_new", "not_enough_money"),
    "pay_loan_later": ("loan_not_running", "deferral_too_long", "deferred_too_often"),
    "move_instalment_day": ("loan_not_running", "day_not_offered"),
    "new_beneficiary": ("account_barred", "on_list_already", "list_full"),
    "drop_beneficiary": ("not_a_beneficiary",),
    "move_house": ("moved_lately",),
    "see_adviser": ("too_many_appointments",),
}
_HANDED_OVER = (
    *(("change_card_limit", "limit_for_staff"), ("dispute_payment", "dispute_for_staff")),
    *(("get_fee_back", "refund_for_staff"), ("free_account", "hold_for_staff"), ("end_account", "closing_for_staff")),
    *(("move_house", "account_held"), ("pay_off_loan", "repayment_for_staff")),
    ("send_money_abroad", "transfer_for_staff"),
)
_LISTED_BINDING = frozenset({"transfer_money"})


class Bank(Domain):
    """The desk of a bank."""

    name = "bank"
    title = "the customers of a bank"
    toolbox, policy, kinds, sizes = BankTools, BankPolicy, KINDS, SIZES
    subjects = (
        *("account_id", "card_id", "payment_id", "order_id", "loan_id", "fee_id", "beneficiary", "new_street", "topic"),
    )
    told, synonyms = TOLD, SYNONYMS
    facts = {
        "name": "the name",
        "birth_date": "the date of birth",
        "phone": "the phone number",
        "email": "the e-mail address",
        "zip_code": "the zip code",
        "account_id": "the number of the account",
        "account": "what the account is called",
        "card_id": "the number of the card",
        "card": "what the card is called",
        "payment_id": "the number of the payment",
        "payment": "who got the payment, and in which month",
        "order_id": "the number of the standing order",
        "payee": "who gets the money each month",
        "loan_id": "the number of the loan",
        "loan": "what the loan is called",
        "fee_id": "the number of the fee",
        "fee": "the kind of the fee, and the month",
        "reason": "the reason",
        "ground": "the ground of the dispute",
        "region": "the region of the journey",
        "days": "the number of days",
        "new_limit_cents": "the new limit, in cents",
        "to_account": "the number of the account that the money goes to",
        "amount_cents": "the amount, in cents",
        "cheque_number": "the number of the cheque",
        "overdraft_cents": "the new overdraft, in cents",
        "beneficiary": "the name of the beneficiary",
        "beneficiary_account": "the account of the beneficiary",
        "new_amount_cents": "the new amount, in cents",
        "months": "the number of months",
        "in_days": "in how many days it is paid first",
        "day_of_month": "the day of the month",
        "new_street": "the new house number and street",
        "new_town": "the new town",
        "new_zip": "the new zip code",
        "topic": "the topic of the appointment",
        "town": "the town of the branch",
        "balance_cents": "what is on the account, in cents",
        "month_cents": "what the overdraft costs in a month, in cents",
        "payoff_cents": "what repaying the loan takes in all, in cents",
        "dispute_state": "the state of the dispute",
        "most_limit_cents": "the highest limit, in cents",
        "charge_cents": "what sending it abroad costs, in cents",
        "rate": "the interest, in hundredths of a percent a year",
        "closing_fee_cents": "what closing the account costs, in cents",
    }
    reasons = {
        "card_not_active": "the card is not active",
        "reason_not_taken": "a card is not blocked for this reason",
        "card_too_new": "the card is too new",
        "limit_too_high": "the limit is too high",
        "card_not_blocked": "the card is not blocked",
        "replaced_too_often": "the card was replaced too often",
        "block_stays": "the block stays for this reason",
        "blocked_too_long": "the card was blocked too long ago",
        "region_barred": "cards are not opened for the region",
        "journey_too_long": "the journey is too long",
        "moved_lately": "the address was changed a short time ago",
        "no_card_payment": "it is no payment by card",
        "disputed_before": "the payment was disputed before",
        "disputed_too_late": "the payment was too long ago",
        "ground_not_taken": "payments are not disputed on this ground",
        "amount_too_small": "the payment is too small",
        "no_open_dispute": "no dispute of it is open",
        "withdrawn_too_late": "it is too late to withdraw the dispute",
        "credited": "money was credited for the dispute",
        "no_transfer": "it is no transfer",
        "recalled_too_late": "it is too late to recall the transfer",
        "cheque_cashed": "the cheque has been cashed",
        "cheque_too_old": "the cheque is too old",
        "fee_stays": "fees of this kind are not given back",
        "refunded_before": "the fee was given back before",
        "refunded_too_late": "the fee was charged too long ago",
        "refunded_lately": "a fee was given back a short time ago",
        "account_not_held": "the account is not held",
        "hold_too_new": "the hold is too new",
        "account_not_open": "the account is not open",
        "not_checking": "the account is no checking account",
        "account_too_new": "the account is too new",
        "overdraft_too_high": "the overdraft is too high",
        "overdrawn_by_more": "the account is overdrawn by more",
        "consent_missing": "the second holder's consent is missing",
        "not_savings": "the account is no savings account",
        "deposit_too_small": "the amount is too small for a deposit",
        "not_enough_money": "there is not enough money on the account",
        "overdrawn": "the account is overdrawn",
        "order_runs": "a standing order runs on the account",
        "loan_runs": "a loan runs on the account",
        "savings_bound": "so much does not leave a savings account at a time",
        "target_not_open": "the other account is not open",
        "not_a_beneficiary": "the beneficiary is not on the list",
        "country_barred": "nothing is sent to the beneficiary's country",
        "account_barred": "accounts of this country are not put on the list",
        "beneficiary_too_new": "the beneficiary is too new",
        "order_not_active": "the standing order is not active",
        "notice_too_short": "the standing order is due too soon",
        "raised_too_much": "the amount is raised by too much",
        "order_too_small": "the amount is too small for a standing order",
        "paused_before": "the standing order was paused before",
        "pause_too_long": "the pause is too long",
        "payee_has_order": "there is a standing order to this payee",
        "too_many_orders": "there are too many standing orders",
        "loan_not_running": "the loan is not running",
        "loan_too_new": "the loan has not run long enough",
        "deferral_too_long": "instalments are not deferred by so much",
        "deferred_too_often": "instalments were deferred too often",
        "day_not_offered": "instalments are not paid on this day",
        "on_list_already": "the beneficiary is on the list already",
        "list_full": "the list of beneficiaries is full",
        "too_many_appointments": "there are too many appointments",
        "too_soon": "the appointment is too soon",
        "wrong_amount": "the amount is another one",
        **rules.STAFF,
    }
    templates = (
        *(Template((kind,), "answer" if kind.startswith("ask_") else "do") for kind in KINDS),
        *(Template((kind,), "refuse", why) for kind, reasons in _REFUSED.items() for why in reasons),
        *(Template((kind,), "transfer", why) for kind, why in _HANDED_OVER),
        Template(("report_card", "replace_card"), "do"),
        Template(("ask_balance", "move_money"), "do"),
        Template(("new_beneficiary", "end_order"), "do"),
        Template(("ask_interest", "fix_savings"), "do"),
        Template(("free_card", "see_adviser"), "do"),
        Template(("change_order", "ask_payoff"), "answer"),
        Template(("move_house", "get_new_pin"), "refuse", "moved_lately"),
        Template(("ask_charge", "send_money_abroad"), "refuse", "beneficiary_too_new"),
        Template(("rest_order", "end_account"), "refuse", "order_runs"),
        Template(("ask_dispute", "get_fee_back"), "transfer", "refund_for_staff"),
        Template(("ask_balance", "change_order", "use_card_abroad"), "do"),
        Template(("new_beneficiary", "ask_most_limit", "pay_loan_later"), "do"),
        Template(("dispute_payment", "ask_closing_fee", "see_adviser"), "do"),
        Template(("end_order", "get_fee_back", "ask_interest"), "answer"),
        Template(("ask_charge", "report_card", "change_overdraft"), "refuse", "account_too_new"),
        Template(("stop_a_cheque", "ask_balance", "move_house"), "transfer", "account_held"),
        *depending(("rest_order", "end_order"), "refused", ("order_id",)),
        *depending(("new_beneficiary", "end_order"), "done"),
    )

    def draw_customer(self, rng: random.Random, world: World) -> str:
        """Some customer's key."""
        row = world.row("SELECT count(*) FROM customers")
        assert row is not None
        return customer_key(rng.randrange(row[0]))

    def profile(self, world: World, customer: str) -> dict[str, Value]:
        """Name, date of birth, phone number, e-mail address and zip code."""
        row = row_of(world, "customers", customer)
        same = {name: row[name] for name in ("name", "phone", "email")}
        return {**same, "birth_date": date_of(row["born"]), "zip_code": row["zip"]}

    def identification(self, world: World, customer: str, policy: BankPolicy) -> Call:
        """By what the rules say."""
        profile = self.profile(world, customer)
        tool, _, facts = IDENTIFY[policy.identify_by]
        return Call(tool, {name: profile[name] for name in facts})

    def objections(self, world: World, call: Call, policy: BankPolicy) -> list[str]:
        """What the rules say against a call."""
        return rules.objections(world, call, policy)

    def owner(self, world: World, call: Call) -> str | None:
        """The first holder of the account that is changed, or to which the changed thing belongs."""
        given = call.arguments
        if "customer_id" in given:
            return str(given["customer_id"])
        account = given.get("account_id", given.get("from_account"))
        for table, name in _CHANGED.items():
            if name in given:
                row = row_of(world, table, given[name])
                account = None if row is None else row["account_id"]
        row = row_of(world, "accounts", account)
        return None if row is None else str(row["customer_id"])

    def needs_yes(self, tool: str, policy: BankPolicy) -> bool:
        """Every change, or those that are binding."""
        return policy.asks_before == "all" or tool in BINDING or tool in _LISTED_BINDING

    def is_for_staff(self, reason: str, policy: BankPolicy) -> bool:
        """Whether it is a reason for which the staff takes over."""
        return reason in rules.STAFF

    def rules_text(self, policy: Policy) -> str:
        """What is told at the start, and the documents that count."""
        assert isinstance(policy, BankPolicy)
        return "\n".join((policy.text, *Library(policy).texts()))

    def named_by(self, tool: str) -> frozenset[Seen]:
        """The document of a procedure."""
        return frozenset({("documents", procedure_key(tool))}) if is_procedure(tool) else frozenset()

    def finding(self, call: Call, policy: BankPolicy) -> Finding | None:
        """A search for the title of a document."""
        if call.tool != "open_document":
            return None
        document = library_of(policy).find(call.arguments["document_id"])
        assert document is not None
        return Finding(Call("search_documents", {"query": document.title}), ("found", document.key))


_CHANGED = {"cards": "card_id", "payments": "payment_id", "orders": "order_id", "loans": "loan_id", "fees": "fee_id"}
BANK = Bank()
"""The desk of a bank: accounts, cards, payments, standing orders, loans; its rules stand in documents."""
