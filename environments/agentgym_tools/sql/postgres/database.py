"""An episode's database on PostgreSQL: `Database` on a clone of the pool."""

# ruff: noqa: S608 - names come from the schema

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentgym_tools.sql.database import NOTHING, READING, WRITING, Result, require_one
from agentgym_tools.sql.databases import rows_of
from agentgym_tools.sql.filling import Rows, Value
from agentgym_tools.sql.guard import SqlRefusedError
from agentgym_tools.sql.postgres.guard import require_timeless
from agentgym_tools.sql.postgres.pool import MAX_WEAR, Place, Pool, current_pool
from agentgym_tools.sql.schema import Schema, load_schema
from agentgym_tools.worlds.changes import Change, Net, changes_of, in_order, without_idle


class PostgresDatabase:
    """A database on PostgreSQL.

    Args:
        place: The schema's name, the database's number, and whether it is small.
        is_stopped: Whether a running statement is to give up.

    Raises:
        ConfigError: PostgreSQL is not installed.
        InfrastructureError: There is no server, no room or no free clone.
    """

    def __init__(self, place: Place, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self.is_stopped = is_stopped
        self._place = place
        self._schema: Schema = load_schema(place[0])
        rows_of(place[0], place[1], 0, place[2])  # refuses a place that is none
        self._pool: Pool = current_pool()
        self._seat = self._pool.take(place)
        self._net: Net | None = {}
        self._is_open = True

    def read(self, sql: str, max_rows: int) -> Result:
        """See `Database.read`."""
        _require_reading(sql)
        return self._seat.session.read(sql, max_rows, self.is_stopped, with_tables=True)

    def read_sibling(self, sibling: int, sql: str, max_rows: int, planted: Rows = NOTHING) -> Result:
        """See `Database.read_sibling`."""
        _require_reading(sql)
        additions = [f"INSERT INTO {table} VALUES {_listed(rows)}" for table, rows in planted.items()]
        with self._seat.judge(sibling, additions) as judge:
            return judge.read(sql, max_rows, self.is_stopped)

    def write(self, sql: str) -> int:
        """See `Database.write`."""
        require_one(sql, WRITING, "an INSERT, UPDATE or DELETE")
        require_timeless(sql)
        try:
            count = self._seat.session.write(sql, self.is_stopped)
        except SqlRefusedError as refusal:  # what was stopped and undone leaves dead rows
            self._seat.wear += MAX_WEAR if str(refusal).startswith("Stopped") else 1
            raise
        self._touch(count)
        return count

    def changes(self) -> list[Change]:
        """See `Database.changes`."""
        names = {table.name: [column.name for column in table.columns] for table in self._schema.tables}
        return changes_of(self._changed(), names)

    def state(self) -> tuple[Any, ...]:
        """See `Database.state`."""
        net = self._changed()
        return tuple((key, net[key][1]) for key in in_order(net))

    def fork(self) -> PostgresDatabase:
        """See `Database.fork`."""
        net = self._changed()
        twin = PostgresDatabase(self._place, self.is_stopped)
        keys = {table.name: table.key for table in self._schema.tables}
        deletions = [(f"DELETE FROM {table} WHERE {keys[table]} = %s", key) for table, key in net]
        additions = [
            (f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(row))})", row)
            for (table, _), (_, row) in net.items()
            if row is not None
        ]
        if net:
            deferred, immediate = (("SET CONSTRAINTS ALL DEFERRED", ()), ("SET CONSTRAINTS ALL IMMEDIATE", ()))
            twin._seat.session.own(deferred, *deletions, *additions, immediate)
            twin._touch(len(net))
        return twin

    def close(self) -> None:
        """See `Database.close`."""
        if self._is_open:
            self._is_open = False
            self._pool.give(self._seat)

    def _touch(self, num_rows: int) -> None:
        self._net = None
        self._seat.wear += num_rows

    def _changed(self) -> Net:
        """The net changes of rows; read anew only after a write."""
        if self._net is None:
            base = rows_of(self._place[0], self._place[1], 0, self._place[2])
            net: Net = {}
            for table in self._schema.tables:
                before = {row[0]: row for row in base[table.name]}
                after = {row[0]: row for row in self._seat.session.rows(f"SELECT * FROM {table.name}")}
                for key in before.keys() | after.keys():
                    net[table.name, (key,)] = (before.get(key), after.get(key))
            self._net = without_idle(net)
        return self._net


def _listed(rows: Sequence[tuple[Value, ...]]) -> str:
    """Rows of ours as they stand behind VALUES."""
    return ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def _require_reading(sql: str) -> None:
    require_one(sql, READING, "a SELECT")
    require_timeless(sql)
