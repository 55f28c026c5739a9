"""SQLite databases, asked read-only on a copy in memory: no extension, trigger of a write or attached file can act."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from agentgym_gui.verify.reading import UnreadableFileError

MAX_STEPS = 20_000_000
MAX_ROWS = 10_000
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def rows(content: bytes, query: str, values: Sequence[Any] = ()) -> list[list[Any]]:
    """What a question gives on a database file.

    Args:
        content: The bytes of the file.
        query: One SELECT.
        values: What stands for its question marks.

    Raises:
        UnreadableFileError: The file is no database, lacks what is asked for, or takes too long.
    """
    connection = sqlite3.connect(":memory:")
    try:
        # In write-ahead mode a copy in memory cannot be opened: bytes 18 and 19 say the mode, 1 is a plain journal.
        plain = content[:18] + b"\1\1" + content[20:] if content[18:20] == b"\2\2" else content
        connection.deserialize(plain)
        connection.execute("PRAGMA trusted_schema = OFF")
        steps = iter(range(MAX_STEPS // 10_000))
        connection.set_progress_handler(lambda: next(steps, None) is None, 10_000)
        connection.set_authorizer(_authorise)
        found = connection.execute(query, tuple(values)).fetchmany(MAX_ROWS + 1)
    except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        raise UnreadableFileError(f"the database gives no answer: {error}") from error
    finally:
        connection.close()
    if len(found) > MAX_ROWS:
        raise UnreadableFileError(f"over {MAX_ROWS} rows")
    return [[each.hex() if isinstance(each, bytes) else each for each in row] for row in found]


def _authorise(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION and second == "load_extension":
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
