"""The world of one episode: a base, and what the episode changed in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from agentgym.errors import ContractError
from agentgym_tools.worlds.bench import Authorizer, Bench, Seat
from agentgym_tools.worlds.changes import Change, Net, changes_of, in_order, since


class World:
    """A base with an episode's changes.

    It costs a connection only while it is used. Its methods that read or write work inside `call`:

        with world.call():
            world.write("UPDATE orders SET state = 'cancelled' WHERE id = ?", "W1042")

    Args:
        bench: The connections to the base.
        now: The episode's clock at the start, in minutes of a calendar of the domain's choice.

    Attributes:
        rules: The rules that tools show, such as those in documents. They belong to the task and do not change.
    """

    def __init__(self, bench: Bench, now: int = 0) -> None:
        self.now = now
        self.rules: Any = None
        self._bench = bench
        self._seat: Seat | None = None
        self._db: sqlite3.Connection | None = None
        self._drafting: Seat | None = None
        self._known: Net | None = None  # the net changes, until something may have been written
        self._net: Net = {}
        self._start: Net = {}
        self._ids: dict[str, int] = {}

    @contextmanager
    def call(self, *, may_write: bool = True) -> Iterator[Self]:
        """Everything written inside is kept together, or undone together where an exception leaves.

        Args:
            may_write: Whether writing is allowed.

        Raises:
            ContractError: The call is inside another one, or it wrote without leave.
        """
        if self._db is not None:
            raise ContractError("World.call() inside another call of the same world; use the one that is open")
        if self._drafting is not None:
            with self._called(self._drafting, may_write=may_write):
                yield self
            return
        seat, has_rows = self._bench.take(self, self._seat)
        self._seat = seat
        try:
            if not has_rows:
                seat.apply(self._net)
            with self._called(seat, may_write=may_write):
                yield self
        finally:
            self._bench.give(seat)

    @contextmanager
    def draft(self) -> Iterator[Self]:
        """Everything that calls inside write is undone at the end, not before; a `fork` made inside keeps it.

        Raises:
            ContractError: It is inside a call or another draft.
        """
        if self._db is not None or self._drafting is not None:
            raise ContractError("World.draft() inside a call or a draft of the same world; end that one first")
        seat, has_rows = self._bench.take(self, self._seat)
        self._seat = seat
        ids, now = dict(self._ids), self.now
        try:
            if not has_rows:
                seat.apply(self._net)
            seat.save()
            self._drafting = seat
            try:
                yield self
            finally:
                self._drafting = self._known = None
                seat.settle(is_kept=False)
                self._ids, self.now = ids, now
        finally:
            self._bench.give(seat)

    @contextmanager
    def _called(self, seat: Seat, *, may_write: bool) -> Iterator[None]:
        """What is written inside is kept, or undone where an exception leaves."""
        ids, now = dict(self._ids), self.now
        is_kept, is_saved = False, may_write and self._drafting is None
        if is_saved:
            seat.save()
        self._db = seat.db
        num_before = seat.db.total_changes
        try:
            yield
            if not may_write and seat.db.total_changes != num_before:
                raise ContractError("a call that only reads has written; declare it as one that writes")
            is_kept = True
        finally:
            self._db = None
            if may_write:
                self._known = None
            if is_saved:
                seat.settle(is_kept)
            elif not may_write and seat.db.total_changes != num_before:
                seat.undo(seat.db.total_changes - num_before)
                if self._drafting is None:
                    seat.settle(is_kept=True)
            if not is_kept:
                self._ids, self.now = ids, now

    @property
    def has_connection(self) -> bool:
        """Whether it holds a connection now, which others may take between calls."""
        return self._seat is not None

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self._open.execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        found: sqlite3.Row | None = self._open.execute(sql, values).fetchone()
        return found

    def write(self, sql: str, *values: Any) -> int:
        """Carry out a statement; returns how many rows it touched."""
        return self._open.execute(sql, values).rowcount

    @contextmanager
    def under(self, authorize: Authorizer) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that were not written by the domain, inside `call`.

        Args:
            authorize: Takes the place of the world's own authorizer, which allows writing to every table and most
                functions. It must refuse transactions, PRAGMA and the log of changes.
        """
        if self._db is None or self._seat is None:
            raise ContractError("World.under() is used inside `with world.call():`")
        seat, net = self._seat, self._current()
        try:
            with seat.under(authorize) as db:
                yield db
        finally:
            if not seat.db.in_transaction:  # SQLite ends the transaction of a write that is interrupted
                seat.restore(net)

    def new_id(self, table: str, column: str = "id") -> int:
        """The next number for a table: one more than the largest one of a column, or than the last one given out."""
        if table not in self._ids:
            sql = f"SELECT coalesce(max({column}), 0) FROM {table}"  # noqa: S608 - names from the schema
            self._ids[table] = int(self._open.execute(sql).fetchone()[0])
        self._ids[table] += 1
        return self._ids[table]

    def mark_start(self) -> None:
        """Count changes from here on: what was written so far belongs to the task."""
        self._start = self._current()

    def changes(self) -> list[Change]:
        """The net changes since the start, in an order that does not depend on that of the writes."""
        return changes_of(since(self._current(), self._start), self._bench.base.columns)

    def state(self) -> tuple[Any, ...]:
        """A canonical value of everything: equal states have equal futures under equal calls."""
        net = self._current()
        return self.now, tuple(sorted(self._ids.items())), tuple((key, net[key][1]) for key in in_order(net))

    def fork(self) -> World:
        """A world that goes on from here by itself."""
        twin = World(self._bench, self.now)
        twin.rules = self.rules
        twin._net, twin._start, twin._ids = self._current(), self._start, dict(self._ids)
        return twin

    def reset(self, now: int = 0) -> None:
        """Go back to the base."""
        self.close()
        self.now = now

    def close(self) -> None:
        """Give up the connection and forget all changes."""
        if self._seat is not None:
            self._bench.vacate(self._seat, self)
        self._seat, self._net, self._start, self._ids, self._known = None, {}, {}, {}, None

    def leave(self, net: Net) -> None:
        """Keep these rows: another world takes the connection."""
        self._seat, self._net, self._known = None, net, net

    @property
    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            raise ContractError("a World is read and written inside `with world.call():`")
        return self._db

    def _current(self) -> Net:
        if self._known is None and self._seat is not None:
            self._known = self._bench.net_of(self._seat, self)
        return self._net if self._known is None else self._known
