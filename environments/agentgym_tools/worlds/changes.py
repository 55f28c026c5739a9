"""What an episode changed, row by row: log entries merged to the net change of each row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = int | str | None
Row: TypeAlias = tuple[Value, ...]
"""The values of a row in the order of its table's columns."""
Key: TypeAlias = tuple[str, Row]
"""A table and the values of its key."""
Net: TypeAlias = dict[Key, tuple[Row | None, Row | None]]
"""By key the row before and after; None where there is none."""


@dataclass(frozen=True)
class Table:
    """A table of a base: what the log needs to know of it."""

    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]
    """Places of the key's columns."""

    def key_of(self, row: Row) -> Key:
        """The key of a row."""
        return self.name, tuple(row[place] for place in self.key)


@dataclass(frozen=True)
class Change:
    """The net change of one row."""

    table: str
    key: Row
    before: Mapping[str, Value] | None
    """The row at the start by column; None where the episode added it."""
    after: Mapping[str, Value] | None
    """The row now by column; None where the episode removed it."""

    @property
    def kind(self) -> str:
        """One of added, changed, removed."""
        return "added" if self.before is None else "removed" if self.after is None else "changed"


def merge(net: Net, table: Table, old: str | None, new: str | None) -> None:
    """Add an entry of the log, the rows as JSON arrays, to net changes."""
    if old is not None:
        row: Row = tuple(json.loads(old))
        key = table.key_of(row)
        net[key] = (net[key][0] if key in net else row, None)
    if new is not None:
        row = tuple(json.loads(new))
        key = table.key_of(row)
        net[key] = (net[key][0] if key in net else None, row)


def without_idle(net: Net) -> Net:
    """Net changes without rows that are again what they were."""
    return {key: pair for key, pair in net.items() if pair[0] != pair[1]}


def since(net: Net, start: Net) -> Net:
    """The net changes from one state of a base to another, both given against the base."""
    found: Net = {}
    for key in {**start, **net}:
        base = net[key][0] if key in net else start[key][0]
        before = start[key][1] if key in start else base
        after = net[key][1] if key in net else base
        if before != after:
            found[key] = (before, after)
    return found


def in_order(keys: Iterable[Key]) -> list[Key]:
    """Keys in an order that does not depend on that of the writes; None comes first, then numbers, then texts."""
    keys = list(keys)
    if len(keys) < 2:
        return keys
    return sorted(
        keys, key=lambda key: (key[0], [(isinstance(value, str), value or 0, str(value)) for value in key[1]])
    )


def changes_of(net: Net, columns: Mapping[str, Sequence[str]]) -> list[Change]:
    """Net changes in the order of `in_order`.

    Args:
        net: The net changes.
        columns: The names of each table's columns.
    """

    def named(table: str, row: Row | None) -> Mapping[str, Value] | None:
        return None if row is None else dict(zip(columns[table], row, strict=True))

    return [Change(key[0], key[1], named(key[0], net[key][0]), named(key[0], net[key][1])) for key in in_order(net)]


def contents(changes: Iterable[Change]) -> list[str]:
    """Changes by content, in canonical order: a new row counts without the number that it was given."""
    return sorted(_content(change) for change in changes)


def contains_all(now: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether all wanted changes, by content, are there, each as often as it is wanted."""
    return all(now.count(content) >= wanted.count(content) for content in set(wanted))


def _content(change: Change) -> str:
    if change.before is None and change.after is not None:
        is_numbered = len(change.key) == 1 and isinstance(change.key[0], int)
        values = {name: value for name, value in change.after.items() if not (is_numbered and value == change.key[0])}
        return f"{change.table} added {sorted(values.items())}"
    after = None if change.after is None else sorted(change.after.items())
    return f"{change.table} {change.key} {after}"
