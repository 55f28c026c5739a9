from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from agentgym.suite import load_suite
from agentgym_tools.sql.databases import BLANK
from agentgym_tools.sql.engines import open_database
from agentgym_tools.sql.filling import Rows
from agentgym_tools.sql.judging import judge_answer, planted_rows, reference_rows
from agentgym_tools.sql.planting import plantings
from agentgym_tools.sql.problem import Problem, read_problem
from agentgym_tools.sql.schema import Schema

QUESTIONS = [
    problem
    for suite in ("tools/sql", "tools/sql-small")
    for task in load_suite(suite).tasks("test")
    if (problem := read_problem(task)).job == "question"
]
NEAR = {
    "a day beside the bound": ("tools/sql-small:test-00000", "hired < ", "hired <= "),
    "a bound beside missing values": ("tools/sql-small:test-00120", "< 65", "< 66"),
    "a bound inside a minimum": ("tools/sql:test-00039", "WHERE day >= '2022-01-01'", "WHERE day >= '2021-12-31'"),
    "a bound of one of two sets": ("tools/sql:test-00268", "<= '2002-12-31'", "<= '2003-01-01'"),
    "a bound of what is left out": ("tools/sql:test-00303", "taken <= '2023-12-31'", "taken < '2023-12-31'"),
    "a bound of averaged rows": ("tools/sql:train-00700", "day > ", "day >= "),
    "the average itself": ("tools/sql:test-00159", "fame < ", "fame <= "),
    "a rounded average": ("tools/sql:test-00022", "AVG(power)", "ROUND(AVG(power), 1)"),
    "equal numbers in a rank": ("tools/sql:test-00338", "RANK()", "ROW_NUMBER()"),
    "equal names": ("tools/sql-small:test-00045", "SELECT name", "SELECT DISTINCT name"),
    "equal values in a count": ("tools/sql:test-00083", "COUNT(*)", "COUNT(DISTINCT seats)"),
    "a limit on all": ("tools/sql:test-00189", "country)", "country) LIMIT 30"),
    "a limit on groups": ("tools/sql:test-00295", "BY p.period", "BY p.period LIMIT 3"),
    "a limit on those without": ("tools/sql:train-00488", "< 39)", "< 39) LIMIT 3"),
}


def is_right(problem: Problem, sql: str, *, with_planted: bool = True) -> bool:
    database = open_database("sqlite", problem.place)
    try:
        return judge_answer(problem, sql, database, with_planted=with_planted).is_right
    finally:
        database.close()


@pytest.mark.parametrize(("task", "old", "new"), NEAR.values(), ids=NEAR)
def test_nearly_right_is_wrong_on_planted_rows_alone(task: str, old: str, new: str) -> None:
    problem = read_problem(load_suite(task.partition(":")[0]).task(task))
    near = new.join(problem.sql.rsplit(old, 1))
    assert near != problem.sql
    assert is_right(problem, near, with_planted=False)
    assert not is_right(problem, near)
    assert is_right(problem, problem.sql)


def test_other_words_for_the_same_condition_are_right() -> None:
    problem = read_problem(load_suite("tools/sql-small").task("tools/sql-small:test-00000"))
    assert "hired < '2003-11-26'" in problem.sql
    assert is_right(problem, problem.sql.replace("hired < '2003-11-26'", "NOT hired >= '2003-11-26'"))


def test_planted_rows_that_give_too_many_to_judge_are_left_out() -> None:
    problem = next(each for each in QUESTIONS if each.place == ("library", 4, False))
    pairs = replace(problem, sql="SELECT a.loan_id, b.loan_id FROM loan a, loan b WHERE a.fee = 3 AND b.fee > 15")
    num_rows = len(reference_rows(*pairs.place, pairs.sql, 0))
    assert 0 < num_rows < 2_000
    numbers = range(len(plantings("library", pairs.sql, num_rows)))
    assert {planted_rows("library", pairs.sql, num_rows, number) is None for number in numbers} == {True, False}
    assert is_right(pairs, pairs.sql)


def require_drawable(schema: Schema, rows: Rows) -> None:
    """Every value could have been drawn where it stands, and every link leads somewhere."""
    for table in schema.tables:
        names = [column.name for column in table.columns]
        columns = dict(zip(names, zip(*rows.get(table.name, ()), strict=True), strict=False))
        for column in table.columns if columns else ():
            values = [value for value in columns[column.name] if value is not None]
            assert column.is_nullable or len(values) == len(rows[table.name])
            if column.kind == "key":
                assert len(set(values)) == len(values)
            elif column.kind == "link":
                assert {row[0] for row in rows[column.target]}.issuperset(values)
            elif column.kind == "number":
                assert all(column.low <= value <= column.high for value in values)
            elif column.kind == "of":
                assert set(values) <= set(column.texts)
            elif column.kind == "later":
                for value, start in zip(columns[column.name], columns[column.target], strict=True):
                    assert value is None or datetime.date.fromisoformat(value) >= datetime.date.fromisoformat(start)


@pytest.mark.parametrize("problem", QUESTIONS[::40], ids=lambda problem: problem.schema.name)
def test_planted_rows_could_have_been_drawn_and_are_the_same_every_time(problem: Problem) -> None:
    planted = plantings(problem.schema.name, problem.sql, 5)
    for rows in planted:
        require_drawable(problem.schema, rows)
    assert plantings.__wrapped__(problem.schema.name, problem.sql, 5) == planted
    assert max(len(rows) for contents in planted for rows in contents.values()) > 5


def test_planted_rows_are_removed() -> None:
    problem = QUESTIONS[0]
    database = open_database("sqlite", problem.place)
    assert judge_answer(problem, problem.answer, database).is_right
    for table in problem.schema.tables:
        assert database.read_sibling(BLANK, f"SELECT * FROM {table.name}", 10).rows == []
    database.close()
