"""What follows from rows and rules: charges, credits, refunds, interest; goals and rules reckon alike by it."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds import World

MAX_NUMBER = 10**9
"""The largest number that tools take; the database holds no larger ones than 2^63."""
TERMS = (6, 12, 24)
"""Months of fixed deposits."""


def row_of(world: World, table: str, key: object) -> Any:
    """A row by its key; None if there is none."""
    if isinstance(key, int) and abs(key) > MAX_NUMBER:
        return None
    named = key.strip() if isinstance(key, str) else key
    return world.row(f"SELECT * FROM {table} WHERE id = ?", named)  # noqa: S608 - tables of this desk


def cheque_of(world: World, account_id: object, number: int) -> Any:
    """A cheque by its account and number; None if there is none."""
    if abs(number) > MAX_NUMBER:
        return None
    return world.row("SELECT * FROM cheques WHERE account_id = ? AND number = ?", account_id, number)


def account_of(world: World, account_id: object) -> Any:
    """An account; None if there is none."""
    return row_of(world, "accounts", account_id)


def beneficiary_of(world: World, customer: object, name: object) -> Any:
    """A beneficiary of a customer; None if the customer has none of this name."""
    return world.row("SELECT * FROM beneficiaries WHERE customer_id = ? AND name = ?", customer, name)


def running_orders(world: World, account_id: object) -> list[Any]:
    """The standing orders of an account that are not cancelled."""
    return world.rows("SELECT * FROM orders WHERE account_id = ? AND state <> 'cancelled' ORDER BY id", account_id)


def lacks_consent(world: World, account: Any, matter: str, policy: BankPolicy) -> bool:
    """Whether the second holder's consent to a matter is wanted and not on file, or too old."""
    if account["joint_with"] is None or matter not in policy.consent_matters:
        return False
    row = world.row("SELECT given FROM consents WHERE account_id = ? AND matter = ?", account["id"], matter)
    return row is None or TODAY - row["given"] > policy.consent_days


def replacement_fee(card: Any, policy: BankPolicy) -> int:
    """What a new card costs in place of a blocked one, in cents."""
    return 0 if card["block_reason"] in policy.free_replacement else policy.replacement_fee_cents


def credit_for(amount: int, policy: BankPolicy) -> int:
    """What is credited while a dispute runs, in cents."""
    return amount if amount <= policy.credit_up_to_cents else 0


def foreign_charge(amount: int, policy: BankPolicy) -> int:
    """What a transfer abroad costs, in cents."""
    return max(policy.foreign_min_cents, amount * policy.foreign_percent // 100)


def refund_of(fee: Any, policy: BankPolicy) -> int:
    """What is given back of a fee, in cents."""
    return int(fee["amount"] * policy.waive_percent // 100)


def closing_fee(account: Any, policy: BankPolicy) -> int:
    """What closing an account costs, in cents."""
    return policy.close_fee_cents if TODAY - account["opened"] < policy.close_fee_days else 0


def repayment_fee(loan: Any, policy: BankPolicy) -> int:
    """What repaying a loan early costs, in cents."""
    return int(loan["remaining"] * policy.repay_percent // 100)


def rate_for(months: int, policy: BankPolicy) -> int:
    """The interest of a fixed deposit, in hundredths of a percent."""
    return {6: policy.rate_6_months, 12: policy.rate_12_months, 24: policy.rate_24_months}.get(months, -1)


def month_of_overdraft(account: Any, policy: BankPolicy) -> int:
    """What a month of what is overdrawn costs, in cents."""
    return int(max(0, -account["balance"]) * policy.overdraft_percent // 1200)


def most_for(card: Any, policy: BankPolicy) -> int:
    """The highest limit of a card, in cents."""
    return policy.max_debit_limit_cents if card["kind"] == "debit" else policy.max_credit_limit_cents


def was_refunded_within(world: World, account_id: object, days: int) -> bool:
    """Whether a fee of an account was given back in the last so many days."""
    rows = world.rows("SELECT refunded FROM fees WHERE account_id = ? AND refunded IS NOT NULL", account_id)
    return any(TODAY - row["refunded"] <= days for row in rows)


def appointments_of(world: World, customer: object) -> list[Any]:
    """The appointments of a customer."""
    return world.rows("SELECT * FROM appointments WHERE customer_id = ? ORDER BY id", customer)


def free_appointments(world: World, town: object, topic: object) -> list[Any]:
    """The appointments of a topic in a town that nobody has, the earliest first."""
    sql = "SELECT * FROM appointments WHERE town = ? AND topic = ? AND customer_id IS NULL ORDER BY day, id"
    return world.rows(sql, town, topic)
