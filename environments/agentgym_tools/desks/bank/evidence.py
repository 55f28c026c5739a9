"""What a decision rests on: the documents that state the values which its rules ask for, and rows read by procedures.

Which values those are is noted while the rules are worked out; no list of them is kept by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from agentgym_tools.desks.bank.library import HOMES, Library, Procedures, procedure_key
from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.bank.rules import reasons_about
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call

MATTERS: Mapping[str, str] = {
    "block_card": "blocking",
    "transfer_money": "savings",
    "change_address": "addresses",
    "set_card_limit": "limits",
    "order_new_card": "replacement",
    "lift_card_block": "unblocking",
    "open_card_abroad": "abroad",
    "send_pin_letter": "pins",
    "open_dispute": "disputes",
    "withdraw_dispute": "withdrawals",
    "recall_transfer": "recalls",
    "stop_cheque": "cheques",
    "give_fee_back": "fee_refunds",
    "lift_hold": "holds",
    "set_overdraft": "overdrafts",
    "open_fixed_deposit": "deposits",
    "close_account": "closing",
    "change_order_amount": "order_changes",
    "pause_order": "pauses",
    "cancel_order_for_good": "order_changes",
    "set_up_order": "new_orders",
    "repay_loan": "repayment",
    "defer_instalments": "instalments",
    "set_instalment_day": "instalments",
    "send_abroad": "foreign",
    "add_beneficiary": "beneficiaries",
    "remove_beneficiary": "beneficiaries",
    "book_appointment": "appointments",
}
"""For each tool that writes the rules that have to be read before any decision on it."""


class Noted:
    """A policy that notes which of its values are asked for.

    Attributes:
        policy: The policy, to be asked.
        taken: The keys of the documents that state what was asked for, in the order of asking.
    """

    def __init__(self, policy: BankPolicy) -> None:
        self.policy = cast(BankPolicy, _Asked(policy, self))
        self.taken: dict[str, None] = {}

    def take(self) -> list[str]:
        """The keys so far, which are forgotten."""
        taken, self.taken = list(self.taken), {}
        return taken


class _Asked:
    def __init__(self, policy: BankPolicy, noted: Noted) -> None:
        self._policy, self._noted = policy, noted

    def __getattr__(self, name: str) -> Any:
        if name in HOMES:
            self._noted.taken[HOMES[name]] = None
        return getattr(self._policy, name)


def weighed(world: World, call: Call, policy: BankPolicy) -> tuple[dict[str, list[str]], list[str]]:
    """The reasons against a call, each with the keys of its documents, and the keys of all that was looked at."""
    noted, against, looked_at = Noted(policy), {}, {}
    for reason, speaks in reasons_about(world, call, noted.policy):
        keys = noted.take()
        looked_at.update(dict.fromkeys(keys))
        if speaks:
            against[reason] = keys
    return against, list(looked_at)


def openings(library: Library, keys: Iterable[str]) -> list[Call]:
    """The calls that open documents."""
    return [Call("open_document", {"document_id": library.number_of(key)}) for key in dict.fromkeys(keys)]


def with_documents(library: Library, calls: Iterable[Call]) -> list[Call]:
    """Calls that read, each procedure after the document that names it."""
    found: list[Call] = []
    for call in calls:
        if is_procedure(call.tool):
            found += openings(library, [procedure_key(call.tool)])
        found.append(call)
    return list(dict.fromkeys(found))


def is_procedure(tool: str) -> bool:
    """Whether only a document names a tool."""
    return tool in Procedures.tools and not Procedures.tools[tool].is_listed
