"""What the templates of every site draw with: rows of the database, choices, and values written into queries.

What only one site's templates need is in that site's folder; checks are in `row_checks`.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from agentgym_web.sites.core.drafts import Draft, UnsuitableDraw

Option = TypeVar("Option")
Maker = Callable[[sqlite3.Connection, random.Random], Draft]


def rows(db: sqlite3.Connection, sql: str, *values: object) -> list[sqlite3.Row]:
    """All rows of a query."""
    return db.execute(sql, values).fetchall()


def one_row(db: sqlite3.Connection, sql: str, *values: object) -> sqlite3.Row:
    """The first row of a query.

    Raises:
        UnsuitableDraw: There is none.
    """
    row: sqlite3.Row | None = db.execute(sql, values).fetchone()
    if row is None:
        raise UnsuitableDraw
    return row


def pick(db: sqlite3.Connection, rng: random.Random, sql: str, *values: object) -> sqlite3.Row:
    """One of the rows of a query.

    Raises:
        UnsuitableDraw: There is none.
    """
    return choose(rng, rows(db, sql, *values))


def choose(rng: random.Random, options: Sequence[Option]) -> Option:
    """One of the options.

    Raises:
        UnsuitableDraw: There is none.
    """
    require(options)
    return rng.choice(options)


def require(condition: object) -> None:
    """Have the task drawn again unless the condition holds.

    Raises:
        UnsuitableDraw: It does not hold.
    """
    if not condition:
        raise UnsuitableDraw


def literal(value: Any) -> str:
    """A number, a text or None as SQL has it."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def literals(values: Sequence[str | int]) -> str:
    """Values for IN, in brackets."""
    return f"({', '.join(map(literal, values))})"
