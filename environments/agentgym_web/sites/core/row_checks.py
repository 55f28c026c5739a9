"""Checks over the rows of a database, written from tables, keys and values instead of SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentgym_web.sites.core.drafts import Check

Value = str | int | None


def row_is(table: str, key: Mapping[str, Value], wanted: Mapping[str, Value], name: str = "") -> Check:
    """Exactly one row has the key, and it has the wanted values."""
    sql = f"SELECT {', '.join(wanted)} FROM {table} WHERE {_all_of(key)}"  # noqa: S608 - written by templates
    return Check(sql, [list(wanted.values())], name or f"{table} row is as wanted")


def num_rows(table: str, where: Mapping[str, Value], count: int, name: str = "", *, milestone: bool = False) -> Check:
    """As many rows have these values."""
    sql = f"SELECT count(*) FROM {table} WHERE {_all_of(where)}"  # noqa: S608 - written by templates
    return Check(sql, [[count]], name or f"{count} {table} are as wanted", milestone)


def rows_are(
    table: str, ids: Iterable[int], wanted: Mapping[str, Value], name: str = "", *, milestone: bool = False
) -> Check:
    """The rows of these ids have the wanted values."""
    numbers = sorted(ids)
    listed = ", ".join(map(str, numbers))
    sql = f"SELECT count(*) FROM {table} WHERE id IN ({listed}) AND {_all_of(wanted)}"  # noqa: S608
    return Check(sql, [[len(numbers)]], name or f"{table} are as wanted", milestone)


def _all_of(values: Mapping[str, Value]) -> str:
    return " AND ".join(f"{column} IS {_literal(value)}" for column, value in values.items())


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
