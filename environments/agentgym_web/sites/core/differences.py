"""What differs between two databases of the same schema, row by row."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any

Change = dict[str, list[Any]]
"""Keys "added" and "removed" hold rows, "changed" holds pairs of a row before and after; a row is a dict."""


def watched_tables(db: sqlite3.Connection, unwatched: Collection[str] = ()) -> list[str]:
    """Names of the tables that count, in order: no virtual ones, none that begin with an underscore."""
    found = db.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    return [name for (name,) in found if not name.startswith(("_", "sqlite_")) and name not in unwatched]


def differences(before: sqlite3.Connection, after: bytes, tables: Sequence[str]) -> Mapping[str, Change]:
    """Compare tables of two databases by their primary keys.

    Args:
        before: The earlier state; the later one is attached to it as `later`.
        after: The later state, serialized.
        tables: Names of the tables.

    Returns:
        By table what differs; tables without a difference are left out.
    """
    before.execute("ATTACH ':memory:' AS later")
    before.deserialize(after, name="later")
    found = {table: _compare(before, table) for table in tables}
    return {table: change for table, change in found.items() if any(change.values())}


def _compare(db: sqlite3.Connection, table: str) -> Change:
    keys = [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (table,))]
    assert keys, f"table {table} has no primary key"
    old = _rows(db, f'SELECT * FROM main."{table}" EXCEPT SELECT * FROM later."{table}"', keys)  # noqa: S608
    new = _rows(db, f'SELECT * FROM later."{table}" EXCEPT SELECT * FROM main."{table}"', keys)  # noqa: S608
    return {
        "added": [row for key, row in new.items() if key not in old],
        "removed": [row for key, row in old.items() if key not in new],
        "changed": [[row, new[key]] for key, row in old.items() if key in new],
    }


def _rows(db: sqlite3.Connection, sql: str, keys: list[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    rows = [{name: _plain(row[name]) for name in row.keys()} for row in db.execute(sql)]  # noqa: SIM118 - a Row is no dict
    return {tuple(row[key] for key in keys): row for row in rows}


def _plain(value: Any) -> Any:
    return f"{len(value)} bytes {_hash_of(value)}" if isinstance(value, bytes) else value


def _hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
