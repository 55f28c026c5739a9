"""What the bank's rules say against a call that writes, the plainest reason first.

Reasons that the row itself shows come first, then those that need further reading, then those for which the staff takes
over. Each reason is worked out by itself, so that `evidence` can tell which values of the rules it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agentgym_tools.desks.bank import reckoning
from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.bank.reckoning import account_of, row_of
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, as_text

Arguments = Mapping[str, Any]
Reasons = Iterator[tuple[str, bool]]
"""Each reason, and whether it speaks against the call."""

STAFF: Mapping[str, str] = {
    "limit_for_staff": "the staff sets such a limit",
    "dispute_for_staff": "the staff disputes such a payment",
    "refund_for_staff": "the staff gives such a fee back",
    "hold_for_staff": "the staff lifts such a hold",
    "closing_for_staff": "the staff closes such an account",
    "account_held": "an account is held",
    "repayment_for_staff": "the staff takes such a repayment",
    "transfer_for_staff": "the staff sends such a transfer",
}
"""Reasons for which the staff takes over."""
NEEDS: Mapping[str, tuple[str, ...]] = {
    "no_open_dispute": ("read_dispute",),
    "withdrawn_too_late": ("read_dispute",),
    "credited": ("read_dispute",),
    "cheque_cashed": ("read_cheque",),
    "cheque_too_old": ("read_cheque",),
    "refunded_lately": ("read_fee_history",),
    "hold_too_new": ("read_hold",),
    "consent_missing": ("read_consents",),
    "order_runs": ("list_standing_orders",),
    "loan_runs": ("list_loans",),
    "payee_has_order": ("list_standing_orders",),
    "too_many_orders": ("list_standing_orders",),
    "not_a_beneficiary": ("list_beneficiaries",),
    "beneficiary_too_new": ("list_beneficiaries",),
    "country_barred": ("list_beneficiaries",),
    "list_full": ("list_beneficiaries",),
    "on_list_already": ("list_beneficiaries",),
    "target_not_open": ("get_account",),
    "too_many_appointments": ("read_appointments",),
}
"""The tools that show what a refusal for a reason rests on; the row that the request is about shows the others."""


def objections(world: World, call: Call, policy: BankPolicy) -> list[str]:
    """Why the rules forbid a call; none if they allow it, or if it names what there is not."""
    return [reason for reason, speaks in reasons_about(world, call, policy) if speaks]


def reasons_about(world: World, call: Call, policy: BankPolicy) -> Reasons:
    """Each reason that could speak against a call, and whether it does."""
    found = _ABOUT.get(call.tool)
    if found is None:
        return iter(())
    table, name, objector = found
    row = row_of(world, table, call.arguments[name])
    return iter(()) if row is None else objector(world, row, call.arguments, policy)


def _blocking(world: World, card: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "card_not_active", card["state"] != "active"
    yield "reason_not_taken", as_text(given["reason"]) not in policy.block_reasons


def _limit(world: World, card: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "card_not_active", card["state"] != "active"
    yield "card_too_new", TODAY - card["issued"] < policy.limit_card_days
    yield "limit_too_high", given["new_limit_cents"] > reckoning.most_for(card, policy)
    yield "limit_for_staff", given["new_limit_cents"] > policy.staff_limit_cents


def _new_card(world: World, card: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "card_not_blocked", card["state"] != "blocked"
    yield "replaced_too_often", card["replaced"] >= policy.max_replacements
    yield "wrong_amount", given["fee_cents"] != reckoning.replacement_fee(card, policy)


def _unblocking(world: World, card: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    is_blocked = card["state"] == "blocked"
    yield "card_not_blocked", not is_blocked
    yield "block_stays", card["block_reason"] not in policy.unblock_reasons and is_blocked
    yield "blocked_too_long", TODAY - (card["blocked"] or TODAY) > policy.unblock_days and is_blocked


def _abroad(world: World, card: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "card_not_active", card["state"] != "active"
    yield "region_barred", given["region"] in policy.barred_regions
    yield "journey_too_long", given["days"] > policy.max_abroad_days


def _pin(world: World, card: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    holder = row_of(world, "customers", account_of(world, card["account_id"])["customer_id"])
    yield "card_not_active", card["state"] != "active"
    yield "moved_lately", TODAY - holder["moved"] < policy.pin_address_days


def _dispute(world: World, payment: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "no_card_payment", payment["kind"] != "card"
    yield "disputed_before", payment["kind"] == "card" and payment["state"] != "booked"
    yield "disputed_too_late", TODAY - payment["day"] > policy.dispute_days
    yield "ground_not_taken", as_text(given["ground"]) not in policy.dispute_grounds
    yield "amount_too_small", payment["amount"] < policy.dispute_min_cents
    yield "dispute_for_staff", payment["amount"] > policy.staff_dispute_cents
    yield "wrong_amount", given["credit_cents"] != reckoning.credit_for(payment["amount"], policy)


def _withdrawal(world: World, payment: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    dispute = world.row("SELECT * FROM disputes WHERE payment_id = ?", payment["id"])
    is_open = dispute is not None and dispute["state"] == "open"
    yield "no_open_dispute", not is_open
    if dispute is not None and is_open:
        yield "withdrawn_too_late", TODAY - dispute["opened"] > policy.withdraw_days
        yield "credited", dispute["credit"] > 0


def _recall(world: World, payment: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "no_transfer", payment["kind"] != "transfer"
    yield "recalled_too_late", TODAY - payment["day"] > policy.recall_days
    yield "wrong_amount", given["fee_cents"] != policy.recall_fee_cents


def _cheque(world: World, account: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    cheque = reckoning.cheque_of(world, account["id"], given["cheque_number"])
    if cheque is not None:
        yield "cheque_cashed", cheque["state"] != "open"
        yield "cheque_too_old", TODAY - cheque["written"] > policy.cheque_days
    yield "wrong_amount", given["fee_cents"] != policy.cheque_fee_cents


def _refund(world: World, fee: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "fee_stays", fee["kind"] not in policy.waivable_fees
    yield "refunded_before", fee["refund"] > 0
    yield "refunded_too_late", TODAY - fee["charged"] > policy.waive_days
    yield "refunded_lately", reckoning.was_refunded_within(world, fee["account_id"], policy.waive_gap_days)
    yield "refund_for_staff", fee["amount"] > policy.staff_waive_cents
    yield "wrong_amount", given["amount_cents"] != reckoning.refund_of(fee, policy)


def _hold(world: World, account: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    hold = world.row("SELECT * FROM holds WHERE account_id = ?", account["id"])
    yield "account_not_held", hold is None
    if hold is not None:
        yield "hold_too_new", TODAY - hold["placed"] < policy.hold_days
        yield "hold_for_staff", hold["kind"] in policy.staff_holds


def _overdraft(world: World, account: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "account_not_open", account["state"] != "open"
    yield "not_checking", account["product"] != "checking"
    yield "account_too_new", TODAY - account["opened"] < policy.overdraft_account_days
    yield "overdraft_too_high", given["overdraft_cents"] > policy.overdraft_max_cents
    yield "overdrawn_by_more", given["overdraft_cents"] < -account["balance"]
    yield "consent_missing", reckoning.lacks_consent(world, account, "overdraft", policy)


def _deposit(world: World, account: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "account_not_open", account["state"] != "open"
    yield "not_savings", account["product"] != "savings"
    yield "deposit_too_small", given["amount_cents"] < policy.deposit_min_cents
    yield "not_enough_money", account["balance"] < given["amount_cents"]
    yield "wrong_amount", given["rate"] != reckoning.rate_for(given["months"], policy)


def _closing(world: World, account: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    loans = world.rows("SELECT state FROM loans WHERE account_id = ?", account["id"])
    yield "account_not_open", account["state"] != "open"
    yield "overdrawn", account["balance"] < 0
    yield "order_runs", bool(reckoning.running_orders(world, account["id"]))
    yield "loan_runs", any(loan["state"] == "running" for loan in loans)
    yield "consent_missing", reckoning.lacks_consent(world, account, "closing", policy)
    yield "closing_for_staff", account["balance"] > policy.staff_close_cents
    yield "wrong_amount", given["fee_cents"] != reckoning.closing_fee(account, policy)


def _moving_money(world: World, account: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    target = account_of(world, given["to_account"])
    is_savings = account["product"] == "savings"
    yield "account_not_open", account["state"] != "open"
    yield "savings_bound", given["amount_cents"] > policy.savings_free_cents if is_savings else False
    yield "not_enough_money", account["balance"] < given["amount_cents"]
    yield "target_not_open", target is not None and target["state"] != "open"


def _address(world: World, customer: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    accounts = world.rows("SELECT state FROM accounts WHERE customer_id = ?", customer["id"])
    yield "moved_lately", TODAY - customer["moved"] < policy.address_days
    yield "account_held", any(account["state"] == "held" for account in accounts)


def _order_amount(world: World, order: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "order_not_active", order["state"] != "active"
    yield "notice_too_short", order["due"] - TODAY < policy.notice_days
    yield "raised_too_much", given["new_amount_cents"] * 100 > order["amount"] * (100 + policy.raise_percent)
    yield "order_too_small", given["new_amount_cents"] < policy.order_min_cents


def _pause(world: World, order: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "order_not_active", order["state"] != "active"
    yield "paused_before", order["paused"] > 0
    yield "pause_too_long", given["months"] > policy.max_pause_months


def _order_end(world: World, order: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "order_not_active", order["state"] != "active"
    yield "notice_too_short", order["due"] - TODAY < policy.notice_days


def _new_order(world: World, account: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    running = reckoning.running_orders(world, account["id"])
    yield "account_not_open", account["state"] != "open"
    yield "not_checking", account["product"] != "checking"
    yield "order_too_small", given["amount_cents"] < policy.order_min_cents
    yield "payee_has_order", as_text(given["payee"]) in [as_text(order["payee"]) for order in running]
    yield "too_many_orders", len(running) >= policy.max_orders


def _repayment(world: World, loan: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    balance = account_of(world, loan["account_id"])["balance"]
    yield "loan_not_running", loan["state"] != "running"
    yield "loan_too_new", TODAY - loan["started"] < policy.repay_run_days
    yield "not_enough_money", balance < loan["remaining"] + reckoning.repayment_fee(loan, policy)
    yield "repayment_for_staff", loan["remaining"] > policy.staff_repay_cents
    yield "wrong_amount", given["fee_cents"] != reckoning.repayment_fee(loan, policy)


def _deferral(world: World, loan: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "loan_not_running", loan["state"] != "running"
    yield "deferral_too_long", given["months"] > policy.max_deferral_months
    yield "deferred_too_often", loan["deferrals"] >= policy.max_deferrals


def _instalment_day(world: World, loan: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "loan_not_running", loan["state"] != "running"
    yield "day_not_offered", given["day_of_month"] not in policy.instalment_days


def _sending_abroad(world: World, account: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    amount = given["amount_cents"]
    row = reckoning.beneficiary_of(world, account["customer_id"], given["beneficiary"])
    yield "account_not_open", account["state"] != "open"
    yield "not_checking", account["product"] != "checking"
    yield "not_a_beneficiary", row is None
    if row is not None:
        yield "country_barred", row["account"][:2] in policy.barred_countries
        yield "beneficiary_too_new", TODAY - row["added"] < policy.rest_days
    yield "not_enough_money", account["balance"] < amount + reckoning.foreign_charge(amount, policy)
    yield "transfer_for_staff", amount > policy.staff_foreign_cents
    yield "wrong_amount", given["charge_cents"] != reckoning.foreign_charge(amount, policy)


def _new_beneficiary(world: World, customer: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    (count,) = world.rows("SELECT count(*) FROM beneficiaries WHERE customer_id = ?", customer["id"])
    yield "account_barred", given["account"].strip().upper()[:2] in policy.barred_countries
    yield "on_list_already", reckoning.beneficiary_of(world, customer["id"], given["name"]) is not None
    yield "list_full", count[0] >= policy.max_beneficiaries


def _beneficiary_end(world: World, customer: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    yield "not_a_beneficiary", reckoning.beneficiary_of(world, customer["id"], given["name"]) is None


def _appointment(world: World, customer: Any, given: Arguments, policy: BankPolicy) -> Reasons:
    slot = row_of(world, "appointments", given["appointment_id"])
    yield "too_many_appointments", len(reckoning.appointments_of(world, customer["id"])) >= policy.max_appointments
    yield "too_soon", slot is not None and slot["day"] - TODAY < policy.lead_days


Objector = Callable[[World, Any, Arguments, BankPolicy], Reasons]
_ABOUT: Mapping[str, tuple[str, str, Objector]] = {
    "block_card": ("cards", "card_id", _blocking),
    "transfer_money": ("accounts", "from_account", _moving_money),
    "change_address": ("customers", "customer_id", _address),
    "set_card_limit": ("cards", "card_id", _limit),
    "order_new_card": ("cards", "card_id", _new_card),
    "lift_card_block": ("cards", "card_id", _unblocking),
    "open_card_abroad": ("cards", "card_id", _abroad),
    "send_pin_letter": ("cards", "card_id", _pin),
    "open_dispute": ("payments", "payment_id", _dispute),
    "withdraw_dispute": ("payments", "payment_id", _withdrawal),
    "recall_transfer": ("payments", "payment_id", _recall),
    "stop_cheque": ("accounts", "account_id", _cheque),
    "give_fee_back": ("fees", "fee_id", _refund),
    "lift_hold": ("accounts", "account_id", _hold),
    "set_overdraft": ("accounts", "account_id", _overdraft),
    "open_fixed_deposit": ("accounts", "account_id", _deposit),
    "close_account": ("accounts", "account_id", _closing),
    "change_order_amount": ("orders", "order_id", _order_amount),
    "pause_order": ("orders", "order_id", _pause),
    "cancel_order_for_good": ("orders", "order_id", _order_end),
    "set_up_order": ("accounts", "account_id", _new_order),
    "repay_loan": ("loans", "loan_id", _repayment),
    "defer_instalments": ("loans", "loan_id", _deferral),
    "set_instalment_day": ("loans", "loan_id", _instalment_day),
    "send_abroad": ("accounts", "account_id", _sending_abroad),
    "add_beneficiary": ("customers", "customer_id", _new_beneficiary),
    "remove_beneficiary": ("customers", "customer_id", _beneficiary_end),
    "book_appointment": ("customers", "customer_id", _appointment),
}
"""For each tool with rules: the table and argument that name its row, and what may speak against it."""
