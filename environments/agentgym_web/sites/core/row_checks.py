"""Checks over the rows of a database, written from a table and keys and values, or from a table and a condition."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentgym_web.sites.core.drafts import Check
from agentgym_web.sites.core.draws import literal


@dataclass(frozen=True)
class IdOf:
    """The id of the row of a table that has a key, for rows that the agent adds."""

    table: str
    """The table."""
    key: Mapping[str, str | int | None]
    """Columns and their values."""


def row_is(table: str, key: Mapping[str, Any], wanted: Mapping[str, str | int | None], name: str = "") -> Check:
    """Exactly one row has the key, and it has the wanted values."""
    sql = f"SELECT {', '.join(wanted)} FROM {table} WHERE {_all_of(key)}"  # noqa: S608 - written by templates
    return Check(sql, [list(wanted.values())], name or f"{table} row is as wanted")


def num_rows(table: str, where: Mapping[str, Any], count: int, name: str = "", *, milestone: bool = False) -> Check:
    """As many rows have these values."""
    sql = f"SELECT count(*) FROM {table} WHERE {_all_of(where)}"  # noqa: S608 - written by templates
    return Check(sql, [[count]], name or f"{count} {table} are as wanted", milestone)


def rows_are(
    table: str, ids: Iterable[int], wanted: Mapping[str, Any], name: str = "", *, milestone: bool = False
) -> Check:
    """The rows of these ids have the wanted values."""
    numbers = sorted(ids)
    listed = ", ".join(map(str, numbers))
    sql = f"SELECT count(*) FROM {table} WHERE id IN ({listed}) AND {_all_of(wanted)}"  # noqa: S608
    return Check(sql, [[len(numbers)]], name or f"{table} are as wanted", milestone)


def count_is(name: str, table: str, where: str, count: int = 1) -> Check:
    """A check that so many rows of a table fit."""
    return Check(f"SELECT count(*) FROM {table} WHERE {where}", [[count]], name)  # noqa: S608 - drawn names, quoted


def counts_and_milestones(*wanted: tuple[str, str, str]) -> list[Check]:
    """For each name, table and condition a check that one row of the table fits, and then for each its milestone."""
    return [*(count_is(*each) for each in wanted), *(on_the_way(*each) for each in wanted)]


def on_the_way(name: str, table: str, where: str, count: int = 1) -> Check:
    """A milestone: at least so many rows of a table fit."""
    return Check(f"SELECT count(*) >= {count} FROM {table} WHERE {where}", [[1]], name, milestone=True)  # noqa: S608


def at_most(name: str, table: str, where: str, count: int) -> Check:
    """A milestone: no more than so many rows of a table fit."""
    return Check(f"SELECT count(*) <= {count} FROM {table} WHERE {where}", [[1]], name, milestone=True)  # noqa: S608


def as_milestone(check: Check) -> Check:
    """The milestone that a check of the end holds."""
    return replace(check, milestone=True)


def row_comes(
    table: str, key: Mapping[str, Any], wanted: Mapping[str, Any], parts: Mapping[str, Sequence[str]]
) -> list[Check]:
    """Milestones on the way to a row: one for each part of what it has to hold.

    Args:
        table: The table.
        key: Columns and values that tell the row from all others.
        wanted: Columns and values that it has to have at the end.
        parts: By the name of a milestone the columns of `wanted` that it asks for.
    """
    return [
        num_rows(table, {**key, **{column: wanted[column] for column in columns}}, 1, name, milestone=True)
        for name, columns in parts.items()
    ]


def rows_come(db: sqlite3.Connection, table: str, ids: Sequence[int], wanted: Mapping[str, Any]) -> list[Check]:
    """Milestones on the way to rows with the same values: one of them, half of them, and all.

    None holds while more other rows have these values than at the start.

    Args:
        db: The site's database as it is at the start.
        table: The table.
        ids: The rows, two at least.
        wanted: Columns and values that they have to have at the end.
    """
    listed, fits = ", ".join(map(str, sorted(ids))), _all_of(wanted)
    others = f"SELECT count(*) FROM {table} WHERE id NOT IN ({listed}) AND {fits}"  # noqa: S608
    most = db.execute(others).fetchone()[0]
    counts = {(len(ids) + 1) // 2: "half of them", len(ids): "all of them", 1: "one of them"}
    return [
        Check(
            f"SELECT (SELECT count(*) FROM {table} WHERE id IN ({listed}) AND {fits}) >= {count}"  # noqa: S608
            f" AND ({others}) <= {most}",
            [[1]],
            f"{counts[count]}",
            milestone=True,
        )
        for count in sorted(counts)
    ]


def _all_of(values: Mapping[str, Any]) -> str:
    return " AND ".join(f"{column} IS {_literal(value)}" for column, value in values.items())


def _literal(value: str | int | IdOf | None) -> str:
    if isinstance(value, IdOf):
        return f"(SELECT id FROM {value.table} WHERE {_all_of(value.key)})"  # noqa: S608 - written by templates
    return literal(value)
