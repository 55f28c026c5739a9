"""Tasks on a database file: questions and changes by the templates of Sql-v0, and new tables.

A question has one column and few rows, so that the answer can be written down.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from agentgym.errors import TaskError
from agentgym_tools.mcp.kinds.draft import Call, Draft, Kind, UnsuitableError, answer_rule
from agentgym_tools.sql.databases import SIZES, create_statements, rows_of
from agentgym_tools.sql.drawing import draw_task, templates_of
from agentgym_tools.sql.judging import reference_rows
from agentgym_tools.sql.problem import Problem, read_problem
from agentgym_tools.sql.schema import load_schema, schema_names
from agentgym_tools.sql.templates import Template

FILE = "data.db"
MAX_ROWS = 8
ONE_COLUMN: tuple[str, ...] = (
    "list_filter",
    "count_filter",
    "names",
    "distinct",
    "month",
    "highest",
    "join_list",
    "join_count",
)
ONE_COLUMN += (
    "parents_with",
    "two_parents",
    "most_common",
    "above_average",
    "without_child",
    "one_not_other",
    "united",
)
ONE_COLUMN += ("grandparents", "above_own_group", "both")
"""Templates whose results have one column, and often few rows."""
_NAMES = ("visitor_note", "price_list", "shift", "repair", "invoice", "parcel", "survey", "reminder")
_COLUMNS = (("title", "TEXT"), ("count", "INTEGER"), ("made_on", "TEXT"), ("amount", "INTEGER"), ("person", "TEXT"))
_WORDS = ("north", "amber", "quiet", "seven", "linen", "copper", "early", "spare")


@lru_cache(maxsize=64)
def scene(schema_name: str, number: int) -> Mapping[str, bytes]:
    """The database of a schema and number, as a file; not to be changed."""
    db = sqlite3.connect(":memory:")
    try:
        db.executescript(create_statements(load_schema(schema_name)))
        for table, rows in rows_of(schema_name, number, 0, False).items():
            marks = ", ".join("?" * len(rows[0]))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - a name of the schema
        db.commit()
        return {FILE: db.serialize()}
    finally:
        db.close()


def _draw_question(rng: random.Random, templates: Sequence[Template]) -> Draft:
    problem, text = _drawn(rng, templates)
    rows = reference_rows(*problem.place, problem.answer, 0)
    values = [row[0] for row in rows]
    if len(rows) > MAX_ROWS or len(rows[0]) != 1 or not all(isinstance(value, int | str) for value in values):
        raise UnsuitableError
    is_number = len(values) == 1 and isinstance(values[0], int)
    rule = answer_rule("number", str(values[0])) if is_number else answer_rule("list", list(map(str, values)))
    how = "Submit the number." if is_number else "Submit the values, with commas between."
    calls = [*_reads(problem), ("sqlite__read_query", {"query": problem.answer})]
    return Draft(f"{text} {how}", _scene_of(problem), [rule], calls)


def _draw_change(rng: random.Random, templates: Sequence[Template]) -> Draft:
    problem, text = _drawn(rng, templates)
    if not problem.sql.startswith(("INSERT", "UPDATE", "DELETE")):  # the server commits no others
        raise UnsuitableError
    rule = {"rule": "rows", "path": FILE, "after": problem.sql}
    calls = [*_reads(problem), ("sqlite__write_query", {"query": problem.sql})]
    return Draft(f"{text} Change nothing else.", _scene_of(problem), [rule], calls)


def _draw_new_table(rng: random.Random) -> Draft:
    schema_name, number = rng.choice(schema_names()), rng.randrange(len(SIZES))
    name, columns = rng.choice(_NAMES), rng.sample(_COLUMNS, rng.randint(2, 4))
    rows = [[_value(rng, kind) for _, kind in columns] for _ in range(rng.randint(1, 3))]
    key = f"{name}_id"
    stated = ", ".join(f"{column} ({kind})" for column, kind in columns)
    told = "; ".join(f"{key} {at}: {', '.join(map(str, row))}" for at, row in enumerate(rows, start=1))
    text = (
        f"{_about(schema_name)} Create a table {name} with the columns {key} (INTEGER, the primary key), {stated}, in this "
        f"order, and enter these rows: {told}. Change nothing else."
    )
    create = f"CREATE TABLE {name} ({key} INTEGER PRIMARY KEY, {', '.join(map(' '.join, columns))})"
    entered = ", ".join(f"({at}, {', '.join(map(_literal, row))})" for at, row in enumerate(rows, start=1))
    insert = f"INSERT INTO {name} VALUES {entered}"  # noqa: S608 - drawn here
    rule = {"rule": "rows", "path": FILE, "after": f"{create}; {insert}"}
    calls: list[Call] = [("sqlite__create_table", {"query": create}), ("sqlite__write_query", {"query": insert})]
    return Draft(text, {"kind": "sqlite", "of": [schema_name, number]}, [rule], calls)


def _drawn(rng: random.Random, templates: Sequence[Template]) -> tuple[Problem, str]:
    places = [(rng.choice(schema_names()), rng.randrange(len(SIZES)))]
    try:
        task = draw_task(rng, [rng.choice(templates)], places, task_id="drawn", seed=0)
    except TaskError as error:
        raise UnsuitableError from error
    text = task.instruction.partition(": ")[2]
    problem = read_problem(task)
    return problem, f"{_about(problem.schema.name)} {text}"


def changes_of(rng: random.Random, place: tuple[str, int]) -> list[str]:
    """A statement that a change of a schema's database could ask for; none where nothing fits."""
    try:
        task = draw_task(
            rng, [rng.choice(templates_of(["change"], is_held_out=False))], [place], task_id="drawn", seed=0
        )
    except TaskError:
        return []
    sql = read_problem(task).sql
    return [sql] if sql.startswith(("INSERT", "UPDATE", "DELETE")) else []


def _about(schema_name: str) -> str:
    return f"The SQLite server is connected to the database of {load_schema(schema_name).title}."


def _scene_of(problem: Problem) -> dict[str, Any]:
    return {"kind": "sqlite", "of": [problem.schema.name, problem.number]}


def _reads(problem: Problem) -> list[Call]:
    described: list[Call] = [("sqlite__describe_table", {"table_name": table}) for table in problem.needed]
    return [("sqlite__list_tables", {}), *described]


def _value(rng: random.Random, kind: str) -> int | str:
    return rng.randint(10, 9_999) if kind == "INTEGER" else f"{rng.choice(_WORDS)} {rng.choice(_WORDS)}"


def _literal(value: int | str) -> str:
    return str(value) if isinstance(value, int) else f"'{value}'"


def _kinds(is_held_out: bool) -> tuple[Kind, ...]:
    templates = templates_of(["question"], is_held_out=is_held_out)
    questions = [template for template in templates if template.name in ONE_COLUMN]
    changes = templates_of(["change"], is_held_out=is_held_out)
    ending = "_unseen" if is_held_out else ""
    return (
        Kind(f"sqlite_question{ending}", "sqlite", partial(_draw_question, templates=questions), is_held_out),
        Kind(f"sqlite_change{ending}", "sqlite", partial(_draw_change, templates=changes), is_held_out),
    )


KINDS = (*_kinds(False), *_kinds(True), Kind("sqlite_new_table", "sqlite", _draw_new_table))
