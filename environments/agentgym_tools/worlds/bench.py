"""A few connections to one base, on which many worlds take turns.

A world keeps its seat until another one needs it. Then its changed rows are read from the log and the seat is rolled
back; on its next use they are written again on any free seat.
"""

# ruff: noqa: S608 - names come from the schema, which a domain's author wrote

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeAlias

from agentgym.errors import AgentGymError
from agentgym_tools.worlds.base import LOG, Base
from agentgym_tools.worlds.changes import Net, merge, without_idle

MAX_WAIT_S = 60.0
_REFUSED_FUNCTIONS = frozenset(
    {
        *("random", "randomblob", "last_insert_rowid", "changes", "total_changes", "load_extension"),
        *("date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"),
        *("current_date", "current_time", "current_timestamp"),
    }
)
"""What would bring in the wall's clock, or values that writing the rows again would not."""
_PLAIN = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_WRITES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})


Authorizer: TypeAlias = Callable[[int, str | None, str | None, str | None, str | None], int]
"""What `sqlite3.Connection.set_authorizer` takes."""


class Tenant(Protocol):
    """What a bench asks of those who sit on it."""

    def leave(self, net: Net) -> None:
        """Keep these rows: the seat goes to somebody else."""


class Seat:
    """A connection inside a transaction that is never committed.

    Args:
        base: The base.
    """

    def __init__(self, base: Base) -> None:
        self.db = base.connect()
        self.tenant: weakref.ref[Tenant] | None = None
        self.is_busy = False
        self.is_clean = False
        self._base = base
        self._is_own = True
        self.db.executescript(base.log_script)
        self._inserts = [
            f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(table.columns))})" for table in base.tables
        ]
        self._deletes = [
            f"DELETE FROM {table.name} WHERE {' AND '.join(f'{table.columns[place]} = ?' for place in table.key)}"
            for table in base.tables
        ]
        self._places = {table.name: place for place, table in enumerate(base.tables)}
        self.db.set_authorizer(self._authorize)
        self.begin()

    def begin(self) -> None:
        """Go back to the base."""
        self._own("ROLLBACK" if self.db.in_transaction else "", "BEGIN")
        self.is_clean = True

    def restore(self, net: Net) -> None:
        """Begin anew with net changes, as before a call."""
        self.begin()
        self.apply(net)
        self.save()

    def undo(self, num_changes: int) -> None:
        """Undo the last changes, of which every second one is that of the log, where no savepoint was made for them."""
        self.restore(self.net(num_left_out=num_changes // 2))

    def save(self) -> None:
        """Mark the state before a call."""
        self._own("SAVEPOINT call")

    def settle(self, is_kept: bool) -> None:
        """Keep or undo what has happened since `save`."""
        self._own("" if is_kept else "ROLLBACK TO call", "RELEASE call")

    @contextmanager
    def under(self, authorize: Authorizer) -> Iterator[sqlite3.Connection]:
        """Statements inside are allowed by another authorizer; those prepared before are asked about anew."""
        self.db.set_authorizer(authorize)
        try:
            yield self.db
        finally:
            self.db.set_authorizer(self._authorize)

    def net(self, num_left_out: int = 0) -> Net:
        """The net changes against the base, without the last ones of the log where some are left out."""
        found: Net = {}
        tables = self._base.tables
        logged = self.db.execute(f"SELECT place, old, new FROM temp.{LOG} ORDER BY number").fetchall()
        for place, old, new in logged[: len(logged) - num_left_out]:
            merge(found, tables[place], old, new)
        return without_idle(found)

    def apply(self, net: Net) -> None:
        """Write net changes on the base; the order of the rows does not matter."""
        if not net:
            return  # a PRAGMA makes SQLite prepare every statement anew
        self._own("PRAGMA defer_foreign_keys = ON")
        for (table, key), (before, _) in net.items():
            if before is not None:
                self.db.execute(self._deletes[self._places[table]], key)
        for (table, _), (_, after) in net.items():
            if after is not None:
                self.db.execute(self._inserts[self._places[table]], after)
        self._own("PRAGMA defer_foreign_keys = OFF")

    def _own(self, *statements: str) -> None:
        self._is_own = True
        for statement in statements:
            if statement:
                self.db.execute(statement)
        self._is_own = False

    def _authorize(self, action: int, first: str | None, second: str | None, _: str | None, trigger: str | None) -> int:
        if self._is_own or action in _PLAIN:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            return sqlite3.SQLITE_DENY if (second or "").lower() in _REFUSED_FUNCTIONS else sqlite3.SQLITE_OK
        if action in _WRITES:
            return sqlite3.SQLITE_OK if first != LOG or trigger is not None else sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_DENY


class Bench:
    """The connections to a base.

    Args:
        base: The base.
        num_seats: Most connections; each holds a copy of the base.
    """

    def __init__(self, base: Base, num_seats: int = 8) -> None:
        self.base = base
        self._num_seats = num_seats
        self._seats: list[Seat] = []  # the one used longest ago first
        self._turn = threading.Condition()

    def take(self, tenant: Tenant, seat: Seat | None) -> tuple[Seat, bool]:
        """A seat for a tenant, and whether it is the one on which its rows still are.

        Raises:
            AgentGymError: All seats stay in use for `MAX_WAIT_S`.
        """
        with self._turn:
            if seat is not None and seat.tenant is not None and seat.tenant() is tenant:
                self._move_last(seat)
                return seat, True
            if not self._turn.wait_for(self._has_room, MAX_WAIT_S):
                raise AgentGymError(
                    f"no connection to base {self.base.name!r} came free within {MAX_WAIT_S:.0f} s: all "
                    f"{self._num_seats} are in use; close worlds, or give Bench more seats"
                )
            free = self._free_seat()
            free.tenant = weakref.ref(tenant)
            self._move_last(free)
            return free, False

    def give(self, seat: Seat) -> None:
        """Let others have a seat if they need it."""
        with self._turn:
            seat.is_busy = False
            self._turn.notify()

    def vacate(self, seat: Seat, tenant: Tenant) -> None:
        """Forget a tenant."""
        with self._turn:
            if seat.tenant is not None and seat.tenant() is tenant:
                seat.tenant = None
                seat.begin()

    def net_of(self, seat: Seat, tenant: Tenant) -> Net | None:
        """The net changes of a tenant that still has its seat."""
        with self._turn:
            return seat.net() if seat.tenant is not None and seat.tenant() is tenant else None

    def _has_room(self) -> bool:
        return len(self._seats) < self._num_seats or any(not seat.is_busy for seat in self._seats)

    def _free_seat(self) -> Seat:
        for seat in self._seats:
            if not seat.is_busy and (seat.tenant is None or seat.tenant() is None):
                if not seat.is_clean:
                    seat.begin()
                return seat
        if len(self._seats) < self._num_seats:
            seat = Seat(self.base)
            self._seats.append(seat)
            return seat
        seat = next(seat for seat in self._seats if not seat.is_busy)
        tenant = seat.tenant() if seat.tenant is not None else None
        if tenant is not None:
            tenant.leave(seat.net())
        seat.begin()
        return seat

    def _move_last(self, seat: Seat) -> None:
        seat.is_busy, seat.is_clean = True, False
        self._seats.remove(seat)
        self._seats.append(seat)
