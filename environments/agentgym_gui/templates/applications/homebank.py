"""Templates for HomeBank: accounts, payees and transactions of an account book."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentgym_gui.templates.making import ledger_file
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, click, filled, finish, press
from agentgym_gui.templates.words import FOODS, LAST, TOWNS, some
from agentgym_gui.verify.ledgers import day_number, ledger

APP = "homebank"
PATH = "Documents/household.xhb"
_MEMO, _PAYEE, _ACCOUNT, _DATE = 1, 3, 5, 6
"""Which of the fields of a new transaction."""
Entry = tuple[int, float, str, str, str, str]


@dataclass(frozen=True)
class Book:
    """An account book, as `making.ledger_file` takes it."""

    accounts: tuple[tuple[str, float], ...]
    payees: tuple[str, ...]
    categories: tuple[str, ...]
    entries: tuple[Entry, ...]

    def content(self) -> bytes:
        """The file."""
        return ledger_file(dict(self.accounts), self.payees, self.categories, self.entries)


def drawn_book(rng: random.Random, count: int = 5) -> Book:
    """A book with two accounts and a few purchases in October 2026."""
    payees = tuple(f"Shop {name}" for name in some(rng, LAST, 3))
    categories = ("Food", "Household", "Travel")
    days = sorted(rng.sample(range(1, 29), count))
    memos = some(rng, FOODS, count)
    entries = tuple(
        (
            day_number(datetime.date(2026, 10, day)),
            -rng.randrange(2, 80) / 2,
            "Bank",
            rng.choice(payees),
            rng.choice(categories),
            memo,
        )
        for day, memo in zip(days, memos, strict=True)
    )
    return Book((("Bank", 500.0), ("Cash", 40.0)), payees, categories, entries)


def book_plan(words: str, old: Book, new: Book, wrong: Sequence[Book], **rest: Any) -> Plan:
    """The plan to change an account book, whose entries in the end are known."""
    found = ledger(new.content())
    steps = rest.pop("steps")
    goals = [goal(part, "ledger", path=PATH, part=part, equals=found[part]) for part in ("accounts", "payees")]
    goals.append(goal("transactions", "ledger", path=PATH, part="transactions", items=found["transactions"]))
    return Plan(
        goal=f"{words} Save the account book.",
        applications=(APP,),
        start=((APP, f"~/{PATH}"),),
        files={PATH: old.content()},
        goals=tuple(goals),
        may_change=(PATH, f"{PATH}~", "household-*.bak", "Documents/household-*.bak", "Documents/household*.xhb~"),
        oracle=(*steps, press("ctrl+s"), finish()),
        ending=Ending({PATH: new.content()}),
        near_misses=tuple(Ending({PATH: each.content()}) for each in wrong),
        **rest,
    )


def _entry(memo: str) -> Steps:
    """A transaction in the list of the account Bank."""
    return (click("table cell", "Bank", 1), press("Return"), click("table cell", memo))


def _add_entry(rng: random.Random) -> Plan:
    book = drawn_book(rng)
    payee, memo = rng.choice(book.payees), rng.choice(TOWNS)
    amount = rng.randrange(10, 200) / 2
    entry: Entry = (day_number(datetime.date(2026, 11, 2)), -amount, "Bank", payee, "", memo)
    words = f'Add an expense of {amount:.2f} on 2 November 2026 to the account Bank: payee {payee}, memo "{memo}".'
    new = replace(book, entries=(*book.entries, entry))
    income: Entry = (entry[0], amount, *entry[2:])
    cash: Entry = (entry[0], -amount, "Cash", *entry[3:])
    fields = {_DATE: "11/02/26", _ACCOUNT: "Bank", _PAYEE: payee, _MEMO: memo}
    steps = (
        click("push button", "Add"),
        *filled(f"{amount:.2f}", "spin button"),
        *(step for place, value in fields.items() for step in (*filled(value, nth=place), press("Tab"))),
        click("push button", "Add"),
        click("push button", "Close"),
    )
    return book_plan(
        words, book, new, [replace(book, entries=(*book.entries, each)) for each in (income, cash)], steps=steps
    )


def _add_payee(rng: random.Random) -> Plan:
    book = drawn_book(rng)
    name = f"{rng.choice(TOWNS)} Bakery"
    new = replace(book, payees=(*book.payees, name))
    steps = (
        click("push button", "Payee"),
        click("toggle button", "Add"),
        *filled(name),
        press("Return"),
        click("push button", "Close"),
    )
    return book_plan(
        f"Add a payee called {name}.", book, new, [replace(book, payees=(*book.payees, name.lower()))], steps=steps
    )


def _rename_account(rng: random.Random) -> Plan:
    book = drawn_book(rng)
    name = f"Bank of {rng.choice(TOWNS)}"
    entries = tuple((day, amount, name, *rest) for day, amount, _, *rest in book.entries)
    accounts = ((name, 500.0), ("Cash", 40.0))
    new = replace(book, accounts=accounts, entries=entries)  # type: ignore[arg-type]
    more = replace(book, accounts=(*book.accounts, (name, 0.0)))
    steps = (
        click("push button", "Account"),
        click("table cell", "Bank"),
        click("push button", "Rename"),
        *filled(name),
        press("Return"),
        click("push button", "Close"),
    )
    return book_plan(f"Rename the account Bank to {name}.", book, new, [more], steps=steps)


def _delete_entry(rng: random.Random) -> Plan:
    book = drawn_book(rng)
    place = rng.randrange(5)
    rest = book.entries[:place] + book.entries[place + 1 :]
    words = f'Delete the transaction with the memo "{book.entries[place][5]}" from the account Bank.'
    other = (place + 1) % 5
    wrong = book.entries[:other] + book.entries[other + 1 :]
    steps = (*_entry(book.entries[place][5]), press("Delete"), click("push button", "Delete"), press("alt+F4"))
    return book_plan(words, book, replace(book, entries=rest), [replace(book, entries=wrong)], steps=steps)


def _mend_amount(rng: random.Random) -> Plan:
    book = drawn_book(rng)
    place = rng.randrange(5)
    right = book.entries[place]
    slipped = replace(book, entries=tuple((e[0], e[1] * 10, *e[2:]) if e is right else e for e in book.entries))
    words = (
        f'The amount of the transaction "{right[5]}" in the account Bank is ten times too high by mistake. '
        f"Set it to {-right[1]:.2f}."
    )
    income = replace(book, entries=tuple((e[0], -e[1], *e[2:]) if e is right else e for e in book.entries))
    change = (press("Return"), *filled(f"{right[1]:.2f}", "spin button"), press("Tab"), click("push button", "OK"))
    steps = (*_entry(right[5]), *change, press("alt+F4"))
    return book_plan(words, slipped, book, [income], steps=steps, num_mistakes=1)


TEMPLATES = (
    Template("homebank.add_expense", _add_entry),
    Template("homebank.add_payee", _add_payee),
    Template("homebank.rename_account", _rename_account),
    Template("homebank.delete_transaction", _delete_entry),
    Template("homebank.mend_amount", _mend_amount),
)
