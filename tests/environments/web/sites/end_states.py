"""Writes final states of a task into a site's database, from its checks: the right one and wrong ones.

Only checks of the forms that `row_checks` writes are understood.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from typing import Any, Literal

from agentgym_web.sites.core.draws import literal

Kind = Literal["right", "other values", "other rows"]
"""The state that is asked for; wrong values in the right rows; the right values in another row."""
_ROW = re.compile(r"SELECT ([\w, ]+) FROM (\w+) WHERE (\w+ IS .+)", re.DOTALL)
_COUNT = re.compile(r"SELECT count\(\*\) FROM (\w+) WHERE (?:id IN \(([\d, ]+)\) AND )?(\w+ IS .+)", re.DOTALL)
_IS = re.compile(r"(\w+) IS (\(.+?\)(?= AND |$)|'(?:[^']|'')*'|\w+)", re.DOTALL)
_ID_OF = "(SELECT id FROM "


def reach(db: sqlite3.Connection, check: Mapping[str, Any], kind: Kind) -> bool:
    """Write a state of a kind; returns whether the check has a form that is understood."""
    db.execute("PRAGMA foreign_keys = OFF")  # wrong values name no rows
    if found := _COUNT.fullmatch(check["sql"]):
        table, ids, conditions = found.groups()
        values, count = _values(db, conditions), check["rows"][0][0]
        if count == 0 and kind == "right":
            db.execute(f"DELETE FROM {table} WHERE {_where(values)}")
        elif count and ids is not None:
            _set(db, table, f"id IN ({ids})", {}, values, kind)
        elif count and "id" in values:
            key = {"id": values.pop("id")}
            _set(db, table, _where(key), key, values, kind)
        elif count and db.execute(check["sql"]).fetchone()[0] < count:
            _insert(db, table, values if kind == "right" else {name: _other(value) for name, value in values.items()})
        return True
    if found := _ROW.fullmatch(check["sql"]):
        columns, table, conditions = found.groups()
        key = _values(db, conditions)
        _set(db, table, _where(key), key, dict(zip(columns.split(", "), check["rows"][0], strict=True)), kind)
        return True
    return False


def _set(
    db: sqlite3.Connection, table: str, where: str, key: Mapping[str, Any], wanted: Mapping[str, Any], kind: Kind
) -> None:
    values = {name: _other(value) for name, value in wanted.items()} if kind == "other values" else wanted
    if not db.execute(f"SELECT 1 FROM {table} WHERE {where}").fetchone():
        rest = {name: _other(value) for name, value in key.items()} if kind == "other rows" else key
        _insert(db, table, {**values, **rest})
        return
    if kind == "other rows":
        where = f"rowid = (SELECT max(rowid) FROM {table} WHERE NOT ({where}))"
    db.execute(f"UPDATE {table} SET {', '.join(f'{name} = {literal(v)}' for name, v in values.items())} WHERE {where}")


def _insert(db: sqlite3.Connection, table: str, values: Mapping[str, Any]) -> None:
    columns = {row[1]: row[2] for row in db.execute(f"PRAGMA table_info({table})") if row[1] != "id"}
    filled = {name: values.get(name, "" if kind == "TEXT" else 1) for name, kind in columns.items()}
    marks = ", ".join("?" * len(filled))
    db.execute(f"INSERT INTO {table} ({', '.join(filled)}) VALUES ({marks})", list(filled.values()))


def _other(value: Any) -> Any:
    return f"not {value}" if isinstance(value, str) else (value or 0) + 7777


def _where(values: Mapping[str, Any]) -> str:
    return " AND ".join(f"{name} IS {literal(value)}" for name, value in values.items())


def _values(db: sqlite3.Connection, conditions: str) -> dict[str, Any]:
    return {name: _value(db, sql) for name, sql in _IS.findall(conditions)}


def _value(db: sqlite3.Connection, sql: str) -> Any:
    value = db.execute(f"SELECT {sql}").fetchone()[0]
    if value is None and sql.startswith(_ID_OF):
        table, _, conditions = sql.removeprefix(_ID_OF)[:-1].partition(" WHERE ")
        _insert(db, table, _values(db, conditions))
        value = db.execute(f"SELECT {sql}").fetchone()[0]
    return value
