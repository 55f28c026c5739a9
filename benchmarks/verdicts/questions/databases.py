"""What is true of a statement, by SQLite alone: whether it says the same as the reference, whatever the contents.

For a question these are the six databases of the environment, those with its planted rows, and more of the same
schema, drawn from other seeds. In many of these the values that the reference compares with are planted in other
ways, with those next to them, because a random database seldom holds a given day. A difference on any of them shows
that a statement is wrong. One that says the same on all is taken for right; that is no proof. For a change it is the
one database that is to be changed. The environment's judging and comparing play no part.
"""

from __future__ import annotations

import datetime
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from agentgym_tools.sql.databases import NUM_SIBLINGS, SIZES, SMALL_SIZES, create_statements, rows_of
from agentgym_tools.sql.filling import draw_rows
from agentgym_tools.sql.planting import plantings
from agentgym_tools.sql.problem import Problem
from agentgym_tools.sql.schema import Column, load_schema
from benchmarks.verdicts.questions.statements import COMPARISONS, tokens_of

NUM_FURTHER, NUM_PLANTED = 10, 12
"""How many databases are drawn further, and how many more with planted values."""
_DIGITS = 9
_SHARES = (0.08, 0.2, 0.5, 0.9)
"""Shares of the rows that get a planted value."""
_STEPS = ((-1, 0, 0, 1), (-1, -1, -1, 0), (0, 1, 1, 1))
"""How far planted values lie from what is compared with."""
_DAYS = re.compile(r"julianday\((\w+)\) - julianday\((\w+)\) \S+ (\d+)")
Rows = list[tuple[Any, ...]]
Contents = Mapping[str, list[tuple[Any, ...]]]


class Opened:
    """A database that is asked, and changed and put back."""

    def __init__(self, schema_name: str, contents: Contents) -> None:
        schema = load_schema(schema_name)
        self._tables = [table.name for table in schema.tables]
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.executescript(create_statements(schema))
        for table, rows in contents.items():
            self.db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)

    def ask(self, sql: str) -> Rows | None:
        """The rows of a query; None if it fails."""
        with suppress(sqlite3.Error):
            return [tuple(row) for row in self.db.execute(sql)]
        return None

    def after(self, statements: Sequence[str]) -> dict[str, dict[Any, tuple[Any, ...]]]:
        """The rows of each table by key after statements, which are then undone; one that fails changes nothing."""
        self.db.execute("BEGIN")
        for sql in statements:
            with suppress(sqlite3.Error):
                self.db.execute(sql)
        rows = {name: {row[0]: row for row in self.db.execute(f"SELECT * FROM {name}")} for name in self._tables}
        self.db.execute("ROLLBACK")
        return rows


def says_the_same(problem: Problem, sql: str) -> bool:
    """Whether a query gives the rows asked for on every database."""
    return all(_is_answer(problem, opened.ask(sql), opened.ask(problem.sql)) for opened in _databases(problem))


def tells_apart(problem: Problem, sql: str) -> str:
    """Which databases show first that a query is wrong: "its own", "further", "planted", or "" for none."""
    for place, opened in enumerate(_databases(problem)):
        if not _is_answer(problem, opened.ask(sql), opened.ask(problem.sql)):
            return (
                "its own" if place <= NUM_SIBLINGS else "further" if place <= NUM_SIBLINGS + NUM_FURTHER else "planted"
            )
    return ""


def own(problem: Problem, sibling: int = 0) -> Opened:
    """The problem's database, or one of its siblings."""
    return _opened(*problem.place, sibling)


def _databases(problem: Problem) -> Iterator[Opened]:
    for number in range(NUM_SIBLINGS + 1 + NUM_FURTHER):
        yield _opened(*problem.place, number)
    for number in range(NUM_PLANTED):
        yield _planted(*problem.place, problem.sql, number)
    num_rows = len(own(problem).ask(problem.sql) or ())
    planted = (problem.schema.name, problem.sql, num_rows)
    yield from (_as_planted(*planted, place) for place in range(len(plantings(*planted))))


