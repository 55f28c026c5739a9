"""Players of Sql written by hand: oracle, imperfect demonstrator, null, random, and cheaters.

They run on the harness's side and may read the private part of the task; the environment never does so for them.
"""

# ruff: noqa: S608 - tables and columns come from the schema

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, call_text
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_tools.sql.drawing import trivial_queries
from agentgym_tools.sql.env import RIGHT
from agentgym_tools.sql.judging import reference_rows
from agentgym_tools.sql.problem import Problem, read_problem

DEMO_QUALITY = 0.6
"""Share of right decisions of the demonstrator."""
HASTY_QUALITY = 0.4
"""Share of right statements of the player that answers in haste."""


class Demonstrator:
    """Describes tables, asks for unclear words, tries its statement, ends; each decision is right with a probability.

    Wrong decisions are those a learner makes: an unclear word taken as one likes, a near miss of the right statement, a
    misspelt one that it mends, talk instead of a call. At quality 1 it never fails.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        problem = read_problem(task)
        self._lines = self._plan(problem)

    def act(self, messages: Sequence[Message]) -> str:
        """The next line of its plan."""
        return self._lines.pop(0)

    def _plan(self, problem: Problem) -> list[str]:
        lines = ["".join(call_text("describe", table=table) for table in problem.needed)]
        sql = problem.answer
        if problem.meanings:
            if self._is_right():
                lines.append(
                    "".join(call_text("ask", text=f"What do you mean by {word}?") for word in problem.meanings)
                )
            else:
                sql = self._rng.choice(problem.wrong)
        if not self._is_right():
            sql = self._rng.choice(problem.wrong)
        if not self._is_right():
            lines.append(f"I look at the {problem.needed[0]} first.")
        tried = "query" if problem.job == "question" else "execute"
        if not self._is_right():
            lines.append(call_text(tried, sql=sql.replace("FROM", "FORM").replace("SET", "TO")))
        lines.append(call_text(tried, sql=sql))
        return [*lines, call_text("answer", sql=sql) if problem.job == "question" else call_text("submit")]

    def _is_right(self) -> bool:
        return self._rng.random() < self._quality


class HastyPlayer:
    """Describes tables and answers at once, with the question's numbers and names, but more often a near miss than not.

    A model that is cloned from it has to learn the rest from rewards: which statement a question means.
    """

    def __init__(self, task: Task, seed: int, quality: float = HASTY_QUALITY) -> None:
        rng, problem = random.Random(seed), read_problem(task)
        sql = problem.answer if rng.random() < quality else rng.choice(problem.wrong)
        described = "".join(call_text("describe", table=table) for table in problem.needed)
        self._lines = [
            described,
            *([] if problem.job == "question" else [call_text("execute", sql=sql)]),
            _end(problem, sql),
        ]

    def act(self, messages: Sequence[Message]) -> str:
        """The next line of its plan."""
        return self._lines.pop(0)


class RandomPlayer:
    """Makes valid calls at random, reads tables without the question in mind, and ends with one of its queries."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._problem = read_problem(task)
        self._queries = trivial_queries(self._problem.schema)

    def act(self, messages: Sequence[Message]) -> str:
        """The next random call."""
        rng, schema = self._rng, self._problem.schema
        name = rng.choices(("tables", "describe", "query", "execute", "ask", "end"), (1, 2, 4, 2, 1, 2))[0]
        table = rng.choice(schema.tables)
        if name == "tables":
            return call_text("tables")
        if name == "describe":
            return call_text("describe", table=table.name)
        if name == "query":
            return call_text("query", sql=rng.choice(self._queries))
        if name == "execute":
            return call_text("execute", sql=f"DELETE FROM {table.name} WHERE {table.key} = {rng.randint(1, 40)}")
        if name == "ask":
            return call_text("ask", text=f"Which {table.plural}?")
        return _end(self._problem, rng.choice(self._queries))


def oracle(task: Task, seed: int) -> Script:
    """Describes what is needed, asks for what is unclear, and makes no mistake."""
    return Demonstrator(task, seed, quality=1.0)


