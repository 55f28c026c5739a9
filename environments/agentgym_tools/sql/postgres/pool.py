"""Cloned databases, lent to one episode at a time: an episode is a transaction, and its end a rollback.

The clones of a database come from a template that holds its five siblings too, out of the agent's reach. A clone that
is doubtful or worn is dropped, and another one is made when it is needed.
"""

# ruff: noqa: S608 - names come from the schema

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

from agentgym.errors import InfrastructureError, SandboxError, SandboxLostError
from agentgym_tools.sql.databases import BLANK, NUM_SIBLINGS, create_statements, rows_of
from agentgym_tools.sql.postgres.guard import MAX_WALL_S
from agentgym_tools.sql.postgres.programs import psycopg
from agentgym_tools.sql.postgres.server import Server
from agentgym_tools.sql.postgres.session import Session
from agentgym_tools.sql.postgres.template import JUDGE, PLAYER
from agentgym_tools.sql.schema import Schema, load_schema

Place: TypeAlias = tuple[str, int, bool]
"""The name of a schema, the number of a database, and whether it is small."""
MAX_SEATS = 48
"""Most clones in use at once."""
MAX_IDLE, MAX_TEMPLATES = 16, 24
"""Most clones and templates that are kept; each takes 8 to 9 MB of disk."""
MAX_WAIT_S = 60.0
MAX_TEXT = 1_000
"""Most characters of a text in a row."""
MAX_WEAR = 500
"""Rows touched in a clone after which it is replaced."""


class Seat:
    """A clone.

    Attributes:
        place: What it is a clone of.
        name: Its name in the server.
        session: The connection of the agent's statements.
        wear: Rows touched in it since it was made, whose dead versions remain in its files.
    """

    def __init__(self, server: Server, place: Place, name: str) -> None:
        self.place, self.name, self.wear = place, name, 0
        self._server = server
        self._judge: Session | None = None
        self._judging = threading.Lock()
        self.session = Session(server.connect(PLAYER, name, search_path="s0,extra", **_limits()))

    @contextmanager
    def judge(self, sibling: int, additions: Sequence[str] = ()) -> Iterator[Session]:
        """The connection that reads a sibling, or for 0 the database as it was before the episode.

        Args:
            sibling: Its number.
            additions: Statements of ours that are carried out before, and undone by the next call.
        """
        with self._judging:
            if self._judge is None:
                self._judge = Session(self._server.connect(JUDGE, self.name, **_limits()))
            self._judge.reset(f"s{sibling}", additions)
            self.wear += bool(additions)  # the rows are few
            yield self._judge

    def close(self) -> None:
        """End its connections."""
        self.session.close()
        if self._judge is not None:
            self._judge.close()


