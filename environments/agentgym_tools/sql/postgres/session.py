"""One connection of an unprivileged role, inside a transaction that is never committed.

Statements from outside go alone, by the protocol that carries one statement; which database it is of is in `pool`.
"""

from __future__ import annotations

import json
import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from agentgym.errors import SandboxLostError
from agentgym_tools.sql.database import MAX_SIZE, Result
from agentgym_tools.sql.guard import SqlRefusedError
from agentgym_tools.sql.postgres.guard import MAX_WALL_S, refusal_of
from agentgym_tools.sql.postgres.programs import psycopg

if TYPE_CHECKING:
    import psycopg as driver
    from psycopg.pq.abc import PGresult

MAX_TOUCHED = 2_000
"""Most rows that one statement may change."""
_FETCHED_AT_ONCE = 100
_CHECK_S = 0.05
_SILENT_S = 30.0
_INTEGERS, _FLOATS, _NUMERIC, _BOOL, _BYTES = frozenset((20, 21, 23)), frozenset((700, 701)), 1700, 16, 17
_LONGEST_INTEGER = 300


class Session:
    """A connection and its transaction.

    Attributes:
        is_doubtful: Whether its database may hold what an episode left: the transaction ended by itself.

    Args:
        connection: A connection in autocommit mode whose role may do no harm.
    """

    def __init__(self, connection: driver.Connection[Any]) -> None:
        self.is_doubtful = False
        self._connection = connection
        self._own("BEGIN")  # closes the connection where it fails

    def reset(self, schema: str = "", additions: Sequence[str] = ()) -> None:
        """Undo everything and begin anew.

        Args:
            schema: Whose tables statements mean; "" for the connection's own.
            additions: Statements of ours to begin with.
        """
        path = [f"SET search_path = {schema}, extra"] if schema else []
        self._own("; ".join(["ROLLBACK", *path, "BEGIN", *additions]))

    def read(self, sql: str, max_rows: int, is_stopped: Callable[[], bool], *, with_tables: bool = False) -> Result:
        """Carry out one query; nothing remains of it.

        Args:
            sql: The query, from outside.
            max_rows: Most rows of the result.
            is_stopped: Whether to give up; asked now and then.
            with_tables: Whether to find out which tables it reads.

        Raises:
            SqlRefusedError: It was not carried out to its end.
            SandboxLostError: The server is gone.
        """
        end = time.monotonic() + MAX_WALL_S
        read: frozenset[str] = frozenset()
        rows: list[tuple[Any, ...]] = []
        columns: tuple[str, ...] = ()
        size = 0
        with self._call(is_kept=False):
            self._ask(f"DECLARE found NO SCROLL CURSOR FOR {sql}", is_stopped)
            while len(rows) <= max_rows:
                wanted = min(_FETCHED_AT_ONCE, max_rows + 1 - len(rows))
                part = self._ask(f"FETCH {wanted} FROM found", is_stopped)
                columns = tuple((part.fname(place) or b"").decode() for place in range(part.nfields))
                texts = _texts_of(part)
                size += sum(len(text) for row in texts for text in row if text is not None)
                if size > MAX_SIZE:
                    raise SqlRefusedError(f"Stopped: the rows hold more than {MAX_SIZE:,} characters. Ask for less.")
                rows += _values_of(part, texts)
                if part.ntuples < wanted:
                    break
                if time.monotonic() > end:
                    raise refusal_of("57014", "")
            if with_tables:
                plan = self._ask(f"EXPLAIN (COSTS OFF, FORMAT JSON) {sql}", is_stopped).get_value(0, 0) or b"null"
                read = frozenset(_tables_of(json.loads(plan)))
        return Result(columns, rows[:max_rows], len(rows) > max_rows, read)

    def write(self, sql: str, is_stopped: Callable[[], bool]) -> int:
        """Carry out one statement that changes rows; returns how many it touched.

        Args:
            sql: The statement, from outside.
            is_stopped: Whether to give up; asked now and then.

        Raises:
            SqlRefusedError: It was not carried out, and nothing has changed.
            SandboxLostError: The server is gone.
        """
        with self._call(is_kept=True):
            changed = self._ask(sql, is_stopped)
            if changed.nfields:
                raise SqlRefusedError("This statement gives rows; execute changes rows and does not show any.")
            count = changed.command_tuples or 0
            if count > MAX_TOUCHED:
                raise SqlRefusedError(f"Stopped: it touches {count:,} rows; the tables may hold fewer. Add fewer rows.")
            return count

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query of ours."""
        result = self._ask(sql, lambda: False)
        return _values_of(result, _texts_of(result))

    def own(self, *statements: tuple[str, tuple[Any, ...]]) -> None:
        """Carry out statements of ours with their values."""
        try:
            with self._connection.cursor() as cursor:
                for sql, values in statements:
                    cursor.execute(sql, values)
        except psycopg().OperationalError as error:
            self._lost(error)

    def is_clean(self) -> bool:
        """Whether a rollback will undo everything that was done here."""
        states = psycopg().pq.TransactionStatus
        status = self._connection.pgconn.transaction_status
        return not self.is_doubtful and status in (states.INTRANS, states.INERROR)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    @contextmanager
    def _call(self, is_kept: bool) -> Iterator[None]:
        """What happens inside is undone where an exception leaves, or where it is not to be kept."""
        self._require_transaction()
        self._own("SAVEPOINT call")
        try:
            yield
        except SandboxLostError:
            raise
        except BaseException:
            self._undo()
            raise
        if is_kept:
            self._settle("RELEASE call")
        else:
            self._undo()

    def _undo(self) -> None:
        """Go back to before the call; a file that is full while it is closed makes the first attempt fail."""
        self._require_transaction()
        undo = "ROLLBACK TO call; RELEASE call"
        if not self._is_done(undo):
            self._settle(undo)

    def _settle(self, statements: str) -> None:
        self._require_transaction()
        self._own(statements)

    def _require_transaction(self) -> None:
        """Refuse to go on where the transaction has ended: what was done may have been kept."""
        if not self.is_clean() and not self._connection.closed:
            self.is_doubtful = True
            raise SandboxLostError("the episode's transaction has ended by itself; its database is replaced")

    def _own(self, statements: str) -> None:
        if not self._is_done(statements):
            self._lost(None)

    def _is_done(self, statements: str) -> bool:
        try:
            result = self._connection.pgconn.exec_(statements.encode())
        except psycopg().OperationalError as error:
            self._lost(error)
        self._require_link()
        return bool(result.status == psycopg().pq.ExecStatus.COMMAND_OK)

    def _ask(self, sql: str, is_stopped: Callable[[], bool]) -> PGresult:
        """The result of one statement that ran to its end."""
        pq = psycopg().pq
        link = self._connection.pgconn
        try:
            link.send_query_params(sql.encode(), None)
            self._await(is_stopped)
            result = link.get_result()
            while (further := link.get_result()) is not None:
                result = further  # a time limit that strikes at the very end is told after the result
        except psycopg().OperationalError as error:
            self._lost(error)
        self._require_link()
        if result is None:
            self._lost(None)
        if result.status in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
            return result
        if result.status != pq.ExecStatus.FATAL_ERROR:
            raise SqlRefusedError("There is no statement.")
        state, message = (
            (result.error_field(field) or b"").decode(errors="replace")
            for field in (pq.DiagnosticField.SQLSTATE, pq.DiagnosticField.MESSAGE_PRIMARY)
        )
        if state.startswith("57P"):  # the server is shutting down
            self._lost(None)
        raise refusal_of(state, message)

    def _await(self, is_stopped: Callable[[], bool]) -> None:
        """Wait for the answer, and cancel the statement where it is to stop."""
        link = self._connection.pgconn
        waiting = select.poll()
        waiting.register(link.socket, select.POLLIN)
        end = time.monotonic() + _SILENT_S
        is_cancelled = False
        link.flush()
        while True:
            link.consume_input()
            if not link.is_busy():
                return
            if not is_cancelled and is_stopped():
                link.get_cancel().cancel()
                is_cancelled = True
            if time.monotonic() > end:
                self._connection.close()
                self._lost(None)
            waiting.poll(_CHECK_S * 1e3)

    def _require_link(self) -> None:
        if self._connection.pgconn.status != psycopg().pq.ConnStatus.OK:
            self._lost(None)

    def _lost(self, error: Exception | None) -> NoReturn:
        self._connection.close()
        raise SandboxLostError(
            f"PostgreSQL ended or gave no answer during a statement{f': {error}' if error else ''}; the episode's "
            "changes are gone, and the next episode starts another server"
        ) from error


def _texts_of(result: PGresult) -> list[list[bytes | None]]:
    return [[result.get_value(row, place) for place in range(result.nfields)] for row in range(result.ntuples)]


def _values_of(result: PGresult, texts: list[list[bytes | None]]) -> list[tuple[Any, ...]]:
    types = [result.ftype(place) for place in range(result.nfields)]
    return [tuple(map(_value, types, row)) for row in texts]


def _value(kind: int, text: bytes | None) -> Any:
    """A value as SQLite gives it: numbers, texts and NULL; dates are texts, and truth is a bool."""
    if text is None:
        return None
    if kind in _INTEGERS:
        return int(text)
    if kind in _FLOATS:
        return float(text)
    if kind == _NUMERIC:
        return int(text) if text.lstrip(b"-").isdigit() and len(text) < _LONGEST_INTEGER else float(text)
    if kind == _BOOL:
        return text == b"t"
    return bytes.fromhex(text[2:].decode()) if kind == _BYTES else text.decode()


def _tables_of(plan: Any) -> Iterator[str]:
    """The tables that a plan reads."""
    if isinstance(plan, dict):
        if "Relation Name" in plan:
            yield plan["Relation Name"]
        plan = list(plan.values())
    if isinstance(plan, list):
        for each in plan:
            yield from _tables_of(each)
