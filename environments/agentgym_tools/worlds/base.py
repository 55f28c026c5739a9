"""A base: a database that is generated once, kept as bytes and shared by all episodes on it."""

# ruff: noqa: S608 - names come from the schema, which a domain's author wrote

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from agentgym.errors import ContractError
from agentgym_tools.worlds.changes import Table

LOG = "_log"
"""The temporary table that triggers write changed rows to."""
_TYPES = ("INTEGER", "TEXT")


class Base:
    """A generated database.

    Every table has a declared key, is ordered by it (WITHOUT ROWID, or a key of one INTEGER), and has columns of type
    INTEGER or TEXT: amounts of money are whole cents. So a row that was written to a log and back is the same row.

    Args:
        name: Name for errors.
        schema: CREATE statements. Foreign keys may not cascade.
        fill: Inserts the rows; the same ones on every call.
    """

    def __init__(self, name: str, schema: str, fill: Callable[[sqlite3.Connection], None]) -> None:
        self.name = name
        self._schema = schema
        self._fill = fill

    @cached_property
    def image(self) -> bytes:
        """The database's bytes; made on first use.

        Raises:
            ContractError: A table has no key, or a column of another type.
        """
        db = sqlite3.connect(":memory:", isolation_level=None)
        try:
            db.executescript(self._schema)
            db.execute("BEGIN")
            self._fill(db)
            db.execute("COMMIT")
            broken = db.execute("PRAGMA foreign_key_check").fetchone()
            if broken is not None:
                raise ContractError(
                    f"base {self.name!r}: a row of {broken[0]} refers to a row of {broken[2]} that is missing"
                )
            db.execute("ANALYZE")
            self._check(db)
            db.execute("VACUUM")
            return db.serialize()
        finally:
            db.close()

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables in order of definition."""
        db = self.connect()
        try:
            return tuple(_table(db, name) for name in _names(db))
        finally:
            db.close()

    @cached_property
    def columns(self) -> Mapping[str, tuple[str, ...]]:
        """By table the names of its columns."""
        return {table.name: table.columns for table in self.tables}

    @cached_property
    def log_script(self) -> str:
        """The statements that make a connection log changed rows."""
        parts = [f"CREATE TEMP TABLE {LOG} (number INTEGER PRIMARY KEY, place INTEGER, old TEXT, new TEXT);"]
        for place, table in enumerate(self.tables):
            old, new = (
                f"json_array({', '.join(f'{side}.{name}' for name in table.columns)})" for side in ("OLD", "NEW")
            )
            for event, before, after in (("INSERT", "NULL", new), ("UPDATE", old, new), ("DELETE", old, "NULL")):
                parts.append(
                    f"CREATE TEMP TRIGGER _{event.lower()}_{table.name} AFTER {event} ON main.{table.name} BEGIN "
                    f"INSERT INTO {LOG} (place, old, new) VALUES ({place}, {before}, {after}); END;"
                )
        return "\n".join(parts)

    def connect(self) -> sqlite3.Connection:
        """A new connection to a copy in memory, in autocommit mode."""
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, cached_statements=512)
        db.deserialize(self.image)
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA recursive_triggers = ON")  # so that REPLACE logs the row that it removes
        return db

    def _check(self, db: sqlite3.Connection) -> None:
        for name in _names(db):
            columns = db.execute(f"PRAGMA table_info({name})").fetchall()
            if not any(column[5] for column in columns):
                raise ContractError(
                    f"base {self.name!r}: table {name} has no PRIMARY KEY; declare one, rows are known by it"
                )
            if not _is_ordered_by_key(db, name, columns):
                raise ContractError(
                    f"base {self.name!r}: the rows of {name} have a hidden order beside their key, which does not come "
                    "back when they are written again; declare it WITHOUT ROWID"
                )
            for column in columns:
                if column[2] not in _TYPES:
                    raise ContractError(
                        f"base {self.name!r}: column {name}.{column[1]} has the type {column[2] or 'none'!r}; expected "
                        "INTEGER or TEXT, such as whole cents for money"
                    )
            for link in db.execute(f"PRAGMA foreign_key_list({name})"):
                if (link[5], link[6]) != ("NO ACTION", "NO ACTION"):
                    raise ContractError(
                        f"base {self.name!r}: the foreign key {name}.{link[3]} acts by itself ({link[6]}); expected NO "
                        "ACTION: let the tool write each row"
                    )
        if db.execute("SELECT 1 FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'").fetchone():
            raise ContractError(f"base {self.name!r} uses AUTOINCREMENT; take new ids from World.new_id")


def _names(db: sqlite3.Connection) -> list[str]:
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    return [row[0] for row in db.execute(sql)]


def _is_ordered_by_key(db: sqlite3.Connection, name: str, columns: Sequence[tuple[Any, ...]]) -> bool:
    keys = [column for column in columns if column[5]]
    without_rowid = db.execute(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", (name,)
    ).fetchone()
    return bool(without_rowid[0]) or (len(keys) == 1 and keys[0][2] == "INTEGER")


def _table(db: sqlite3.Connection, name: str) -> Table:
    columns = db.execute(f"PRAGMA table_info({name})").fetchall()
    places = sorted((column[5], column[0]) for column in columns if column[5])
    return Table(name, tuple(column[1] for column in columns), tuple(place for _, place in places))
