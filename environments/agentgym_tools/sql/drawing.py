"""Tasks drawn from templates, and what makes a draft a fair task on its databases.

A fair question has an answer that is not empty, not the same on most siblings, and not what a bare look at a table
gives; and at least one of its near misses gives another result.
"""

# ruff: noqa: S608 - tables and columns come from the schema

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from agentgym.errors import TaskError
from agentgym.task import Task
from agentgym_tools.sql.comparing import canonical
from agentgym_tools.sql.database import SqliteDatabase
from agentgym_tools.sql.databases import NUM_SIBLINGS, bench_of
from agentgym_tools.sql.engines import open_database
from agentgym_tools.sql.guard import SqlRefusedError
from agentgym_tools.sql.judging import judge_answer, judge_change, reference_changes, reference_rows
from agentgym_tools.sql.problem import Job, Problem, to_task
from agentgym_tools.sql.schema import Schema, load_schema
from agentgym_tools.sql.templates import TEMPLATES, Pick, Template
from agentgym_tools.sql.templates.drafts import UnsuitableError

MAX_ANSWER_ROWS, MAX_SMALL_ROWS, MAX_CHANGED_ROWS = 120, 8, 60
_MIN_FILLED = 4
"""Least databases of the six on which the answer has a row."""
_MIN_OTHER = 3
"""Least siblings on which the answer is another one."""
_TRIES = 150


def draw_task(
    rng: random.Random,
    templates: Sequence[Template],
    places: Sequence[tuple[str, int]],
    *,
    is_small: bool = False,
    is_new: Callable[[str], bool] = lambda text: True,
    task_id: str,
    seed: int,
    stratum: str = "",
) -> Task:
    """A fair task.

    Args:
        rng: The randomness.
        templates: The templates to draw from.
        places: The databases to draw from, by schema and number.
        is_small: Whether to take the databases for tiny models.
        is_new: Whether an instruction may be used.
        task_id: The task's id.
        seed: Its seed.
        stratum: Its stratum.

    Raises:
        TaskError: No fair task was found.
    """
    for _ in range(_TRIES):
        template = rng.choice(templates)
        schema_name, number = rng.choice(places)
        problem, text = _draw(rng, template, load_schema(schema_name), number, is_small)
        if problem is None:
            continue
        task = to_task(
            problem, text, task_id=task_id, seed=seed, stratum=stratum, template=template.name, level=template.level
        )
        if is_new(task.instruction):
            return task
    raise TaskError(
        f"no fair task in {_TRIES} draws of {len(templates)} templates on {len(places)} databases, for {task_id!r}; "
        "allow more templates or databases"
    )


def templates_of(kinds: Sequence[str], *, is_held_out: bool | None = False, max_level: int = 3) -> list[Template]:
    """The templates of some kinds, in a fixed order.

    Args:
        kinds: Of question, change and ambiguous.
        is_held_out: Those that training never shows, those it shows, or (None) both.
        max_level: The highest level.
    """
    return [
        template
        for template in TEMPLATES.values()
        if template.kind in kinds and template.level <= max_level and is_held_out in (None, template.is_held_out)
    ]


def _draw(
    rng: random.Random, template: Template, schema: Schema, number: int, is_small: bool
) -> tuple[Problem | None, str]:
    try:
        draft = template.draw(Pick(schema, rng))
    except UnsuitableError:
        return None, ""
    job: Job = "question" if draft.sql.startswith(("SELECT", "WITH")) else "change"
    problem = Problem(schema, number, is_small, job, draft.sql, (), draft.form, draft.meanings)
    if not (_is_fair_question(problem) if job == "question" else _is_fair_change(problem)):
        return None, ""
    wrong = tuple(sql for sql in draft.wrong if not _is_right(problem, sql))
    if not wrong or (draft.meanings and len(wrong) < len(draft.wrong)):
        return None, ""
    return _with_wrong(problem, wrong), draft.text


def _with_wrong(problem: Problem, wrong: tuple[str, ...]) -> Problem:
    return Problem(**{**vars(problem), "wrong": wrong})


def _is_fair_question(problem: Problem) -> bool:
    most = MAX_SMALL_ROWS if problem.is_small else MAX_ANSWER_ROWS
    rows = reference_rows(*problem.place, problem.sql, 0)
    limit = problem.form.limit
    if not 0 < (min(len(rows), limit) if limit else len(rows)) <= most or len(rows) < limit:
        return False
    if _as_key(rows) in _trivial_answers(*problem.place):
        return False
    if all(value in (None, 0) for row in rows for value in row):
        return False
    siblings = [reference_rows(*problem.place, problem.sql, number) for number in range(1, NUM_SIBLINGS + 1)]
    num_filled = 1 + sum(any(value not in (None, 0) for row in rows for value in row) for rows in siblings)
    num_other = sum(_as_key(other) != _as_key(rows) for other in siblings)
    return num_filled >= _MIN_FILLED and num_other >= _MIN_OTHER


def _is_fair_change(problem: Problem) -> bool:
    try:
        return 0 < len(reference_changes(*problem.place, problem.sql)) <= MAX_CHANGED_ROWS
    except SqlRefusedError:
        return False


def _is_right(problem: Problem, sql: str) -> bool:
    database = open_database("sqlite", problem.place)
    try:
        if problem.job == "question":
            # without planted rows, so that the tasks of a seed stay what they are
            return judge_answer(problem, sql, database, with_planted=False).is_right
        database.write(sql)
        return judge_change(problem, database.changes()).is_right
    except SqlRefusedError:
        return False
    finally:
        database.close()


def trivial_queries(schema: Schema) -> list[str]:
    """What one asks of tables without reading the question."""
    queries = []
    for table in schema.tables:
        queries += [f"SELECT * FROM {table.name}", f"SELECT COUNT(*) FROM {table.name}"]
        for column in table.columns:
            queries += [f"SELECT {column.name} FROM {table.name}", f"SELECT DISTINCT {column.name} FROM {table.name}"]
            queries += [f"SELECT {name}({column.name}) FROM {table.name}" for name in ("MIN", "MAX", "AVG", "SUM")]
    return queries


@lru_cache(maxsize=64)
def _trivial_answers(schema: str, number: int, is_small: bool) -> frozenset[Any]:
    database = SqliteDatabase(bench_of(schema, number, 0, is_small))
    try:
        return frozenset(_as_key(database.read(sql, 2_000).rows) for sql in trivial_queries(load_schema(schema)))
    finally:
        database.close()


def _as_key(rows: Sequence[tuple[Any, ...]]) -> Any:
    return tuple(sorted((tuple(map(canonical, row)) for row in rows), key=repr))
