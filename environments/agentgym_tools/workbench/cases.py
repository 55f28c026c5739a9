"""What a request comes to in the present state of the world: right changes, the answer, and what both rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from sqlite3 import Row
from typing import Any, TypeAlias

from agentgym.errors import ContractError
from agentgym_tools.worlds import Change, World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import Seen

Answer: TypeAlias = int | str | tuple[str, ...]
"""What is answered: a whole number, a text (a number with decimals is one, too), or names in any order."""


@dataclass(frozen=True)
class Case:
    """What is right for a request.

    Attributes:
        outcomes: Calls that write, in order; each alternative is right. `((),)` changes nothing.
        answer: What has to be answered; None if nothing is asked.
        reason: Why the request comes to nothing; "" if it does not.
        reads: Calls that show what the request rests on.
        evidence: Rows that have to be seen before the end; each alternative is enough. Empty if none have to be.
    """

    outcomes: tuple[tuple[Call, ...], ...] = ((),)
    answer: Answer | None = None
    reason: str = ""
    reads: tuple[Call, ...] = ()
    evidence: tuple[frozenset[Seen], ...] = ()


@dataclass(frozen=True)
class Settled:
    """A request that is over, as later ones refer to it.

    Attributes:
        changes: What it changed.
        answer: What it was answered.
    """

    changes: Sequence[Change]
    answer: Answer | None


@dataclass(frozen=True)
class View:
    """What a request may be about: the world, whose things they are, and the requests before. Used inside `world.call`.

    Attributes:
        world: The world.
        me: The person's handle.
        past: The requests that are over, in order.
    """

    world: World
    me: str
    past: Sequence[Settled] = field(default_factory=tuple)

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """All rows of a query."""
        return self.world.rows(sql, *values)

    def row(self, sql: str, *values: Any) -> Row | None:
        """The first row of a query, or None."""
        return self.world.row(sql, *values)

    def value(self, sql: str, *values: Any) -> Any:
        """The first value of the first row of a query.

        Raises:
            ContractError: There is none.
        """
        row = self.world.row(sql, *values)
        if row is None:
            raise ContractError(f"a request of the workbench finds no row for {sql!r} with {values!r}")
        return row[0]

    def added(self, table: str) -> Any:
        """The key of the row that was last added to a table by an earlier request; None if there is none."""
        for settled in reversed(self.past):
            for change in reversed(settled.changes):
                if change.table == table and change.kind == "added":
                    return change.key[-1]
        return None

    @property
    def answer(self) -> Answer | None:
        """The answer to the last request; None if it had none."""
        return self.past[-1].answer if self.past else None


def do(*calls: Call, reads: Iterable[Call] = (), rests_on: Iterable[Seen] = ()) -> Case:
    """A request that one list of calls fulfils.

    Args:
        calls: The calls that write.
        reads: Calls that show what the choice of the calls rests on.
        rests_on: The rows that have to be seen.
    """
    return either([calls], reads=reads, rests_on=rests_on)


def either(outcomes: Iterable[Iterable[Call]], reads: Iterable[Call] = (), rests_on: Iterable[Seen] = ()) -> Case:
    """A request that each of several lists of calls fulfils."""
    return Case(tuple(tuple(calls) for calls in outcomes), reads=tuple(reads), evidence=_needed(rests_on))


def tell(answer: Answer, reads: Iterable[Call], *rests_on: Iterable[Seen]) -> Case:
    """A question.

    Args:
        answer: The answer.
        reads: Calls that show what it rests on.
        rests_on: The rows that have to be seen; each alternative is enough.
    """
    return Case(answer=answer, reads=tuple(reads), evidence=tuple(map(frozenset, rests_on)))


def leave(reason: str, reads: Iterable[Call], *rests_on: Iterable[Seen]) -> Case:
    """A request that comes to nothing, for a reason."""
    return Case(reason=reason, reads=tuple(reads), evidence=tuple(map(frozenset, rests_on)))


def rows(table: str, keys: Iterable[Any]) -> list[Seen]:
    """Rows of a table as they are seen."""
    return [(table, str(key)) for key in keys]


def _needed(rests_on: Iterable[Seen]) -> tuple[frozenset[Seen], ...]:
    needed = frozenset(rests_on)
    return (needed,) if needed else ()
