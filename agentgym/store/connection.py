"""A connection to a run's database: opening, transactions from several threads, and errors that say what to do.

What is written and read through it is in `run_store`.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from agentgym.errors import StoreError
from agentgym.store.schema import check_version, create_tables, is_empty

_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",  # a killed process loses nothing; a power cut may lose the last commits, never the file
    "foreign_keys = ON",
    "wal_autocheckpoint = 4000",
    "temp_store = MEMORY",
)
_NEXT_MOVES = {
    sqlite3.SQLITE_FULL: "what was stored before is intact; free some space and resume the run",
    sqlite3.SQLITE_NOTADB: "the file is no SQLite database; choose another run folder",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore the run folder from a copy, or start a new run",
    sqlite3.SQLITE_READONLY: "the folder or file cannot be written; open the run read-only or choose another folder",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check that the folder exists and may be read",
    sqlite3.SQLITE_BUSY: "another process holds the file; stop it, or open the run read-only",
    sqlite3.SQLITE_IOERR: "the disk failed or is full; check it, then resume the run",
}


class Connection:
    """One SQLite connection that the threads of one process share.

    Args:
        path: The database.
        read_only: Whether nothing may be written.

    Raises:
        StoreError: The file cannot be used; says why and what to do.
    """

    def __init__(self, path: Path, read_only: bool) -> None:
        self.path, self.is_read_only = path, read_only
        self._lock = threading.RLock()
        self._process = os.getpid()
        try:
            self._sqlite = sqlite3.connect(
                _uri(path, read_only), uri=True, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise explained(error, path) from error
        try:
            self._prepare()
        except BaseException:
            self._sqlite.close()
            raise

    def _prepare(self) -> None:
        try:
            if not self.is_read_only:
                if is_empty(self._sqlite):
                    create_tables(self._sqlite)
                check_version(self._sqlite, self.path, read_only=False)
                for pragma in _PRAGMAS:
                    self._sqlite.execute(f"PRAGMA {pragma}")
            else:
                check_version(self._sqlite, self.path, read_only=True)
        except sqlite3.Error as error:
            raise explained(error, self.path) from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write in the block, all or nothing.

        Raises:
            StoreError: The run is open read-only, closed, or opened by another process; or writing failed.
        """
        if self.is_read_only:
            raise StoreError(f"{self.path} is open read-only; open the run for writing")
        if self._process != os.getpid():
            raise StoreError(f"{self.path} was opened by process {self._process}; a forked process must not write it")
        with self._lock:
            try:
                self._sqlite.execute("BEGIN IMMEDIATE")
                try:
                    yield self._sqlite
                    self._sqlite.execute("COMMIT")
                except BaseException:
                    if self._sqlite.in_transaction:
                        self._sqlite.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise explained(error, self.path) from error

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Raises:
            StoreError: Reading failed.
        """
        with self._lock:
            try:
                return self._sqlite.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise explained(error, self.path) from error

    @contextmanager
    def decoding(self, what: str) -> Iterator[None]:
        """Decode in the block what was read; `what` names it.

        Raises:
            StoreError: It is not what was written.
        """
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, zlib.error) as error:
            raise StoreError(
                f"{self.path}: {what} is damaged ({type(error).__name__}: {error}); restore the run folder from a "
                "copy, or leave this run out"
            ) from error

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock:
            self._sqlite.close()


def explained(error: sqlite3.Error, path: Path) -> StoreError:
    """The StoreError that says what an SQLite error means and what to do about it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    next_move = _NEXT_MOVES.get(code, "check the run folder")
    return StoreError(f"cannot use {path}: {error}; {next_move}")


def _uri(path: Path, read_only: bool) -> str:
    address = "file:" + quote(str(path.absolute()))
    if not read_only:
        return address + "?mode=rwc"
    log = path.with_name(path.name + "-wal")
    # A log cannot be set up in a folder that may not be written; a file that nobody writes can be read without one.
    is_still = not os.access(path.parent, os.W_OK) and not (log.exists() and log.stat().st_size)
    return address + ("?mode=ro&immutable=1" if is_still else "?mode=ro")
