"""A database that an agent reads and changes in SQL, and its SQLite form on a world.

`Database` is what the environment and the grader know of an engine. Which databases there are is in `databases`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple, Protocol

from agentgym_tools.sql.guard import Guard, SqlRefused, limited
from agentgym_tools.worlds import Bench, Change, World

MAX_SQL = 4_000
"""Most characters of a statement."""
_COMMENTS = re.compile(r"\s+|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z)", re.DOTALL)
_FIRST_WORD = re.compile(r"[A-Za-z]+")
_READING, _WRITING = ("SELECT", "WITH", "VALUES"), ("INSERT", "UPDATE", "DELETE", "REPLACE", "WITH")


class Result(NamedTuple):
    """What a query gave.

    Attributes:
        columns: Names of the columns.
        rows: The rows, at most as many as were asked for.
        is_cut: Whether there are more.
        read: The tables that it read.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    is_cut: bool
    read: frozenset[str]


class Database(Protocol):
    """One episode's database of some engine.

    Attributes:
        is_stopped: Whether a running statement is to give up; asked now and then.
    """

    is_stopped: Callable[[], bool]

    def read(self, sql: str, max_rows: int) -> Result:
        """Carry out one query.

        Raises:
            SqlRefused: It was not carried out to its end; says why.
        """

    def write(self, sql: str) -> int:
        """Carry out one statement that changes rows; returns how many it touched.

        Raises:
            SqlRefused: It was not carried out, and nothing has changed.
        """

    def changes(self) -> list[Change]:
        """The net changes of rows since the start, in an order that does not depend on that of the statements."""

    def state(self) -> tuple[Any, ...]:
        """A canonical value of all rows."""

    def fork(self) -> Database:
        """A database that goes on from here by itself."""

    def close(self) -> None:
        """Forget all changes and give up the connection."""


class SqliteDatabase:
    """A database on SQLite: a world whose statements come from outside.

    Args:
        bench: The connections to its base, each prepared by `guard.prepare`.
        is_stopped: Whether a running statement is to give up.
    """

    def __init__(self, bench: Bench, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self.is_stopped = is_stopped
        self._bench = bench
        self._tables = frozenset(table.name for table in bench.base.tables)
        self._world = World(bench)

    def read(self, sql: str, max_rows: int) -> Result:
        """See `Database.read`."""
        _require_one(sql, _READING, "a SELECT")
        guard = Guard(self._tables, may_write=False)
        with self._world.call(may_write=False), self._world.under(guard) as db, _explaining(guard):
            with limited(db, self.is_stopped), closing(db.cursor()) as cursor:
                cursor.execute(sql)
                rows = [tuple(row) for row in cursor.fetchmany(max_rows + 1)]
                names = tuple(column[0] for column in cursor.description or ())
        if not names:
            raise SqlRefused("This is no query: it gives no columns.")
        return Result(names, rows[:max_rows], len(rows) > max_rows, frozenset(guard.read))

    def write(self, sql: str) -> int:
        """See `Database.write`."""
        _require_one(sql, _WRITING, "an INSERT, UPDATE or DELETE")
        guard = Guard(self._tables, may_write=True)
        with self._world.call(), self._world.under(guard) as db, _explaining(guard):
            with limited(db, self.is_stopped), closing(db.cursor()) as cursor:
                cursor.execute(sql)
                if cursor.description is not None:
                    raise SqlRefused("This statement gives rows; execute changes rows and does not show any.")
                guard.is_own = True  # the cursor's own count knows no statement that begins with WITH
                return int(db.execute("SELECT changes()").fetchone()[0])

    def changes(self) -> list[Change]:
        """See `Database.changes`."""
        return self._world.changes()

    def state(self) -> tuple[Any, ...]:
        """See `Database.state`."""
        return self._world.state()

    def fork(self) -> SqliteDatabase:
        """See `Database.fork`."""
        twin = SqliteDatabase(self._bench, self.is_stopped)
        twin._world = self._world.fork()
        return twin

    def close(self) -> None:
        """See `Database.close`."""
        self._world.close()


class _explaining:  # noqa: N801 - used like a function
    """Puts what the guard refused in the place of SQLite's `not authorized`."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SqlRefused) and self._guard.refusal:
            raise SqlRefused(self._guard.refusal, is_violation=True) from error


def _require_one(sql: str, first_words: tuple[str, ...], expected: str) -> None:
    if len(sql) > MAX_SQL:
        raise SqlRefused(f"The statement has {len(sql):,} characters; at most {MAX_SQL:,} are read.")
    if "\x00" in sql or not sql.isprintable() and any(ord(c) < 32 and c not in "\t\n\r" for c in sql):
        raise SqlRefused("The statement holds control characters.")
    place = 0
    while found := _COMMENTS.match(sql, place):
        place = found.end()
    word = _FIRST_WORD.match(sql, place)
    if word is None:
        raise SqlRefused(f"There is no statement; expected {expected}.")
    if word[0].upper() not in first_words:
        raise SqlRefused(f"{word[0].upper()[:20]} is not allowed here; expected {expected}.", is_violation=True)
    if not sqlite3.complete_statement(sql.rstrip().rstrip(";") + "\n;"):
        raise SqlRefused("The statement is not complete: a quote or a comment is open.")
