"""What hostile SQL may not do on a SQLite connection: an allow-list of reading and writing, limits, and a stop.

Statements are never inspected as text for their safety: SQLite itself asks the authorizer about each of their parts.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from agentgym.errors import AgentGymError
from agentgym_tools.worlds.base import LOG

MAX_WORK = 3_000_000
"""Steps of SQLite's virtual machine that one statement may take: a limit that does not depend on the machine's load."""
MAX_CPU_S = 2.0
"""Processor time of one statement, for steps that are long in themselves; a machine that stands still costs none."""
MAX_PAGES = 500
"""Pages of 4,096 bytes that the tables may grow to."""
_STEPS_A_CHECK = 1_000

LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 4_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 20_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 64,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 60,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 20_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 12,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 60,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 3,
}
"""Limits of a connection. No text and no row is longer than 4,000 bytes: a sort fills neither memory nor disk."""

_AGGREGATES = "count sum total avg min max group_concat"
_WINDOWS = "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value"
_SCALARS = (
    "abs coalesce ifnull iif nullif round sign length lower upper substr substring trim ltrim rtrim replace instr"
)
_OTHERS = "like glob typeof cast date julianday strftime ceil ceiling floor mod"
FUNCTIONS = frozenset(f"{_AGGREGATES} {_WINDOWS} {_SCALARS} {_OTHERS}".split())
"""The functions that may be called. Those that make long texts of short ones are not among them."""

_WRITES = {
    sqlite3.SQLITE_INSERT: "INSERT",
    sqlite3.SQLITE_UPDATE: "UPDATE",
    sqlite3.SQLITE_DELETE: "DELETE",
}
_REFUSED = {
    sqlite3.SQLITE_ATTACH: "ATTACH is not allowed.",
    sqlite3.SQLITE_DETACH: "DETACH is not allowed.",
    sqlite3.SQLITE_PRAGMA: "PRAGMA is not allowed; use tables() and describe(table).",
    sqlite3.SQLITE_TRANSACTION: "BEGIN, COMMIT and ROLLBACK are not allowed.",
    sqlite3.SQLITE_SAVEPOINT: "Savepoints are not allowed.",
}
_SYSTEM_NAMES = ("sqlite_", "_")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?")
_CLOCKED_MODIFIERS = ("localtime", "utc")


class SqlRefusedError(AgentGymError):
    """SQL that was not carried out, or not to its end; nothing has changed.

    Attributes:
        is_violation: Whether it tried what is forbidden, as opposed to a mistake or a limit.
    """

    def __init__(self, why: str, is_violation: bool = False) -> None:
        super().__init__(why)
        self.is_violation = is_violation


class Guard:
    """An authorizer that remembers what it refused.

    Attributes:
        is_own: Whether the statement is one of ours, and all is allowed.
        refusal: The first thing that it refused, for the agent; "" for none.
        read: The tables that were read.

    Args:
        tables: The tables that may be read.
        may_write: Whether rows of these tables may be added, changed and removed.
    """

    def __init__(self, tables: frozenset[str], may_write: bool) -> None:
        self.is_own = False
        self.refusal = ""
        self.read: set[str] = set()
        self._tables, self._may_write = tables, may_write

    def __call__(
        self, action: int, first: str | None, second: str | None, database: str | None, trigger: str | None
    ) -> int:
        """What `set_authorizer` asks for each part of a statement."""
        if self.is_own:
            return sqlite3.SQLITE_OK
        if trigger is not None and trigger.startswith("_") and self._is_logging(action, first, second, database):
            return sqlite3.SQLITE_OK
        why = self._why_not(action, first, second, database)
        if not why:
            return sqlite3.SQLITE_OK
        self.refusal = self.refusal or why
        return sqlite3.SQLITE_DENY

    @staticmethod
    def _is_logging(action: int, first: str | None, second: str | None, database: str | None) -> bool:
        """Whether it is what the triggers that log changed rows do.

        A statement can make no trigger, but it can call a subquery by a trigger's name: so no reading is among it.
        """
        if action == sqlite3.SQLITE_FUNCTION:
            return second == "json_array"
        return action == sqlite3.SQLITE_INSERT and first == LOG and database == "temp"

    def _why_not(self, action: int, first: str | None, second: str | None, database: str | None) -> str:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return ""
        if action == sqlite3.SQLITE_FUNCTION:
            name = (second or "").lower()
            return "" if name in FUNCTIONS else f"The function {name}() is not allowed."
        if action == sqlite3.SQLITE_READ:
            # Subqueries and common tables have no database, nor has a table of which only rows are counted.
            if first in self._tables and database in ("main", None):
                self.read.add(first)
                return ""
            if database is None and not (first or "").lower().startswith(_SYSTEM_NAMES):
                return ""
            return f"The table {first} is not allowed; tables() lists those that are."
        if action in _WRITES:
            if first not in self._tables or database != "main":
                return "Only the tables that tables() lists may be used."
            return "" if self._may_write else f"{_WRITES[action]} is not allowed here: this tool only reads."
        return _REFUSED.get(action, "Only rows may be read or changed: no other statement is allowed.")


def prepare(db: sqlite3.Connection) -> None:
    """Put limits on a connection, and take the clock from its date functions; once for each connection."""
    for limit, value in LIMITS.items():
        db.setlimit(limit, value)
    for name in ("main", "temp"):  # the tables, and the log of their changes
        db.execute(f"PRAGMA {name}.max_page_count = {MAX_PAGES}")
    inner = sqlite3.connect(":memory:", check_same_thread=False)
    for name, place in (("date", 0), ("julianday", 0), ("strftime", 1)):
        db.create_function(name, -1, _without_clock(inner, name, place), deterministic=True)


def _without_clock(inner: sqlite3.Connection, name: str, place: int) -> Callable[..., Any]:
    """A date function of SQLite that knows no present: what needs it is NULL, as a malformed date is."""

    def function(*values: Any) -> Any:
        time_value, modifiers = values[place : place + 1], values[place + 1 :]
        if not time_value or len(values) > 8 or not _is_date(time_value[0]):
            return None
        if any(not isinstance(each, str) or each.strip().lower() in _CLOCKED_MODIFIERS for each in modifiers):
            return None
        marks = ", ".join("?" * len(values))
        return inner.execute(f"SELECT {name}({marks})", values).fetchone()[0]

    return function


def _is_date(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and _DATE.fullmatch(value) is not None)


@contextmanager
def limited(db: sqlite3.Connection, is_stopped: Callable[[], bool]) -> Iterator[None]:
    """Stop statements inside that work for too long.

    Args:
        db: The connection.
        is_stopped: Asked now and then; True stops a statement as well.

    Raises:
        SqlRefusedError: A statement was stopped, or it asks for too much memory, or it is wrong; says which.
    """
    checks_left = MAX_WORK // _STEPS_A_CHECK
    end = time.thread_time() + MAX_CPU_S

    def check() -> bool:
        nonlocal checks_left
        checks_left -= 1
        return checks_left < 0 or time.thread_time() > end or is_stopped()

    db.set_progress_handler(check, _STEPS_A_CHECK)
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        raise SqlRefusedError(_explained(error)) from error
    except MemoryError:
        raise SqlRefusedError("The statement needs too much memory.") from None
    finally:
        db.set_progress_handler(None, 0)


def _explained(error: Exception) -> str:
    said = str(error)
    if said == "interrupted":
        return f"Stopped: the statement takes too long, more than {MAX_WORK:,} steps. Read fewer rows at once."
    if "is full" in said:
        return f"Stopped: the tables would hold more than {MAX_PAGES * 4} KiB. Add fewer rows."
    if "too big" in said or "too large" in said:
        return f"Stopped: a text, a number or the statement is too long ({said}). Ask for less."
    if "one statement" in said:
        return "Only one statement a call."
    return f"Error: {said[:300]}"
