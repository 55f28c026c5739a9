"""Whether an answer or a change is right: on the database, and for answers on its siblings too.

An answer is a query, so that it can be carried out on siblings; constants and lucky filters fail there. So it is on the
blank sibling too, with rows planted there in several ways. A change is judged by its net changes of rows alone, because
finding a row first and changing it by its key is good practice. What is right is found on SQLite for every engine: the
rows are the same, and so there is one reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from agentgym_tools.sql.comparing import same_rows
from agentgym_tools.sql.database import Database, SqliteDatabase
from agentgym_tools.sql.databases import BLANK, NUM_SIBLINGS, bench_of, blank_bench
from agentgym_tools.sql.filling import Rows as Contents
from agentgym_tools.sql.guard import SqlRefusedError
from agentgym_tools.sql.planting import plantings
from agentgym_tools.sql.problem import Problem
from agentgym_tools.worlds import Change

MAX_ROWS = 2_000
"""Most rows of a result that is judged."""
Rows = list[tuple[Any, ...]]


class Verdict(NamedTuple):
    """What a judge says, and why not."""

    is_right: bool
    why: str = ""


def judge_answer(problem: Problem, sql: str, database: Database, *, with_planted: bool = True) -> Verdict:
    """Whether a query gives what the reference gives, on the database and on each sibling.

    Args:
        problem: The problem.
        sql: The query, from outside.
        database: The episode's database, on any engine; what was changed in it does not count.
        with_planted: Whether the blank sibling is asked too, with planted rows.
    """
    for where, sibling, contents, reference in _asked(problem, with_planted=with_planted):
        try:
            found = database.read_sibling(sibling, sql, MAX_ROWS, contents)
        except SqlRefusedError as error:
            return Verdict(False, str(error))
        if found.is_cut or not same_rows(found.rows, reference, problem.form):
            return Verdict(False, f"other rows on {where}")
    return Verdict(True)


def _asked(problem: Problem, *, with_planted: bool) -> Iterator[tuple[str, int, Contents, Rows]]:
    """What it is called, which sibling it is, what is planted there, and the right rows, for all that is asked."""
    place = (*problem.place, problem.sql)
    for sibling in range(NUM_SIBLINGS + 1):
        yield f"sibling {sibling}" if sibling else "the database", sibling, {}, reference_rows(*place, sibling)
    planted = (problem.schema.name, problem.sql, len(reference_rows(*place, 0)))
    for number, contents in enumerate(plantings(*planted) if with_planted else ()):
        reference = planted_rows(*planted, number)
        if reference is not None:
            yield f"planted rows {number}", BLANK, contents, reference


def judge_change(problem: Problem, changes: Sequence[Change]) -> Verdict:
    """Whether the net changes of rows are those of the reference, no more and no less."""
    wanted = reference_changes(*problem.place, problem.sql)
    if list(changes) == list(wanted):
        return Verdict(True)
    missing = sum(change not in changes for change in wanted)
    return Verdict(False, f"{missing} of {len(wanted)} changes are missing, {len(changes)} were made")


@lru_cache(maxsize=4096)
def reference_rows(schema: str, number: int, is_small: bool, sql: str, sibling: int) -> Rows:
    """The rows of a right statement on a database or one of its siblings; not to be changed.

    Raises:
        SqlRefusedError: The statement is wrong.
    """
    database = SqliteDatabase(bench_of(schema, number, sibling, is_small))
    try:
        return database.read(sql, MAX_ROWS).rows
    finally:
        database.close()


@lru_cache(maxsize=4096)
def planted_rows(schema: str, sql: str, num_rows: int, number: int) -> Rows | None:
    """The rows of a right statement on the blank sibling with one of the contents that `plantings` gives.

    Args:
        schema: The schema.
        sql: The statement.
        num_rows: As for `plantings`.
        number: Which of the contents.

    Returns:
        The rows, not to be changed; None where they are too many to be judged, or take too long.
    """
    database = SqliteDatabase(blank_bench(schema))
    try:
        result = database.read(sql, MAX_ROWS, plantings(schema, sql, num_rows)[number])
    except SqlRefusedError:
        return None
    finally:
        database.close()
    return None if result.is_cut else result.rows


@lru_cache(maxsize=256)
def reference_changes(schema: str, number: int, is_small: bool, sql: str) -> list[Change]:
    """The net changes that a right statement makes; not to be changed.

    Raises:
        SqlRefusedError: The statement is wrong.
    """
    database = SqliteDatabase(bench_of(schema, number, 0, is_small))
    try:
        database.write(sql)
        return database.changes()
    finally:
        database.close()
