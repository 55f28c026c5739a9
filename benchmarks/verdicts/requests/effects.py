"""What is wanted of a world, row by row, and whether net changes are that and nothing more.

A statement yields alternatives. Each is a list of effects: rows that change, go, or come. What words leave out of a new
row has the value that the APIs give it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Row
from typing import Any

from agentgym_tools.worlds import World
from agentgym_tools.worlds.base import Base
from agentgym_tools.worlds.changes import Change

Left = dict[tuple[str, Any], Change]
"""By table and key the changes that no effect has accounted for."""
CLOCKS = frozenset({"updated", "sent", "made", "placed", "changed"})
"""Columns that hold when something was done, which no request names."""


@dataclass(frozen=True)
class Named:
    """The key of a new row, in a column of another one."""

    name: str


@dataclass(frozen=True)
class Put:
    """Rows of the start that end with certain values; with None they are gone."""

    rows: Mapping[tuple[str, Any], tuple[Mapping[str, Any], Mapping[str, Any] | None]]
    """By table and key the row at the start, and its new values."""

    @property
    def tables(self) -> set[str]:
        """The tables of the rows."""
        return {table for table, _ in self.rows}

    def take(self, left: Left, names: dict[str, Any]) -> bool:
        """Account for the changes of these rows; False where one is not what it should be."""
        for key, (before, values) in self.rows.items():
            if values is not None and all(before[name] == value for name, value in values.items()):
                continue
            change = left.pop(key, None)
            if change is None or (change.after is None) is not (values is None):
                return False
            if values is not None and change.after is not None and not _is(change.after, {**before, **values}):
                return False
        return True


@dataclass(frozen=True)
class New:
    """A row that is added."""

    table: str
    values: Mapping[str, Any]
    name: str = ""

    @property
    def tables(self) -> set[str]:
        """The table of the row."""
        return {self.table}

    def take(self, left: Left, names: dict[str, Any]) -> bool:
        """Mark one added row with these values as explained. False if there is no such row."""
        wanted = {
            column: names.get(value.name) if isinstance(value, Named) else value
            for column, value in self.values.items()
        }
        for place, change in left.items():
            if place[0] == self.table and change.before is None and change.after and _is(change.after, wanted):
                del left[place]
                if self.name:
                    names[self.name] = place[1][0]
                return True
        return False


Effect = Put | New


def _is(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(row[name] == value for name, value in wanted.items() if name not in CLOCKS)


@dataclass(frozen=True)
class Rules:
    """What holds for all requests of an environment.

    Attributes:
        owner: The column that says whose a row is.
        defaults: By table the values of a new row, where a request names no others; `ME` is the person's key.
        parts: By table another one, whose rows go with its rows, and the column that names them.
        follows: By table those whose rows change with it.
    """

    owner: str
    defaults: Mapping[str, Mapping[str, Any]]
    parts: Mapping[str, tuple[str, str]]
    follows: Mapping[str, Sequence[str]]


ME = Named("")
"""The key of the person for whom a request is made."""


class Look:
    """The world at the start, seen by a statement.

    Args:
        world: The world; statements are read inside a call of it.
        base: Its base.
        me: The key of the person.
        words: What the request names.
        rules: What holds for all requests.
    """

    def __init__(self, world: World, base: Base, me: Any, words: Mapping[str, Any], rules: Rules) -> None:
        self.world, self.me, self.words, self._rules = world, me, words, rules
        self._tables = {table.name: table for table in base.tables}

    def __getitem__(self, name: str) -> Any:
        return self.words[name]

    def rows(self, sql: str, **more: Any) -> list[Row]:
        """All rows of a query; `:me`, what the request names, and `more` stand in it by name."""
        values, known = [], {"me": self.me, **self.words, **more}

        def mark(found: re.Match[str]) -> str:
            values.append(known[found[1]])
            return "?"

        return self.world.rows(re.sub(r":(\w+)", mark, sql), *values)

    def own(self, table: str, where: str = "1", **more: Any) -> list[Row]:
        """The person's rows of a table that fit."""
        is_owned = self._rules.owner in self._tables[table].columns
        mine = f"{table}.{self._rules.owner} = :me" if is_owned else "1"
        return self.rows(f"SELECT {table}.* FROM {table} WHERE {mine} AND ({where})", **more)

    def put(self, table: str, rows: Sequence[Row], **values: Any) -> Put:
        """These rows end with these values."""
        return Put({self._key(table, row): (dict(row), values) for row in rows})

    def every(self, table: str, where: str, **values: Any) -> Put:
        """All of the person's rows that fit end with these values."""
        return self.put(table, self.own(table, where), **values)

    def gone(self, table: str, rows: Sequence[Row]) -> Put:
        """These rows are gone, with their parts."""
        gone: dict[Any, Any] = {self._key(table, row): (dict(row), None) for row in rows}
        if table in self._rules.parts:
            part, column = self._rules.parts[table]
            for row in rows:
                parts = self.rows(f"SELECT * FROM {part} WHERE {column} = :whole", whole=row["id"])
                gone |= {self._key(part, each): (dict(each), None) for each in parts}
        return Put(gone)

    def new(self, table: str, name: str = "", /, **values: Any) -> New:
        """A new row with these values, and the usual ones where there are others; others refer to it by the name."""
        usual = {**self._rules.defaults.get(table, {}), **values}
        return New(table, {column: self.me if value is ME else value for column, value in usual.items()}, name)

    def _key(self, table: str, row: Row) -> tuple[str, tuple[Any, ...]]:
        return table, tuple(row[place] for place in self._tables[table].key)


Statement = Callable[[Look], Iterator[Sequence[Effect]]]
"""What a request wants: alternatives."""


def is_met(alternatives: Sequence[Sequence[Effect]], changes: Sequence[Change], rules: Rules) -> bool:
    """Whether net changes are those of an alternative, with what follows from them, and no others."""
    return any(_is_just(effects, changes, rules) for effects in alternatives)


def _is_just(effects: Sequence[Effect], changes: Sequence[Change], rules: Rules) -> bool:
    left: Left = {(change.table, change.key): change for change in changes}
    names: dict[str, Any] = {}
    if not all(effect.take(left, names) for effect in effects):
        return False
    follow = {table for effect in effects for each in effect.tables for table in rules.follows.get(each, ())}
    return all(change.kind == "changed" and change.table in follow for change in left.values())
