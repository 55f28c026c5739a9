"""What the bank's rules say, matter by matter; `{field}` stands for a value of the policy.

`{was:field}` stands for a value that a memo has replaced since. `{see:key}` names another document by its number.
"""

from __future__ import annotations

from typing import NamedTuple


class Paper(NamedTuple):
    """A document's words: a key that the code knows it by, its title, and its text."""

    key: str
    title: str
    text: str


RULES = (
    Paper(
        "blocking",
        "Blocking cards",
        "A card is blocked at this desk when its holder reports it as: {block_reasons}. For other reasons it stays as "
        "it is. Only an active card can be blocked.",
    ),
    Paper(
        "limits",
        "Spending limits of cards",
        "The monthly spending limit of a debit card is at most {max_debit_limit_cents}, that of a credit card at most "
        "{max_credit_limit_cents}. A limit is changed only for an active card that was issued {limit_card_days} days "
        "ago or earlier. Limits of more than {staff_limit_cents} are set by the staff.",
    ),
    Paper(
        "replacement",
        "Replacing blocked cards",
        "A card is replaced only while it is blocked, and only if it was replaced fewer than {max_replacements} times "
        "in the last year. A new card costs {replacement_fee_cents}. It costs 0 if the card was blocked as: "
        "{free_replacement}.",
    ),
    Paper(
        "unblocking",
        "Lifting the block of a card",
        "A block is lifted only if the card was blocked as: {unblock_reasons}. It is lifted until {unblock_days} days "
        "after the day of the block. Later the card can only be replaced.",
    ),
    Paper(
        "abroad",
        "Cards on journeys abroad",
        "An active card can be opened for a region abroad for at most {was:max_abroad_days} days. Cards are not "
        "opened for: {barred_regions}. A card is opened once for a region.",
    ),
    Paper(
        "pins",
        "New PINs by letter",
        "A new PIN goes by letter to the customer's address. None is sent if the address was changed fewer than "
        "{pin_address_days} days ago. The card has to be active.",
    ),
    Paper(
        "disputes",
        "Disputing card payments",
        "Booked card payments can be disputed until {dispute_days} days after the payment, on one of these grounds: "
        "{dispute_grounds}. Payments of less than {was:dispute_min_cents} cannot be disputed. A payment is disputed "
        "once. While a dispute of at most {credit_up_to_cents} runs, the whole amount is credited; above that, 0 is. "
        "Payments of more than {staff_dispute_cents} are disputed by the staff.",
    ),
    Paper(
        "withdrawals",
        "Withdrawing a dispute",
        "A customer can withdraw an open dispute until {withdraw_days} days after it was opened, if nothing was "
        "credited for it.",
    ),
    Paper(
        "recalls",
        "Recalling transfers",
        "A booked transfer can be recalled until {recall_days} days after its day. Card payments cannot be recalled. "
        "A recall costs {was:recall_fee_cents}.",
    ),
    Paper(
        "cheques",
        "Stopping cheques",
        "A cheque can be stopped while it is open, until {cheque_days} days after it was written. That costs "
        "{cheque_fee_cents}.",
    ),
    Paper(
        "foreign",
        "Transfers abroad and their charges",
        "Transfers abroad go only to beneficiaries on the customer's list, and not to accounts whose number begins "
        "with: {barred_countries}. The charge is {foreign_percent} percent of the amount, but at least "
        "{foreign_min_cents}. Amount and charge together must be on the account, which has to be an open checking "
        "account; the overdraft is not used for it. Amounts of more than {staff_foreign_cents} are sent by the staff. "
        "For how long a beneficiary must have been on the list, see {see:beneficiaries}.",
    ),
    Paper(
        "beneficiaries",
        "The list of beneficiaries",
        "A customer's list has at most {max_beneficiaries} beneficiaries, each name once. A beneficiary gets "
        "transfers abroad only if it was added {was:rest_days} days ago or earlier. Nobody whose account begins with "
        "a barred country, see {see:foreign}, is added. A beneficiary is taken off the list on the customer's wish at "
        "any time.",
    ),
    Paper(
        "fee_refunds",
        "Giving fees back as a courtesy",
        "Of these fees a part can be given back: {waivable_fees}. It is {waive_percent} percent of the fee. A fee is "
        "given back once, until {was:waive_days} days after it was charged, and only if no fee of the same account "
        "was given back in the last {waive_gap_days} days. Fees of more than {staff_waive_cents} are given back by "
        "the staff.",
    ),
    Paper(
        "savings",
        "Moving money between own accounts",
        "Money moves between open accounts of the same customer. From a savings account at most {savings_free_cents} "
        "go at a time. The amount must be on the account; the overdraft is not used for it.",
    ),
    Paper(
        "closing",
        "Closing accounts",
        "An open account is closed if nothing is overdrawn and no loan and no standing order, paused ones included, "
        "runs on it. If it was opened fewer than {close_fee_days} days ago, closing costs {close_fee_cents}; later it "
        "costs 0. Accounts with more than {staff_close_cents} on them are closed by the staff. For accounts with two "
        "holders see {see:joint}.",
    ),
    Paper(
        "overdrafts",
        "Overdrafts of checking accounts",
        "An open checking account that was opened {overdraft_account_days} days ago or earlier can have an overdraft "
        "of at most {overdraft_max_cents}. It is not set below what is overdrawn. What is overdrawn costs "
        "{was:overdraft_percent} percent a year; a month is a twelfth of that. For accounts with two holders see "
        "{see:joint}.",
    ),
    Paper(
        "joint",
        "Accounts with two holders",
        "The second holder has to consent before these matters: {consent_matters}. A consent on file counts until "
        "{consent_days} days after it was given. Other matters need no consent.",
    ),
    Paper(
        "deposits",
        "Fixed deposits and their interest",
        "At least {deposit_min_cents} are put on a fixed deposit, from an open savings account that has the amount. "
        "The interest for 6 months is {rate_6_months} hundredths of a percent a year, for 12 months {rate_12_months}, "
        "for 24 months {rate_24_months}. An account has one deposit for each term.",
    ),
    Paper(
        "holds",
        "Holds on accounts",
        "A hold on an account is lifted when it was placed {hold_days} days ago or earlier. Holds of these kinds are "
        "lifted by the staff: {staff_holds}.",
    ),
    Paper(
        "order_changes",
        "Changing and cancelling standing orders",
        "A standing order is changed or cancelled {notice_days} days before it is due or earlier, while it is active. "
        "Its amount is raised by at most {raise_percent} percent at a time. Lowering it has no bounds, but see "
        "{see:new_orders} for the least amount.",
    ),
    Paper(
        "pauses",
        "Pausing standing orders",
        "An active standing order is paused for at most {max_pause_months} months, once a year.",
    ),
    Paper(
        "new_orders",
        "Setting up standing orders",
        "A standing order is set up on an open checking account for at least {order_min_cents} a month. At most "
        "{max_orders} orders run on an account, paused ones included, and one for each payee.",
    ),
    Paper(
        "repayment",
        "Repaying loans early",
        "A running loan is repaid early in whole, {repay_run_days} days after its start or later. That costs "
        "{was:repay_percent} percent of what remains. Both must be on the account of the loan; the overdraft is not "
        "used for it. If more than {staff_repay_cents} remains, the staff does it.",
    ),
    Paper(
        "instalments",
        "Instalments of loans",
        "Instalments of a running loan are deferred by at most {max_deferral_months} months at a time, and at most "
        "{max_deferrals} times in all. They are paid on one of these days of the month: {instalment_days}.",
    ),
    Paper(
        "addresses",
        "Changes of address",
        "The address is changed if its last change was {address_days} days ago or earlier. While an account of the "
        "customer is held, the staff changes it.",
    ),
    Paper(
        "appointments",
        "Appointments with advisers",
        "An appointment is made for a day {lead_days} days ahead or later. A customer has at most {max_appointments} "
        "appointments.",
    ),
)
"""The rules in force."""
MEMOS = (
    Paper(
        "abroad_memo",
        "Memo: journeys abroad get another length",
        "Cards on journeys abroad are opened for at most {max_abroad_days} days. All else stays as in {see:abroad}.",
    ),
    Paper(
        "disputes_memo",
        "Memo: small card payments and disputing them",
        "Card payments of less than {dispute_min_cents} cannot be disputed. All else stays as in {see:disputes}.",
    ),
    Paper(
        "recalls_memo",
        "Memo: what recalling transfers costs",
        "Recalling a transfer costs {recall_fee_cents}. All else stays as in {see:recalls}.",
    ),
    Paper(
        "beneficiaries_memo",
        "Memo: new beneficiaries have to wait",
        "A beneficiary gets transfers abroad only if it was added to the list {rest_days} days ago or earlier. All "
        "else stays as in {see:beneficiaries}.",
    ),
    Paper(
        "fees_memo",
        "Memo: time for giving fees back",
        "A fee is given back until {waive_days} days after it was charged. All else stays as in {see:fee_refunds}.",
    ),
    Paper(
        "overdrafts_memo",
        "Memo: interest on overdrafts",
        "What is overdrawn on a checking account costs {overdraft_percent} percent a year. All else stays as in "
        "{see:overdrafts}.",
    ),
    Paper(
        "repayment_memo",
        "Memo: what repaying loans early costs",
        "Repaying a loan early costs {repay_percent} percent of what remains. All else stays as in {see:repayment}.",
    ),
)
"""Memos that have replaced single values of rules."""