@lru_cache(maxsize=400)
def _opened(schema: str, number: int, is_small: bool, seed: int) -> Opened:
    """A database of the environment; from the seed after the last sibling on, one that it has not."""
    contents = (
        rows_of(schema, number, seed, is_small) if seed <= NUM_SIBLINGS else _drawn(schema, number, is_small, seed)
    )
    return Opened(schema, contents)


@lru_cache(maxsize=60)
def _as_planted(schema: str, sql: str, num_rows: int, place: int) -> Opened:
    """A database with rows that the environment plants for a question."""
    return Opened(schema, plantings(schema, sql, num_rows)[place])


@lru_cache(maxsize=NUM_PLANTED)
def _planted(schema: str, number: int, is_small: bool, sql: str, seed: int) -> Opened:
    """A database with other contents, in which many rows hold values that a statement compares with, or next ones."""
    rng, share, steps = random.Random(f"{sql} {seed}"), _SHARES[seed % len(_SHARES)], _STEPS[seed % len(_STEPS)]
    contents = {name: list(map(list, rows)) for name, rows in _drawn(schema, number, is_small, 1000 + seed).items()}
    for table in load_schema(schema).tables:
        names = [column.name for column in table.columns]
        for place, column in enumerate(table.columns):
            values = _compared_with(column, sql, steps)
            for row in contents[table.name] if values else ():
                if rng.random() < share and row[place] is not None:
                    row[place] = rng.choice(values)
        for later, start, days in _DAYS.findall(sql):
            for row in contents[table.name] if later in names else ():
                if rng.random() < share:
                    day = datetime.date.fromisoformat(row[names.index(start)])
                    row[names.index(later)] = str(day + datetime.timedelta(int(days) + rng.randint(-1, 1)))
    return Opened(schema, {name: list(map(tuple, rows)) for name, rows in contents.items()})


@lru_cache(maxsize=400)
def _drawn(schema: str, number: int, is_small: bool, seed: int) -> Contents:
    size = (SMALL_SIZES if is_small else SIZES)[number]
    return draw_rows(load_schema(schema), size, f"further {number} {seed} {is_small}")


def _compared_with(column: Column, sql: str, steps: Sequence[int]) -> list[Any]:
    """The numbers, days or texts that a statement compares a column with, and those next to them."""
    tokens = [token.text for token in tokens_of(sql)]
    values = list[Any]()
    for name, sign, bound in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if sign not in COMPARISONS or name.rpartition(".")[2] != column.name:
            continue
        if column.kind == "number" and bound.isdigit():
            values += [int(bound) + step for step in steps]
        elif column.kind in ("date", "later") and bound.startswith("'"):
            day = datetime.date.fromisoformat(bound[1:-1])
            values += [str(day + datetime.timedelta(step)) for step in steps]
        elif column.kind == "of" and bound.startswith("'"):
            values.append(bound[1:-1])
    return values


def _is_answer(problem: Problem, found: Rows | None, right: Rows | None) -> bool:
    """Whether rows are those asked for; written apart from the environment's comparing."""
    assert right is not None
    if found is None:
        return False
    rows, wanted = [list(map(_plain, row)) for row in found], [list(map(_plain, row)) for row in right]
    form = problem.form
    asked = wanted[: form.limit] if form.limit else wanted
    in_order = [[row[place] for place in form.order] for row in rows if len(row) > max(form.order, default=-1)]
    if len(rows) != len(asked) or in_order != [[row[place] for place in form.order] for row in asked]:
        return False
    given, allowed = Counter(map(tuple, rows)), Counter(map(tuple, wanted))
    return given <= allowed if form.limit else given == allowed


def _plain(value: Any) -> str:
    """A value as a text that tells its type; 2 and 2.0 are one number, and floats are rounded."""
    if isinstance(value, int | float):
        return f"number {float(f'{value:.{_DIGITS}g}') if isinstance(value, float) else float(value)!r}"
    return f"{type(value).__name__} {value}"
