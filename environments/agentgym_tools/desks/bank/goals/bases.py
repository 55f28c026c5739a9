"""What goals at the bank's desk have in common: a row that they are about, and how much has to be read for them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from agentgym_tools.desks.bank.evidence import (
    MATTERS,
    Noted,
    is_procedure,
    openings,
    weighed,
    with_documents,
)
from agentgym_tools.desks.bank.library import library_of, procedure_key
from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.bank.reckoning import row_of
from agentgym_tools.desks.bank.rules import NEEDS, STAFF
from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Facts = dict[str, Value]
Outcomes = list[tuple[Call, ...]]


class Subject(NamedTuple):
    """A table whose rows goals are about.

    Attributes:
        key: The fact that names a row.
        name: The fact by which a customer calls it.
        column: The column of that.
        get: The tool that reads it by its key.
        find: The tool that reads it by its name.
    """

    key: str
    name: str
    column: str
    get: str
    find: str


SUBJECTS: Mapping[str, Subject] = {
    "accounts": Subject("account_id", "account", "label", "get_account", "find_account"),
    "cards": Subject("card_id", "card", "label", "get_card", "find_card"),
    "payments": Subject("payment_id", "payment", "called", "get_payment", "find_payment"),
    "orders": Subject("order_id", "payee", "payee", "get_standing_order", "find_standing_order"),
    "loans": Subject("loan_id", "loan", "purpose", "get_loan", "find_loan"),
    "fees": Subject("fee_id", "fee", "called", "get_fee", "find_fee"),
}


def rows_of(world: World, table: str, customer: object) -> list[Any]:
    """The rows of a customer in one of these tables, in order of their keys."""
    if table == "accounts":
        return world.rows("SELECT * FROM accounts WHERE customer_id = ? ORDER BY id", customer)
    sql = f"SELECT {table}.* FROM accounts JOIN {table} ON account_id = accounts.id"  # noqa: S608 - of `SUBJECTS`
    return world.rows(f"{sql} WHERE customer_id = ? ORDER BY {table}.id", customer)


def _mistaken(table: str) -> Callable[[World], Sequence[Value]]:
    """Numbers between those of a table, which are nobody's."""

    def numbers(world: World) -> Sequence[Value]:
        keys = [row[0] for row in world.rows(f"SELECT id FROM {table} ORDER BY id LIMIT 200")]  # noqa: S608
        return [key + 1 if isinstance(key, int) else f"{key[0]}{int(key[1:]) + 1}" for key in keys]

    return numbers


class BankGoal(GoalKind):
    """A goal about a customer, or about a row of one of `SUBJECTS`, whose number the customer may not have at hand.

    Attributes:
        table: The table of what it is about; "" for the customer.
        tool: The tool that fulfils it; "" for a question.
        passed: Facts that the tool takes under their own names, beside the key.
        states: States of the rows that it is drawn for; none: all.
        matter: The rules that a question is about; "" where it is about none.
    """

    table: str = ""
    tool: str = ""
    passed: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    matter: str = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.table:
            subject = SUBJECTS[cls.table]
            cls.can_lack = (subject.key,)
            cls.can_change = {subject.key: _mistaken(cls.table)}
            cls.volunteered = (subject.key, subject.name, *cls.passed)
        elif cls.passed:
            cls.volunteered = cls.passed

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A fitting row of the customer, and what else there is."""
        if not self.table:
            row = row_of(world, "customers", customer)
            return self.draw_more(rng, world, row)
        rows = rows_of(world, self.table, customer)
        fitting = [row for row in rows if not self.states or row["state"] in self.states]
        if not fitting:
            return None
        row, subject = rng.choice(fitting), SUBJECTS[self.table]
        more = self.draw_more(rng, world, row)
        return None if more is None else {subject.key: row["id"], subject.name: row[subject.column], **more}

    def draw_more(self, rng: random.Random, world: World, row: Any) -> Facts | None:
        """Further facts; None if the row does not do."""
        return {}

    def row(self, world: World, goal: Goal) -> Any:
        """The row that a goal is about."""
        if not self.table:
            return row_of(world, "customers", goal.customer)
        return row_of(world, self.table, goal.facts[SUBJECTS[self.table].key])

    def reckoned(self, world: World, goal: Goal, policy: BankPolicy) -> dict[str, Any]:
        """Further arguments of the call, such as a fee that the rules make of it."""
        return {}

    def further_reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:
        """What has to be read beside the row and the documents, in order."""
        return []

    def wanted(self, world: World, goal: Goal, policy: BankPolicy) -> Outcomes:  # type: ignore[override]
        """The one call."""
        if not self.tool:
            return []
        given = {name: goal.facts[name] for name in self.passed}
        return [(Call(self.tool, {**self.keyed(goal), **given, **self.reckoned(world, goal, policy)}),)]

    def keyed(self, goal: Goal) -> dict[str, Any]:
        """The argument that names what it is about."""
        if not self.table:
            return {"customer_id": goal.customer}
        key = SUBJECTS[self.table].key
        return {key: goal.facts[key]}

    def reads(self, world: World, goal: Goal, policy: BankPolicy) -> list[Call]:  # type: ignore[override]
        """The row, the documents, and what else there is; where a refusal needs less, less."""
        noted, library = Noted(policy), library_of(policy)
        wanted = [call for (call,) in self.wanted(world, goal, noted.policy)]
        more = self.further_reads(world, goal, noted.policy)
        first = self._first_reads(goal)
        if not wanted:
            self.answers(world, goal, noted.policy)
            keys = [*([self.matter] if self.matter else []), *noted.take()]
            return [*first, *openings(library, keys), *with_documents(library, more)]
        weighed_calls = [weighed(world, call, policy) for call in wanted]
        keys = [MATTERS[self.tool]]
        against = weighed_calls[0][0]
        plainest = next(iter(against), "")
        is_open = any(not found for found, _ in weighed_calls)
        if not is_open and plainest not in STAFF:
            more = [call for call in more if call.tool in NEEDS.get(plainest, ())]
            return [*first, *openings(library, [*keys, *against[plainest]]), *with_documents(library, more)]
        keys += [*noted.take(), *(key for _, looked_at in weighed_calls for key in looked_at)]
        if is_open and is_procedure(self.tool):
            keys.append(procedure_key(self.tool))
        return [*first, *openings(library, keys), *with_documents(library, more)]

    def _first_reads(self, goal: Goal) -> list[Call]:
        if not self.table:
            return []
        subject = SUBJECTS[self.table]
        if subject.key in goal.unknown:
            return [Call(subject.find, {"customer_id": goal.customer, subject.name: goal.facts[subject.name]})]
        return [Call(subject.get, {subject.key: goal.facts[subject.key]})]


def consents(world: World, account: Any, matter: str, policy: BankPolicy) -> list[Call]:
    """The call that reads the second holder's consents, where one is wanted."""
    if account["joint_with"] is None or matter not in policy.consent_matters:
        return []
    return [Call("read_consents", {"account_id": account["id"]})]
