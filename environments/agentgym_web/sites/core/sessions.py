"""Sessions: each has a copy of the site's database, which is all the state there is.

Nothing here knows of HTTP; `web` and `control` do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_web.sites.core.differences import Change, differences, watched_tables
from agentgym_web.sites.core.site import Site, connect, snapshot

DEFAULT = "default"
"""Name of the session of a request that names none."""
_BARRED = frozenset(
    {
        sqlite3.SQLITE_ATTACH,
        sqlite3.SQLITE_DETACH,
        sqlite3.SQLITE_PRAGMA,
        sqlite3.SQLITE_SAVEPOINT,
        sqlite3.SQLITE_TRANSACTION,
    }
)
"""What no statement of a task may do, for it could reach files; a check may not write either."""
_WRITES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
Plant = Sequence[Any]
"""A statement and its parameters, carried out at the reset."""


class Sessions:
    """The sessions of one site by name.

    Args:
        site: The site.
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self._snapshot = snapshot(site)
        self._databases: dict[str, sqlite3.Connection] = {}
        self._plants: dict[str, Sequence[Plant]] = {}
        self._written: dict[str, set[str]] = {}

    def database(self, session: str) -> sqlite3.Connection:
        """The database of a session; one that was never reset starts as the site does, with nobody logged in."""
        if session not in self._databases:
            self.reset(session)
        return self._databases[session]

    def reset(self, session: str, user: str | None = None, plants: Sequence[Plant] = ()) -> None:
        """Put a session back to the start.

        Args:
            session: Its name.
            user: Who is logged in; None is nobody.
            plants: Statements carried out afterwards; what they change does not count as a change.

        Raises:
            sqlite3.Error: A statement of the plants fails.
        """
        fresh = self._fresh(plants)
        fresh.execute("UPDATE _visitor SET user = ?", (user,))
        self.drop(session)
        self._databases[session], self._plants[session] = fresh, plants
        self._note_writes(session)

    def check(self, session: str, checks: Sequence[Mapping[str, Any]]) -> list[bool]:
        """Whether each query returns the rows that it should, in any order; a query cannot write.

        Raises:
            sqlite3.Error: A query is wrong, or tries to write.
        """
        db = self.database(session)
        db.execute("PRAGMA query_only = ON")
        db.set_authorizer(_may_do)
        try:
            return [_same(db.execute(check["sql"]).fetchall(), check["rows"]) for check in checks]
        finally:
            self._note_writes(session)
            db.execute("PRAGMA query_only = OFF")

    def changes(self, session: str) -> Mapping[str, Change]:
        """What differs from the state after the reset, by table."""
        after = self.database(session)
        tables = [name for name in watched_tables(after, self.site.unwatched) if name in self._written[session]]
        if not tables:
            return {}
        before = self._fresh(self._plants[session])
        try:
            return differences(before, after.serialize(), tables)
        finally:
            before.close()

    def drop(self, session: str) -> None:
        """Forget a session."""
        self._plants.pop(session, None)
        self._written.pop(session, None)
        if session in self._databases:
            self._databases.pop(session).close()

    def _note_writes(self, session: str) -> None:
        """Keep the names of the tables that statements may write to from now on, those of triggers included.

        SQLite asks when it prepares a statement, and prepares all of them anew for a new authorizer.
        """
        written = self._written.setdefault(session, set())

        def note(action: int, name: str | None, *_: str | None) -> int:
            if action in _WRITES and name is not None:
                written.add(name)
            return sqlite3.SQLITE_OK

        self._databases[session].set_authorizer(note)

    def _fresh(self, plants: Sequence[Plant]) -> sqlite3.Connection:
        db = connect(self._snapshot)
        db.set_authorizer(_may_do)  # tasks can come over the network
        for sql, parameters in plants:
            db.execute(sql, parameters)
        db.set_authorizer(None)
        return db


def _may_do(action: int, name: str | None, *_: str | None) -> int:
    is_allowed = action not in _BARRED or name == "data_version"  # which the full-text index asks for
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _same(rows: Sequence[sqlite3.Row], expected: Sequence[Sequence[Any]]) -> bool:
    return sorted(map(repr, map(list, rows))) == sorted(map(repr, map(list, expected)))
