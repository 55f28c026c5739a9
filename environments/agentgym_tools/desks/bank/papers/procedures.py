"""The titles of the documents that name procedures, and the rules to which each points.

What a document says of its procedure follows from the tool itself.
"""

from __future__ import annotations

from collections.abc import Mapping

PROCEDURES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "order_new_card": ("How to order a new card in place of a blocked one", ("replacement",)),
    "lift_card_block": ("How to make a blocked card active again", ("unblocking",)),
    "set_card_limit": ("How to set the spending limit of a card", ("limits",)),
    "open_card_abroad": ("How to open a card for a journey abroad", ("abroad",)),
    "send_pin_letter": ("How to send a new PIN", ("pins",)),
    "set_contactless": ("How to switch contactless payments on or off", ()),
    "read_dispute": ("How to read a dispute", ()),
    "open_dispute": ("How to dispute a card payment", ("disputes",)),
    "withdraw_dispute": ("How to withdraw a dispute", ("withdrawals",)),
    "recall_transfer": ("How to recall a transfer", ("recalls",)),
    "read_consents": ("How to read the consents of a second holder", ("joint",)),
    "read_hold": ("How to read the hold on an account", ("holds",)),
    "read_fee_history": ("How to read the fees of an account and what was given back", ("fee_refunds",)),
    "read_cheque": ("How to read a cheque", ("cheques",)),
    "stop_cheque": ("How to stop a cheque", ("cheques",)),
    "order_cheque_book": ("How to order a book of cheques", ()),
    "give_fee_back": ("How to give back a fee", ("fee_refunds",)),
    "lift_hold": ("How to lift a hold on an account", ("holds",)),
    "set_overdraft": ("How to set an overdraft", ("overdrafts", "joint")),
    "open_fixed_deposit": ("How to open a fixed deposit", ("deposits",)),
    "close_account": ("How to close an account", ("closing", "joint")),
    "rename_account": ("How to give an account another name", ()),
    "set_statement_rhythm": ("How to set how often statements are sent", ()),
    "change_order_amount": ("How to change the amount of a standing order", ("order_changes", "new_orders")),
    "pause_order": ("How to pause a standing order", ("pauses",)),
    "cancel_order_for_good": ("How to cancel a standing order", ("order_changes",)),
    "set_up_order": ("How to set up a standing order", ("new_orders",)),
    "repay_loan": ("How to repay a loan early", ("repayment",)),
    "defer_instalments": ("How to defer instalments of a loan", ("instalments",)),
    "set_instalment_day": ("How to set the day of a loan's instalments", ("instalments",)),
    "send_abroad": ("How to send a transfer abroad", ("foreign", "beneficiaries")),
    "add_beneficiary": ("How to add a beneficiary", ("beneficiaries",)),
    "remove_beneficiary": ("How to take a beneficiary off the list", ("beneficiaries",)),
    "read_calendar": ("How to read the calendar of advisers", ("appointments",)),
    "read_appointments": ("How to read the appointments of a customer", ("appointments",)),
    "book_appointment": ("How to book an appointment", ("appointments",)),
    "cancel_appointment": ("How to cancel an appointment", ("appointments",)),
}
"""For each procedure the title of its document, and the keys of its rules."""
BINDING = frozenset(
    {
        *("order_new_card", "set_card_limit", "open_dispute", "recall_transfer", "stop_cheque", "set_overdraft"),
        *("open_fixed_deposit", "close_account", "set_up_order", "repay_loan", "send_abroad", "cancel_order_for_good"),
    }
)
"""Procedures that move money, cost something or cannot be undone."""
KINDS = {"string": "text", "integer": "whole number"}
"""How documents call the types of arguments."""
