"""Account books of HomeBank: XML whose days count from 1 January of year 1, as GLib's dates do."""

from __future__ import annotations

import datetime
from typing import Any

from agentgym_gui.verify.xml_trees import attribute, local, xml_root

PAY_MODES = ("none", "card", "cheque", "cash", "transfer", "internal", "debit card", "standing order", "electronic")


def day_number(day: datetime.date) -> int:
    """The number by which HomeBank writes a day: 1 is 1 January of year 1."""
    return day.toordinal()


def ledger(content: bytes) -> dict[str, Any]:
    """What an account book says, with names in place of keys.

    Returns:
        `accounts`: name to the initial balance; `payees` and `categories`: sorted names, a subcategory as
        "Food:Bread"; `transactions`: one dict each with date (ISO), amount, account, payee, category, memo.

    Raises:
        UnreadableFileError: It is no XML that can be read.
    """
    root = xml_root(content)
    named = {
        kind: {attribute(each, "key"): each for each in root if local(each) == kind}
        for kind in ("account", "pay", "cat")
    }
    names = {kind: {key: attribute(each, "name") for key, each in found.items()} for kind, found in named.items()}
    for key, each in named["cat"].items():
        parent = named["cat"].get(attribute(each, "parent"))
        if parent is not None and parent is not each:
            names["cat"][key] = f"{attribute(parent, 'name')}:{attribute(each, 'name')}"
    return {
        "accounts": {
            attribute(each, "name"): _number(attribute(each, "initial", "0")) for each in named["account"].values()
        },
        "payees": sorted(names["pay"].values()),
        "categories": sorted(names["cat"].values()),
        "transactions": [
            {
                "date": _day(attribute(each, "date")),
                "amount": _number(attribute(each, "amount", "0")),
                "account": names["account"].get(attribute(each, "account"), ""),
                "payee": names["pay"].get(attribute(each, "payee"), ""),
                "category": names["cat"].get(attribute(each, "category"), ""),
                "memo": attribute(each, "wording"),
            }
            for each in root
            if local(each) == "ope"
        ],
    }


def _day(text: str) -> str:
    number = int(text) if text.isdigit() else 0
    return datetime.date.fromordinal(number).isoformat() if 0 < number <= 3_000_000 else ""


def _number(text: str) -> float:
    try:
        return round(float(text), 6)
    except ValueError:
        return 0.0
