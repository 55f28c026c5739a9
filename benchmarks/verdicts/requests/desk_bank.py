"""Requests at the bank: what each kind wants, and what the bank's rules, which its documents state, leave of it."""

from __future__ import annotations

from sqlite3 import Row

from agentgym_tools.desks.setting.days import TODAY
from benchmarks.verdicts.requests.desk_requests import Alternatives, Wished, wants
from benchmarks.verdicts.requests.effects import Effect

BANK = "bank"
_OWN = "account_id IN (SELECT id FROM accounts WHERE customer_id = :me)"


def _card(wished: Wished, state: str) -> list[Row]:
    return wished.rows(f"SELECT * FROM cards WHERE id = :card_id AND state = '{state}' AND {_OWN}")


def _account(wished: Wished) -> Row:
    return wished.one("SELECT * FROM accounts WHERE id = :account_id AND customer_id = :me")


def _customer(wished: Wished) -> Row:
    return wished.one("SELECT * FROM customers WHERE id = :me")


def _booked(wished: Wished, subject: object, what: str, cents: int) -> Effect:
    return wished.new("bookings", subject=str(subject), what=what, amount=cents)


@wants(BANK, "report_card")
def report_card(wished: Wished) -> Alternatives:
    for card in _card(wished, "active"):
        if wished["reason"] in wished.policy.block_reasons:
            yield [wished.set("cards", card, state="blocked", block_reason=wished["reason"], blocked=TODAY)]


@wants(BANK, "change_card_limit")
def change_card_limit(wished: Wished) -> Alternatives:
    policy, limit = wished.policy, wished["new_limit_cents"]
    for card in _card(wished, "active"):
        most = policy.max_debit_limit_cents if card["kind"] == "debit" else policy.max_credit_limit_cents
        is_old = TODAY - card["issued"] >= policy.limit_card_days
        if is_old and limit <= min(most, policy.staff_limit_cents):
            yield [wished.set("cards", card, most=limit)]


@wants(BANK, "replace_card")
def replace_card(wished: Wished) -> Alternatives:
    policy = wished.policy
    for card in _card(wished, "blocked"):
        if card["replaced"] < policy.max_replacements:
            cost = 0 if card["block_reason"] in policy.free_replacement else policy.replacement_fee_cents
            new = {"state": "active", "block_reason": None, "blocked": None, "issued": TODAY}
            replaced = wished.set("cards", card, **new, replaced=card["replaced"] + 1)
            yield [replaced, _booked(wished, card["id"], "new card", cost)]


@wants(BANK, "free_card")
def free_card(wished: Wished) -> Alternatives:
    policy = wished.policy
    for card in _card(wished, "blocked"):
        if card["block_reason"] in policy.unblock_reasons and TODAY - card["blocked"] <= policy.unblock_days:
            yield [wished.set("cards", card, state="active", block_reason=None, blocked=None)]


@wants(BANK, "use_card_abroad")
def use_card_abroad(wished: Wished) -> Alternatives:
    region, days, policy = wished["region"], wished["days"], wished.policy
    for card in _card(wished, "active"):
        is_open = wished.has("SELECT 1 FROM journeys WHERE card_id = :card_id AND region = :region")
        if region not in policy.barred_regions and days <= policy.max_abroad_days and not is_open:
            yield [wished.new("journeys", card_id=card["id"], region=region, days=days)]


@wants(BANK, "get_new_pin")
def get_new_pin(wished: Wished) -> Alternatives:
    for card in _card(wished, "active"):
        if TODAY - _customer(wished)["moved"] >= wished.policy.pin_address_days:
            yield [_booked(wished, card["id"], "PIN letter", 0)]


def _payment(wished: Wished) -> Row:
    return wished.one(f"SELECT * FROM payments WHERE id = :payment_id AND {_OWN}")