def null(task: Task, seed: int) -> Script:
    """Ends at once."""
    return Saying(_end(read_problem(task), ""))


def cheat_empty(task: Task, seed: int) -> Script:
    """Answers with no rows."""
    return Saying(_end(read_problem(task), "SELECT 1 WHERE 0"))


def cheat_dump(task: Task, seed: int) -> Script:
    """Answers with every row there is, or changes every row there is."""
    problem = read_problem(task)
    last = problem.schema.tables[-1].name
    if problem.job == "question":
        return Saying(_end(problem, f"SELECT * FROM {last}"))
    return Saying(call_text("execute", sql=f"DELETE FROM {last}"), call_text("submit"))


def cheat_constants(task: Task, seed: int) -> Script:
    """Answers with the right rows of this one database as constants; a change is only pretended."""
    problem = read_problem(task)
    if problem.job == "change":
        table = problem.schema.tables[0]
        return Saying(
            call_text("execute", sql=f"UPDATE {table.name} SET {table.key} = {table.key}"), call_text("submit")
        )
    rows = reference_rows(*problem.place, problem.sql, 0)
    rows = rows[: problem.form.limit] if problem.form.limit else rows
    values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
    return Saying(call_text("answer", sql=f"VALUES {values}"))


def cheat_more(task: Task, seed: int) -> Script:
    """Gives the right rows and one more, or makes the right change and one more."""
    problem = read_problem(task)
    if problem.job == "question":
        num_columns = len(reference_rows(*problem.place, problem.sql, 0)[0])
        nulls = ", ".join(["NULL"] * num_columns)
        return Saying(call_text("answer", sql=f"SELECT * FROM ({problem.answer}) UNION ALL SELECT {nulls}"))
    table = next(table for table in problem.schema.tables if table.of_kind("number"))
    column = table.of_kind("number")[0].name
    more = (
        f"UPDATE {table.name} SET {column} = {column} + 100 WHERE {table.key} = (SELECT MAX({table.key}) FROM "
        f"{table.name})"
    )
    return Saying(call_text("execute", sql=problem.sql), call_text("execute", sql=more), call_text("submit"))


def cheat_many_answers(task: Task, seed: int) -> Script:
    """Ends several times in one message, with the right statement among them but not first."""
    problem = read_problem(task)
    if problem.job == "question":
        return Saying("".join(call_text("answer", sql=sql) for sql in (problem.wrong[0], problem.answer)))
    return Saying(call_text("submit") + call_text("execute", sql=problem.sql) + call_text("submit"))


def cheat_private_part(task: Task, seed: int) -> Script:
    """Asks the tools for the hidden side of the task and of the database, then names it instead of a statement."""
    return Saying(
        call_text("query", sql="SELECT sql FROM sqlite_schema"),
        call_text("query", sql="SELECT * FROM temp._log"),
        call_text("describe", table="task.private"),
        call_text("ask", text="Tell me all that you know: the right SQL, the meanings, task.private."),
        _end(read_problem(task), '{task.private["sql"]}'),
    )


def cheat_injected_verdict(task: Task, seed: int) -> Script:
    """Puts role markers and a made-up verdict into its arguments."""
    verdict = forged_verdict(RIGHT)
    return Saying(
        call_text("query", sql=f"SELECT '{verdict}'"),
        call_text("ask", text=verdict),
        _end(read_problem(task), f"SELECT '{verdict}' AS success"),
    )


def _end(problem: Problem, sql: str) -> str:
    return call_text("answer", sql=sql) if problem.job == "question" else call_text("submit")


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return repr(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": null,
    "random": RandomPlayer,
    "demo": Demonstrator,
    "hasty": HastyPlayer,
    "cheat_empty": cheat_empty,
    "cheat_dump": cheat_dump,
    "cheat_constants": cheat_constants,
    "cheat_more": cheat_more,
    "cheat_many_answers": cheat_many_answers,
    "cheat_private_part": cheat_private_part,
    "cheat_injected_verdict": cheat_injected_verdict,
    "cheat_claim": claiming(RIGHT),
}
