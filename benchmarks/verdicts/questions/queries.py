"""Answers and changes in SQL: near the right one, and right ones written or carried out in another way.

The edits are in `statements`, what is true of them in `databases`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from agentgym.authoring.players import call_text
from agentgym.task import Task
from agentgym_tools.sql.env import SqlEnv
from agentgym_tools.sql.problem import Problem, read_problem
from agentgym_tools.sql.schema import Table
from agentgym_tools.sql.scripts import SCRIPTS
from benchmarks.verdicts.questions.databases import own, says_the_same
from benchmarks.verdicts.questions.statements import edits_of, tokens_of
from benchmarks.verdicts.questions.variants import Subject, Variant

NEARLY = (
    "near miss", "condition dropped", "other comparison", "other bound", "duplicates", "other aggregate", "other limit",
    "constant", "other columns", "as texts", "other order", "one row less", "one row more", "no change", "twice",
)  # fmt: skip
OTHERWISE = ("rows in another order", "other names", "whole floats", "spelt otherwise", "by key", "undone")
_MOST_CALLS = 8
Row = tuple[Any, ...]
Tables = Mapping[str, Mapping[Any, Row]]


def variants(task: Task) -> Iterator[Variant]:
    """The variants of a statement, each text once."""
    problem = read_problem(task)
    if problem.job == "change":
        yield from _changes(problem)
        return
    seen = {problem.answer}
    for name, sql in (*_nearly(problem), *_otherwise(problem)):
        if sql not in seen:
            seen.add(sql)
            yield Variant(name, [call_text("answer", sql=sql)], says_the_same(problem, sql), sql)


def _nearly(problem: Problem) -> Iterator[tuple[str, str]]:
    sql, limit = problem.answer, problem.form.limit
    rows = own(problem).ask(sql)
    assert rows
    yield from (("near miss", each) for each in problem.wrong)
    yield from edits_of(sql)
    if limit:
        yield from (
            ("other limit", each)
            for each in (problem.sql, *(f"{problem.sql} LIMIT {limit + step}" for step in (-1, 1)))
        )
    else:
        yield from (("other limit", f"{sql} LIMIT {most}") for most in (len(rows), len(rows) - 1))
    yield "constant", f"VALUES {', '.join(f'({_values(row)})' for row in rows)}"
    names = [f"a{place}" for place in range(len(rows[0]))]
    whole = [place for place, value in enumerate(rows[0]) if isinstance(value, int)]
    yield "other columns", _wrapped(problem, [*names, "1"])
    if len(names) > 1:
        yield from (("other columns", _wrapped(problem, each)) for each in (names[::-1], names[1:], names[:-1]))
    yield from (
        ("as texts", _wrapped(problem, [*names[:at], f"CAST({names[at]} AS TEXT)", *names[at + 1 :]])) for at in whole
    )
    if ordered := [token for token in tokens_of(sql) if token.text == "ORDER" and token.depth == 0]:
        rest, tail = problem.sql[: ordered[0].start], f" LIMIT {limit}" if limit else ""
        way = "ASC" if problem.sql.endswith("DESC") else "DESC"
        yield "other order", rest + tail
        yield "other order", f"{problem.sql.removesuffix('DESC').removesuffix('ASC')}{way}{tail}"


def _otherwise(problem: Problem) -> Iterator[tuple[str, str]]:
    sql, form = problem.answer, problem.form
    width = len((own(problem).ask(sql) or [()])[0])
    names = [f"a{place}" for place in range(width)]
    if form.order:
        way = "DESC" if problem.sql.endswith("DESC") else "ASC"
        tail = f" LIMIT {form.limit}" if form.limit else ""
        for other in ("DESC", "ASC"):
            order = ", ".join([*(f"{place + 1} {way}" for place in form.order), f"1 {other}"])
            yield "rows in another order", f"SELECT * FROM ({problem.sql}) ORDER BY {order}{tail}"
    else:
        for way in ("DESC", "ASC"):
            yield (
                "rows in another order",
                f"SELECT * FROM ({sql}) ORDER BY {', '.join(f'{n + 1} {way}' for n in range(width))}",
            )
        yield "other names", _wrapped(problem, [f"{name} AS column_{name}" for name in names])
        yield (
            "whole floats",
            _wrapped(
                problem, [f"CASE typeof({name}) WHEN 'integer' THEN {name} * 1.0 ELSE {name} END" for name in names]
            ),
        )
    yield "spelt otherwise", f"-- the answer\n  {_lowered(sql)} ;"


def _wrapped(problem: Problem, columns: Sequence[str]) -> str:
    """Columns made of those of the answer, which are called a0, a1 and so on; in its order."""
    width = len((own(problem).ask(problem.answer) or [()])[0])
    names = ", ".join(f"a{place}" for place in range(width))
    return f"WITH answer ({names}) AS ({problem.answer}) SELECT {', '.join(columns)} FROM answer"


def _lowered(sql: str) -> str:
    """The statement in lower case; texts in quotes keep their letters."""
    texts = [token.text for token in tokens_of(sql) if token.text.startswith("'")]
    parts = [sql]
    for text in texts:
        *before, last = parts
        first, _, rest = last.partition(text)
        parts = [*before, first, rest]
    return "".join(f"{part.lower()}{text}" for part, text in zip_longest(parts, texts, fillvalue=""))


def _values(row: Row) -> str:
    return ", ".join(
        "NULL" if value is None else repr(value) if isinstance(value, int | float) else _quoted(value) for value in row
    )


def _quoted(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


# Changes: what is true of one is seen on the database that it is made in.


def _changes(problem: Problem) -> Iterator[Variant]:
    opened = own(problem)
    right, before = opened.after([problem.sql]), opened.after([])
    for name, statements in (*_nearly_changed(problem, before, right), *_changed_otherwise(problem, before, right)):
        calls = [call_text("execute", sql=sql) for sql in statements]
        lines = ["".join(calls[start : start + _MOST_CALLS]) for start in range(0, len(calls), _MOST_CALLS)]
        yield Variant(name, [*lines, call_text("submit")], opened.after(statements) == right, statements)


def _nearly_changed(problem: Problem, before: Tables, right: Tables) -> Iterator[tuple[str, list[str]]]:
    yield from (("near miss", [each]) for each in problem.wrong)
    yield from ((name, [sql]) for name, sql in edits_of(problem.sql))
    table, changes = _by_key(problem, before, right)
    yield from (("one row less", [*changes[:place], *changes[place + 1 :]]) for place in range(min(3, len(changes))))
    untouched = [row for key, row in before[table.name].items() if right[table.name].get(key) == row]
    for row in untouched[:: max(1, len(untouched) // 3)]:
        yield "one row more", [problem.sql, f"DELETE FROM {table.name} WHERE {table.key} = {row[0]}"]
        for place, column in enumerate(table.columns):
            if column.kind == "number":
                more = f"UPDATE {table.name} SET {column.name} = {row[place] + 1} WHERE {table.key} = {row[0]}"
                yield "one row more", [problem.sql, more]
    yield "no change", []
    yield "twice", [problem.sql, problem.sql]


def _changed_otherwise(problem: Problem, before: Tables, right: Tables) -> Iterator[tuple[str, list[str]]]:
    table, changes = _by_key(problem, before, right)
    yield "by key", changes
    yield "by key", changes[::-1]
    yield "spelt otherwise", [f"-- the change\n  {_lowered(problem.sql)} ;"]
    for column in table.of_kind("number")[:1]:
        up, down = (f"UPDATE {table.name} SET {column.name} = {column.name} {sign} 7" for sign in "+-")
        yield from (("undone", each) for each in ([up, down, problem.sql], [problem.sql, up, down]))


def _by_key(problem: Problem, before: Tables, right: Tables) -> tuple[Table, list[str]]:
    """The table that is changed, and a statement for each of its rows that is."""
    table = next(table for table in problem.schema.tables if before[table.name] != right[table.name])
    old, new, statements = before[table.name], right[table.name], list[str]()
    for key in dict.fromkeys([*old, *new]):
        if key not in new:
            statements.append(f"DELETE FROM {table.name} WHERE {table.key} = {key}")
        elif key not in old:
            statements.append(f"INSERT INTO {table.name} VALUES ({_values(new[key])})")
        elif old[key] != new[key]:
            pairs = zip(table.columns, old[key], new[key], strict=True)
            values = ", ".join(f"{column.name} = {_values((now,))}" for column, was, now in pairs if was != now)
            statements.append(f"UPDATE {table.name} SET {values} WHERE {table.key} = {key}")
    return table, statements


SQL = Subject(SqlEnv, SCRIPTS, NEARLY, OTHERWISE, variants)