@wants(BANK, "dispute_payment")
def dispute_payment(wished: Wished) -> Alternatives:
    payment, policy = _payment(wished), wished.policy
    is_fit = payment["kind"] == "card" and payment["state"] == "booked"
    is_size = policy.dispute_min_cents <= payment["amount"] <= policy.staff_dispute_cents
    is_early = TODAY - payment["day"] <= policy.dispute_days
    if is_fit and is_size and is_early and wished["ground"] in policy.dispute_grounds:
        credit = payment["amount"] if payment["amount"] <= policy.credit_up_to_cents else 0
        case = {"payment_id": payment["id"], "ground": wished["ground"], "opened": TODAY}
        dispute = wished.new("disputes", **case, credit=credit, state="open")
        yield [wished.set("payments", payment, state="disputed"), dispute]


@wants(BANK, "drop_dispute")
def drop_dispute(wished: Wished) -> Alternatives:
    for dispute in wished.rows("SELECT * FROM disputes WHERE payment_id = :payment_id AND state = 'open'"):
        if TODAY - dispute["opened"] <= wished.policy.withdraw_days and not dispute["credit"]:
            yield [wished.set("disputes", dispute, state="withdrawn")]


@wants(BANK, "get_transfer_back")
def get_transfer_back(wished: Wished) -> Alternatives:
    payment, policy = _payment(wished), wished.policy
    is_fit = payment["kind"] == "transfer" and payment["state"] == "booked"
    if is_fit and TODAY - payment["day"] <= policy.recall_days:
        cost = _booked(wished, payment["id"], "recall", policy.recall_fee_cents)
        yield [wished.set("payments", payment, state="recalled"), cost]


@wants(BANK, "move_money")
def move_money(wished: Wished) -> Alternatives:
    source, amount = _account(wished), wished["amount_cents"]
    target = wished.one("SELECT * FROM accounts WHERE id = :to_account AND customer_id = :me")
    is_free = source["product"] != "savings" or amount <= wished.policy.savings_free_cents
    if source["state"] == target["state"] == "open" and is_free and source["balance"] >= amount:
        yield [wished.added("accounts", source, balance=-amount), wished.added("accounts", target, balance=amount)]


@wants(BANK, "stop_a_cheque")
def stop_a_cheque(wished: Wished) -> Alternatives:
    sql = "SELECT * FROM cheques WHERE account_id = :account_id AND number = :cheque_number AND state = 'open'"
    for cheque in wished.rows(sql):
        if TODAY - cheque["written"] <= wished.policy.cheque_days:
            cost = _booked(wished, wished["account_id"], f"cheque {cheque['number']}", wished.policy.cheque_fee_cents)
            yield [wished.set("cheques", cheque, state="stopped"), cost]