class Pool:
    """The clones in one server.

    Args:
        server: The server; it ends with the pool.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self._templates: dict[Place, str] = {}
        self._idle: list[Seat] = []  # the one used longest ago first
        self._taken: set[Seat] = set()
        self._num_made = 0
        self._turn = threading.Condition()

    def take(self, place: Place) -> Seat:
        """A clone for an episode, as it was at its making.

        Raises:
            InfrastructureError: All clones stay in use for `MAX_WAIT_S`.
            SandboxLostError: The server is gone.
        """
        with self._turn:
            if not self._turn.wait_for(lambda: len(self._taken) < MAX_SEATS, MAX_WAIT_S):
                raise InfrastructureError(
                    f"no clone of {place} came free within {MAX_WAIT_S:.0f} s: all {MAX_SEATS} are in use; close "
                    "environments, or run fewer episodes at once"
                )
            seat = next((seat for seat in reversed(self._idle) if seat.place == place), None)
            if seat is None:
                seat = self._make(place)
            else:
                self._idle.remove(seat)
            self._taken.add(seat)
            return seat

    def give(self, seat: Seat) -> None:
        """Take a clone back: roll it back, or drop it where that does not bring it back to its start."""
        is_good = seat.session.is_clean() and seat.wear < MAX_WEAR
        if is_good:
            try:
                seat.session.reset()
            except SandboxError:
                is_good = False
        with self._turn:
            self._taken.discard(seat)
            if is_good:
                self._idle.append(seat)
            dropped = [] if is_good else [seat]
            while len(self._idle) > MAX_IDLE:
                dropped.append(self._idle.pop(0))
            for each in dropped:
                self._drop(each)
            self._turn.notify()

    def close(self) -> None:
        """End the server, and all connections to it."""
        with self._turn:
            for seat in (*self._idle, *self._taken):
                seat.close()
            self._idle.clear()
            self.server.stop()

    def names(self) -> frozenset[str]:
        """The databases that the server has, its own ones left out."""
        with self._turn:
            found = self.server.keeper.execute("SELECT datname FROM pg_database WHERE datname ~ '^[ct][0-9]+$'")
            return frozenset(row[0] for row in found)

    def _make(self, place: Place) -> Seat:
        try:
            return Seat(self.server, place, self._clone("c", self._template(place)))
        except psycopg().OperationalError as error:
            raise SandboxLostError(
                f"PostgreSQL gave no clone of {place} ({error}); the next episode starts another server, which needs "
                "some 10 MB of room for each"
            ) from error

    def _clone(self, kind: str, template: str) -> str:
        self._num_made += 1
        name = f"{kind}{self._num_made}"
        self.server.keeper.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        self.server.keeper.execute(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC")
        self.server.keeper.execute(f"GRANT CONNECT ON DATABASE {name} TO {PLAYER}, {JUDGE}")
        return name

    def _template(self, place: Place) -> str:
        name = self._templates.pop(place, "")
        if not name:
            name = self._clone("t", "template1")
            self._fill(name, place)
        self._templates[place] = name  # the one used last stands last
        while len(self._templates) > MAX_TEMPLATES:
            oldest = next(iter(self._templates))
            self.server.keeper.execute(f"DROP DATABASE {self._templates.pop(oldest)}")
        return name

    def _fill(self, name: str, place: Place) -> None:
        schema_name, number, is_small = place
        schema = load_schema(schema_name)
        with self.server.connect(self.server.keeper.info.user, name) as connection:
            connection.execute(_definitions(schema, BLANK))
            for sibling in range(NUM_SIBLINGS + 1):
                connection.execute(_definitions(schema, sibling))
                for table, rows in rows_of(schema_name, number, sibling, is_small).items():
                    marks = ", ".join(["%s"] * len(rows[0]))
                    connection.cursor().executemany(f"INSERT INTO d{sibling}.{table} VALUES ({marks})", rows)
            connection.execute("VACUUM (FREEZE, ANALYZE)")

    def _drop(self, seat: Seat) -> None:
        seat.close()
        with suppress(psycopg().OperationalError):  # a server that is gone has no databases
            self.server.keeper.execute(f"DROP DATABASE {seat.name} WITH (FORCE)")


def _limits() -> dict[str, Any]:
    return {"statement_timeout": f"{MAX_WALL_S * 1e3:.0f}"}


def _definitions(schema: Schema, sibling: int) -> str:
    """Tables, and views of them in the order of keys, which agents take for the tables.

    The order is that of the rows whatever was changed, undone or written again. A view has no system columns either.
    """
    data, seen = f"d{sibling}", f"s{sibling}"
    tables = create_statements(schema, with_links=sibling != BLANK)  # rows of ours need no checks, which take long
    lines = [f"CREATE SCHEMA {data}; CREATE SCHEMA {seen}; SET search_path = {data};", tables]
    for table in schema.tables:
        lines.append(f"CREATE VIEW {seen}.{table.name} AS SELECT * FROM {data}.{table.name} ORDER BY {table.key};")
        for column in table.columns:
            if column.kind == "link" and sibling != BLANK:
                name = f"{table.name}_{column.name}_fkey"
                lines.append(f"ALTER TABLE {table.name} ALTER CONSTRAINT {name} DEFERRABLE INITIALLY IMMEDIATE;")
            elif not column.is_integer:
                lines.append(f"ALTER TABLE {table.name} ADD CHECK (pg_catalog.length({column.name}) <= {MAX_TEXT});")
    lines.append(f"GRANT USAGE ON SCHEMA {seen} TO {JUDGE}; GRANT SELECT ON ALL TABLES IN SCHEMA {seen} TO {JUDGE};")
    if sibling == BLANK:  # for planted rows; a cursor, by which answers are read, cannot write
        lines.append(f"GRANT INSERT ON ALL TABLES IN SCHEMA {seen} TO {JUDGE};")
    if sibling == 0:
        lines.append(f"GRANT USAGE ON SCHEMA {seen} TO {PLAYER};")
        lines.append(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {seen} TO {PLAYER};")
    return "\n".join(lines)


_pool: Pool | None = None
_inherited: list[Pool] = []  # kept, because ending a connection would end it for the process that this was forked from
_lock = threading.Lock()


def current_pool() -> Pool:
    """This process's pool; its server is started where there is none, or none any more.

    Raises:
        ConfigError: PostgreSQL is not installed.
        SandboxStartError: The server cannot be started.
    """
    global _pool
    with _lock:
        _leave_inherited()
        if _pool is not None and not _pool.server.is_alive():
            _pool.close()
            _pool = None
        if _pool is None:
            _pool = Pool(Server())
        return _pool


@atexit.register
def stop() -> None:
    """End this process's server; harmless where there is none."""
    global _pool
    with _lock:
        _leave_inherited()
        if _pool is not None:
            _pool.close()
        _pool = None


def _leave_inherited() -> None:
    global _pool
    if _pool is not None and _pool.server.owner != os.getpid():
        _inherited.append(_pool)
        _pool = None
