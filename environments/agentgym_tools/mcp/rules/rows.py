"""SQLite files compared by what is in them: tables, their columns, and their rows in any order.

A file that an agent changed is opened read-only, without trust in its triggers, views and functions, and its tables are
compared before any row is read.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_DATABASE_BYTES = 16 << 20
MAX_STEPS = 2_000_000
"""Most instructions that reading a file may take."""
_STEP = 10_000
_MAX_ROWS = 100_000


@dataclass(frozen=True)
class Content:
    """What a database holds.

    Attributes:
        tables: By name each column's name, type, whether it may be NULL, and its place in the key.
        others: Indexes, views and triggers, by name their statement.
        rows: By table its rows and how often each occurs.
    """

    tables: dict[str, tuple[Any, ...]]
    others: dict[str, str]
    rows: dict[str, Counter[tuple[Any, ...]]]


def changed(start: bytes, sql: str) -> bytes:
    """A database after statements that a task's author wrote.

    Raises:
        sqlite3.Error: They cannot be carried out.
    """
    db = sqlite3.connect(":memory:")
    try:
        if start:
            db.deserialize(start)
        db.executescript(sql)
        return db.serialize()
    finally:
        db.close()


def trusted_content(database: bytes) -> Content:
    """What a database of a task's author holds."""
    db = sqlite3.connect(":memory:")
    try:
        db.deserialize(database)
        return _content(db, None)
    finally:
        db.close()


def difference(path: Path, expected: Content) -> str:
    """How a file that an agent changed differs from what is expected; "" where it does not."""
    if not path.is_file() or path.stat().st_size > MAX_DATABASE_BYTES:
        return "the database is gone or too large"
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error as error:
        return f"the database cannot be opened: {error}"
    try:
        _distrust(db)
        found = _content(db, expected)
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        return f"the database cannot be read: {error}"
    finally:
        db.close()
    if found.tables != expected.tables or found.others != expected.others:
        names = sorted({**found.tables, **found.others}.keys() ^ {**expected.tables, **expected.others}.keys())
        return f"other tables or columns are there than expected: {', '.join(names)[:200] or 'columns differ'}"
    for table, rows in expected.rows.items():
        if found.rows[table] != rows:
            missing, more = rows - found.rows[table], found.rows[table] - rows
            return f"in {table}, {missing.total()} rows are missing, and {more.total()} are there that should not be"
    return ""


def has_changes(path: Path, before: Content, after: Content) -> bool:
    """Whether a file that an agent changed has all that differs between two contents, whatever else it has."""
    if not path.is_file() or path.stat().st_size > MAX_DATABASE_BYTES:
        return False
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error:
        return False
    try:
        _distrust(db)
        named = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        plain = [name for name, sql in named if name in after.tables and _columns(db, name, sql) == after.tables[name]]
        return are_made({name: _rows_of(db, name) for name in plain}, before, after)
    except (sqlite3.Error, UnicodeError, OverflowError):
        return False
    finally:
        db.close()


def are_made(found: Mapping[str, Counter[tuple[Any, ...]]], before: Content, after: Content) -> bool:
    """Whether rows by table have what differs between two contents: what was gained is there, what was lost is not."""
    tables = [name for name, rows in after.rows.items() if before.rows.get(name) != rows]
    return bool(tables) and all(
        name in found and _has_rows(found[name], before.rows.get(name, Counter()), after.rows[name]) for name in tables
    )


def _has_rows(here: Counter[tuple[Any, ...]], old: Counter[tuple[Any, ...]], new: Counter[tuple[Any, ...]]) -> bool:
    return all(here[row] >= new[row] for row in new - old) and all(here[row] <= new[row] for row in old - new)


def _distrust(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
    steps = iter(range(MAX_STEPS // _STEP))
    db.set_progress_handler(lambda: int(next(steps, None) is None), _STEP)


def _content(db: sqlite3.Connection, expected: Content | None) -> Content:
    """What a database holds; rows only where its tables are those expected."""
    named = db.execute("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").fetchall()
    names = [name for kind, name, _ in named if kind == "table"]
    others = {f"{kind} {name}": str(sql) for kind, name, sql in named if kind != "table"}
    tables = {name: _columns(db, name, sql) for (kind, name, sql) in named if kind == "table"}
    if expected is not None and (tables != expected.tables or others != expected.others):
        return Content(tables, others, {})
    return Content(tables, others, {name: _rows_of(db, name) for name in names})


def _rows_of(db: sqlite3.Connection, table: str) -> Counter[tuple[Any, ...]]:
    quoted = table.replace('"', '""')
    found = db.execute(f'SELECT * FROM "{quoted}"').fetchmany(_MAX_ROWS)  # noqa: S608 - quoted, and a known table
    return Counter(map(tuple, found))


def _columns(db: sqlite3.Connection, table: str, sql: str) -> tuple[Any, ...]:
    """What counts of a table's columns, and whether it is a plain table at all."""
    found = db.execute("SELECT name, upper(type), pk FROM pragma_table_info(?)", (table,)).fetchall()
    is_plain = not str(sql).upper().lstrip().startswith("CREATE VIRTUAL")
    return (is_plain, *(tuple(column) for column in found))
