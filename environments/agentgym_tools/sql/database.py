"""A database that an agent reads and changes in SQL, and its SQLite form on a world.

`Database` is what the environment and the grader know of an engine. Which databases there are is in `databases`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from agentgym_tools.sql.filling import Rows
from agentgym_tools.sql.guard import Guard, SqlRefusedError, limited
from agentgym_tools.worlds import Bench, Change, World

MAX_SQL = 4_000
"""Most characters of a statement."""
MAX_SIZE = 500_000
"""Most characters of all rows of a result."""
_COMMENTS = re.compile(r"\s+|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z)", re.DOTALL)
_FIRST_WORD = re.compile(r"[A-Za-z]+")
NOTHING: Rows = MappingProxyType({})
READING, WRITING = ("SELECT", "WITH", "VALUES"), ("INSERT", "UPDATE", "DELETE", "REPLACE", "WITH")
"""First words of queries, and of changes."""


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
            SqlRefusedError: It was not carried out to its end; says why.
        """

    def read_sibling(self, sibling: int, sql: str, max_rows: int, planted: Rows = NOTHING) -> Result:
        """Carry out one query on a sibling, or for 0 on this database as it was at the start.

        Args:
            sibling: Its number.
            sql: The query, from outside.
            max_rows: Most rows of the result.
            planted: Rows by table that are added before and removed afterwards.

        Raises:
            SqlRefusedError: It was not carried out to its end; says why.
        """

    def write(self, sql: str) -> int:
        """Carry out one statement that changes rows; returns how many it touched.

        Raises:
            SqlRefusedError: It was not carried out, and nothing has changed.
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
        siblings: The connections to the base and to its siblings, where those are read.
    """

    def __init__(
        self, bench: Bench, is_stopped: Callable[[], bool] = lambda: False, siblings: Sequence[Bench] = ()
    ) -> None:
        self.is_stopped = is_stopped
        self._bench, self._siblings = bench, siblings
        self._tables = frozenset(table.name for table in bench.base.tables)
        self._world = World(bench)

    def read(self, sql: str, max_rows: int, planted: Rows = NOTHING) -> Result:
        """See `Database.read`; rows may be added before, and are removed afterwards."""
        _require_whole(sql, READING, "a SELECT")
        guard = Guard(self._tables, may_write=False)
        undone = self._world.draft() if planted else nullcontext()
        with undone, self._world.call(may_write=bool(planted)), self._cursor(guard) as cursor:
            guard.is_own = True
            for table, of_table in planted.items():
                marks = ", ".join("?" * len(of_table[0]))
                cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", of_table)  # noqa: S608 - a name of the schema
            guard.is_own = False
            cursor.execute(sql)
            rows = _fetch(cursor, max_rows + 1)
            names = tuple(column[0] for column in cursor.description or ())
        if not names:
            raise SqlRefusedError("This is no query: it gives no columns.")
        return Result(names, rows[:max_rows], len(rows) > max_rows, frozenset(guard.read))

    def read_sibling(self, sibling: int, sql: str, max_rows: int, planted: Rows = NOTHING) -> Result:
        """See `Database.read_sibling`."""
        database = SqliteDatabase(self._siblings[sibling], self.is_stopped)
        try:
            return database.read(sql, max_rows, planted)
        finally:
            database.close()

    def write(self, sql: str) -> int:
        """See `Database.write`."""
        _require_whole(sql, WRITING, "an INSERT, UPDATE or DELETE")
        guard = Guard(self._tables, may_write=True)
        with self._world.call(), self._cursor(guard) as cursor:
            cursor.execute(sql)
            if cursor.description is not None:
                raise SqlRefusedError("This statement gives rows; execute changes rows and does not show any.")
            guard.is_own = True  # the cursor's own count knows no statement that begins with WITH
            return int(cursor.execute("SELECT changes()").fetchone()[0])

    @contextmanager
    def _cursor(self, guard: Guard) -> Iterator[sqlite3.Cursor]:
        """A guarded cursor; a refusal carries the guard's words in place of SQLite's `not authorized`."""
        try:
            with (
                self._world.under(guard) as db,
                limited(db, self.is_stopped),
                closing(db.cursor()) as cursor,
            ):
                yield cursor
        except SqlRefusedError as error:
            if guard.refusal:
                raise SqlRefusedError(guard.refusal, is_violation=True) from error
            raise

    def changes(self) -> list[Change]:
        """See `Database.changes`."""
        return self._world.changes()

    def state(self) -> tuple[Any, ...]:
        """See `Database.state`."""
        return self._world.state()

    def fork(self) -> SqliteDatabase:
        """See `Database.fork`."""
        twin = SqliteDatabase(self._bench, self.is_stopped, self._siblings)
        twin._world = self._world.fork()
        return twin

    def close(self) -> None:
        """See `Database.close`."""
        self._world.close()


def _fetch(cursor: sqlite3.Cursor, max_rows: int) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in cursor:
        rows.append(tuple(row))
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if size > MAX_SIZE:
            raise SqlRefusedError(f"Stopped: the rows hold more than {MAX_SIZE:,} characters. Ask for less.")
        if len(rows) == max_rows:
            break
    return rows


def require_one(sql: str, first_words: tuple[str, ...], expected: str) -> None:
    """Refuse a text that is too long, has characters that no engine takes, or begins with another word.

    Args:
        sql: The text, from outside.
        first_words: What it may begin with, after comments.
        expected: What that is called.

    Raises:
        SqlRefusedError: It is none of these.
    """
    if len(sql) > MAX_SQL:
        raise SqlRefusedError(f"The statement has {len(sql):,} characters; at most {MAX_SQL:,} are read.")
    if any((c < " " and c not in "\t\n\r") or "\ud800" <= c <= "\udfff" for c in sql):
        raise SqlRefusedError("The statement holds control characters or halves of characters.")
    place = 0
    while found := _COMMENTS.match(sql, place):
        place = found.end()
    word = _FIRST_WORD.match(sql, place)
    if word is None:
        raise SqlRefusedError(f"There is no statement; expected {expected}.")
    if word[0].upper() not in first_words:
        raise SqlRefusedError(f"{word[0].upper()[:20]} is not allowed here; expected {expected}.", is_violation=True)


def _require_whole(sql: str, first_words: tuple[str, ...], expected: str) -> None:
    require_one(sql, first_words, expected)
    if not sqlite3.complete_statement(sql.rstrip().rstrip(";") + "\n;"):
        raise SqlRefusedError("The statement is not complete: a quote or a comment is open.")