@wants(BANK, "get_fee_back")
def get_fee_back(wished: Wished) -> Alternatives:
    policy = wished.policy
    fee = wished.one(f"SELECT * FROM fees WHERE id = :fee_id AND {_OWN}")
    others = wished.rows("SELECT * FROM fees WHERE account_id = :own AND refunded IS NOT NULL", own=fee["account_id"])
    is_lately = any(TODAY - row["refunded"] <= policy.waive_gap_days for row in others)
    is_early = TODAY - fee["charged"] <= policy.waive_days
    is_fit = fee["kind"] in policy.waivable_fees and not fee["refund"] and fee["amount"] <= policy.staff_waive_cents
    if is_fit and is_early and not is_lately:
        yield [wished.set("fees", fee, refund=fee["amount"] * policy.waive_percent // 100, refunded=TODAY)]


@wants(BANK, "free_account")
def free_account(wished: Wished) -> Alternatives:
    policy = wished.policy
    for hold in wished.rows("SELECT * FROM holds WHERE account_id = :account_id"):
        if TODAY - hold["placed"] >= policy.hold_days and hold["kind"] not in policy.staff_holds:
            yield [wished.gone("holds", [hold]), wished.set("accounts", _account(wished), state="open")]


def _has_consent(wished: Wished, account: Row, matter: str) -> bool:
    if account["joint_with"] is None or matter not in wished.policy.consent_matters:
        return True
    sql = "SELECT given FROM consents WHERE account_id = :account_id AND matter = :matter"
    return any(TODAY - row["given"] <= wished.policy.consent_days for row in wished.rows(sql, matter=matter))


@wants(BANK, "change_overdraft")
def change_overdraft(wished: Wished) -> Alternatives:
    account, policy, most = _account(wished), wished.policy, wished["overdraft_cents"]
    is_fit = account["state"] == "open" and account["product"] == "checking"
    is_old = TODAY - account["opened"] >= policy.overdraft_account_days
    is_size = -account["balance"] <= most <= policy.overdraft_max_cents
    if is_fit and is_old and is_size and _has_consent(wished, account, "overdraft"):
        yield [wished.set("accounts", account, overdraft=most)]


@wants(BANK, "fix_savings")
def fix_savings(wished: Wished) -> Alternatives:
    account, policy, amount = _account(wished), wished.policy, wished["amount_cents"]
    if account["state"] != "open" or account["product"] != "savings":
        return
    if amount < policy.deposit_min_cents or account["balance"] < amount:
        return
    rates = {6: policy.rate_6_months, 12: policy.rate_12_months, 24: policy.rate_24_months}
    for months, rate in rates.items():
        if rate == max(rates.values()):
            fixed = wished.new("deposits", account_id=account["id"], months=months, amount=amount)
            booked = _booked(wished, account["id"], f"deposit for {months} months", rate)
            yield [wished.added("accounts", account, balance=-amount), fixed, booked]


@wants(BANK, "end_account")
def end_account(wished: Wished) -> Alternatives:
    account, policy = _account(wished), wished.policy
    orders = wished.has("SELECT 1 FROM orders WHERE account_id = :account_id AND state <> 'cancelled'")
    loans = wished.has("SELECT 1 FROM loans WHERE account_id = :account_id AND state = 'running'")
    is_size = 0 <= account["balance"] <= policy.staff_close_cents
    if account["state"] == "open" and is_size and not orders and not loans and _has_consent(wished, account, "closing"):
        cost = policy.close_fee_cents if TODAY - account["opened"] < policy.close_fee_days else 0
        closed = wished.set("accounts", account, state="closed", balance=0)
        yield [closed, _booked(wished, account["id"], "closing", cost)]


@wants(BANK, "send_money_abroad")
def send_money_abroad(wished: Wished) -> Alternatives:
    account, policy, amount = _account(wished), wished.policy, wished["amount_cents"]
    cost = max(policy.foreign_min_cents, amount * policy.foreign_percent // 100)
    is_fit = account["state"] == "open" and account["product"] == "checking" and account["balance"] >= amount + cost
    for row in wished.rows("SELECT * FROM beneficiaries WHERE customer_id = :me AND name = :beneficiary"):
        is_known = TODAY - row["added"] >= policy.rest_days and row["account"][:2] not in policy.barred_countries
        if is_fit and is_known and amount <= policy.staff_foreign_cents:
            sent = {"account_id": account["id"], "kind": "abroad", "payee": row["name"], "amount": amount}
            paid = wished.new("payments", **sent, day=TODAY, state="booked")
            yield [wished.added("accounts", account, balance=-amount - cost), paid]


def _order(wished: Wished) -> list[Row]:
    return wished.rows(f"SELECT * FROM orders WHERE id = :order_id AND state = 'active' AND {_OWN}")


@wants(BANK, "change_order")
def change_order(wished: Wished) -> Alternatives:
    policy, amount = wished.policy, wished["new_amount_cents"]
    for order in _order(wished):
        is_near = amount * 100 <= order["amount"] * (100 + policy.raise_percent)
        if order["due"] - TODAY >= policy.notice_days and is_near and amount >= policy.order_min_cents:
            yield [wished.set("orders", order, amount=amount)]


@wants(BANK, "rest_order")
def rest_order(wished: Wished) -> Alternatives:
    for order in _order(wished):
        if not order["paused"] and wished["months"] <= wished.policy.max_pause_months:
            yield [wished.set("orders", order, state="paused", paused=wished["months"])]


@wants(BANK, "end_order")
def end_order(wished: Wished) -> Alternatives:
    for order in _order(wished):
        if order["due"] - TODAY >= wished.policy.notice_days:
            yield [wished.set("orders", order, state="cancelled")]


@wants(BANK, "new_order")
def new_order(wished: Wished) -> Alternatives:
    account, policy, amount = _account(wished), wished.policy, wished["amount_cents"]
    payees = wished.rows("SELECT payee FROM orders WHERE account_id = :account_id AND state <> 'cancelled'")
    is_free = len(payees) < policy.max_orders and wished["payee"] not in [row["payee"] for row in payees]
    is_fit = account["state"] == "open" and account["product"] == "checking"
    if is_fit and is_free and amount >= policy.order_min_cents:
        order = {"account_id": account["id"], "payee": wished["payee"], "amount": amount}
        yield [wished.new("orders", **order, due=TODAY + wished["in_days"], state="active", paused=0)]


def _loan(wished: Wished) -> list[Row]:
    return wished.rows(f"SELECT * FROM loans WHERE id = :loan_id AND state = 'running' AND {_OWN}")


@wants(BANK, "pay_off_loan")
def pay_off_loan(wished: Wished) -> Alternatives:
    policy = wished.policy
    for loan in _loan(wished):
        account = wished.one("SELECT * FROM accounts WHERE id = :own", own=loan["account_id"])
        cost = loan["remaining"] + loan["remaining"] * policy.repay_percent // 100
        is_old = TODAY - loan["started"] >= policy.repay_run_days
        if is_old and account["balance"] >= cost and loan["remaining"] <= policy.staff_repay_cents:
            paid = wished.added("accounts", account, balance=-cost)
            yield [paid, wished.set("loans", loan, state="repaid", remaining=0)]


@wants(BANK, "pay_loan_later")
def pay_loan_later(wished: Wished) -> Alternatives:
    months, policy = wished["months"], wished.policy
    for loan in _loan(wished):
        if months <= policy.max_deferral_months and loan["deferrals"] < policy.max_deferrals:
            yield [wished.added("loans", loan, deferrals=1, deferred_months=months)]


@wants(BANK, "move_instalment_day")
def move_instalment_day(wished: Wished) -> Alternatives:
    for loan in _loan(wished):
        if wished["day_of_month"] in wished.policy.instalment_days:
            yield [wished.set("loans", loan, day_of_month=wished["day_of_month"])]


@wants(BANK, "new_beneficiary")
def new_beneficiary(wished: Wished) -> Alternatives:
    names = [row["name"] for row in wished.rows("SELECT name FROM beneficiaries WHERE customer_id = :me")]
    account, policy = wished["beneficiary_account"], wished.policy
    is_free = wished["beneficiary"] not in names and len(names) < policy.max_beneficiaries
    if is_free and account[:2] not in policy.barred_countries:
        added = {"customer_id": wished.me, "name": wished["beneficiary"], "account": account, "added": TODAY}
        yield [wished.new("beneficiaries", **added)]


@wants(BANK, "drop_beneficiary")
def drop_beneficiary(wished: Wished) -> Alternatives:
    for row in wished.rows("SELECT * FROM beneficiaries WHERE customer_id = :me AND name = :beneficiary"):
        yield [wished.gone("beneficiaries", [row])]


@wants(BANK, "move_house")
def move_house(wished: Wished) -> Alternatives:
    customer = _customer(wished)
    is_held = wished.has("SELECT 1 FROM accounts WHERE customer_id = :me AND state = 'held'")
    if TODAY - customer["moved"] >= wished.policy.address_days and not is_held:
        address = {"street": wished["new_street"], "town": wished["new_town"], "zip": wished["new_zip"]}
        yield [wished.set("customers", customer, **address, moved=TODAY)]


@wants(BANK, "see_adviser")
def see_adviser(wished: Wished) -> Alternatives:
    policy = wished.policy
    own = wished.rows("SELECT 1 FROM appointments WHERE customer_id = :me")
    free = wished.rows("SELECT * FROM appointments WHERE customer_id IS NULL AND town = :town AND topic = :topic")
    far = [row for row in free if row["day"] - TODAY >= policy.lead_days]
    for row in far:
        if row["day"] == min(each["day"] for each in far) and len(own) < policy.max_appointments:
            yield [wished.set("appointments", row, customer_id=wished.me)]
