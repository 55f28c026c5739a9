"""Sql-v0: questions and changes over a generated database, worked on in SQL; this file is the episode.

What SQL may do is in `guard`, what is right in `judging`, the tasks in `templates` and `drawing`.
"""

from __future__ import annotations

import difflib
import hashlib
import random
from collections.abc import Sequence
from typing import Any, Literal, Self

from agentgym.action import Action
from agentgym.env import EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym.message import Message, user
from agentgym.reward import FORMAT, RewardEvent
from agentgym.task import Task
from agentgym.tools import ToolEnv, said, tool
from agentgym_tools.sql.database import Database, Result
from agentgym_tools.sql.databases import SIZES, describe_table
from agentgym_tools.sql.drawing import draw_task, templates_of
from agentgym_tools.sql.engines import Engine, open_database, require_engine
from agentgym_tools.sql.guard import SqlRefusedError
from agentgym_tools.sql.judging import Verdict, judge_answer, judge_change
from agentgym_tools.sql.problem import Problem, read_problem
from agentgym_tools.sql.schema import schema_names
from agentgym_tools.sql.user import answer_of

MAX_ROWS, MAX_CHARACTERS, MAX_CELL = 30, 3_000, 200
"""Most rows of a result that the agent sees, most characters of all of it, and of a value."""
NO_CALL = "Call tables, describe, query, execute, ask, answer or submit."
RIGHT, WRONG = "Right.", "Wrong."
ASKS = "This task asks a question: nothing is to be changed. Call answer with a SELECT."
CHANGES = "This task asks for a change: call execute, then submit."
_JOBS = ("question", "change", "ambiguous")


class SqlEnv(ToolEnv):
    """Answer a question about a database with a query, or change its rows; some words only the user can explain.

    Observation:
        First the request; then the result of each call: names of tables, a table's columns, rows with `|` between
        values, how many rows were touched, what the user says, `Right.`, `Wrong.`, or why a statement was not carried
        out. Results are cut after 30 rows or 3,000 characters, with a note.

    Action:
        Calls of tables(), describe(table), query(sql), execute(sql), ask(text), answer(sql) and submit(); at most 8 per
        message, carried out in order. A question ends with answer, a change with submit.

        The answer is a query and not its rows: so it is carried out on five siblings of the database too, where a
        constant or a filter that is right by luck gives other rows, and on small tables with the values that the right
        query compares with, and next ones, so that `<` does not pass for `<=`. The columns stand in the order of the
        request; their names do not matter.
    Reward:
        success: 1 for the right rows on all these databases, or for just the right changes of rows; else 0. milestone:
        weight 0.1, a potential from 0 to 1 that rises with each needed table described, each unclear word asked about
        and a statement that runs on the needed tables, and that is taken back at the end. violation: -1 for a
        statement that is forbidden, weight 0.1. format: -0.1 for a message without a valid call.
    Termination:
        answer in a question, submit in a change; the third invalid message.
    Truncation:
        After 12 turns, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        None; SQLite in process, with an allow-list for each part of a statement, a limit of steps, of time and of
        length; or PostgreSQL in processes of its own, under a role with a right to these tables and to an allow-list
        of functions, with limits of time, of memory and of room. A statement that is refused changes nothing.
    Source and licence:
        Written for agentgym, Apache-2.0; its databases and tasks are generated, CC0-1.0.

    Example:
        describe(table="member"); query(sql="SELECT * FROM member"); answer(sql="SELECT COUNT(*) FROM member WHERE
        town = 'Ashby'") -> Right.

    Args:
        level: Highest level of the templates of tasks made from a seed, 1 to 3.
        job: Their kind, question, change or ambiguous; None draws it.
        is_small: Whether their databases are those for tiny models.
        render_mode: As in Gymnasium.
        engine: What keeps the databases: sqlite, in process, or postgres, a PostgreSQL server that is started when it
            is needed and ends with this process. Tasks and what is right are the same.
    """

    reward_weights = {"success": 1.0, "milestone": 0.1, "violation": 0.1, FORMAT: 1.0}
    invalid_value = -0.1

    def __init__(
        self,
        level: int = 3,
        job: Literal["question", "change", "ambiguous"] | None = None,
        is_small: bool = False,
        render_mode: str | None = None,
        engine: Engine = "sqlite",
    ) -> None:
        super().__init__(render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if type(level) is not int or not 1 <= level <= 3:
            raise ConfigError(f"level must be an int from 1 to 3: got {level!r}")
        if job not in (None, *_JOBS):
            raise ConfigError(f"job must be one of {', '.join(_JOBS)} or None: got {job!r}")
        require_engine(engine)
        if engine == "postgres":
            self.tools = [SqlEnv.query_postgres if each is SqlEnv.query else each for each in SqlEnv.tools]
        self._engine = engine
        self._level, self._job, self._is_small = level, job, is_small
        self._problem: Problem | None = None
        self._database: Database | None = None
        self._forget()

    def make_task(self, seed: int) -> Task:
        """A task on any of the databases, by the templates that training shows."""
        rng = random.Random(f"sql {seed}")
        job = self._job or rng.choices(_JOBS, (7, 2, 1))[0]
        templates = templates_of([job], max_level=self._level)
        places = [(name, number) for name in schema_names() for number in range(len(SIZES))]
        name = f"sql-{seed}-{job}-{self._level}{'-small' if self._is_small else ''}"
        return draw_task(rng, templates, places, is_small=self._is_small, task_id=name, seed=seed)

    def begin(self, task: Task) -> Sequence[Message]:
        """Take the database and make the request."""
        self._problem = problem = read_problem(task)
        self.close()
        self._database = open_database(self._engine, problem.place, lambda: self.is_interrupted)
        self._forget()
        return [user(task.instruction)]

    def parse(self, text: str) -> Action:
        """Tool calls; a message that holds none at all is refused in few words, a broken call is explained."""
        if "{" not in text and "(" not in text:
            raise ActionSyntaxError(NO_CALL)
        return super().parse(text)

    @tool
    def tables(self) -> str:
        """Name the tables of the database."""
        return ", ".join(table.name for table in self._now[0].schema.tables)

    @tool
    def describe(self, table: str) -> EnvReply:
        """Show the columns of a table with their types, links and few possible texts.

        Args:
            table: Name of the table.
        """
        problem, _ = self._now
        names = [each.name for each in problem.schema.tables]
        if table not in names:
            close = difflib.get_close_matches(table[:100], names, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(names)}."
            return said(f"There is no table {table[:100]!r}. {hint}")
        self._described |= {table}
        return said(describe_table(problem.schema.name, table), self._advance())

    @tool
    def query(self, sql: str) -> EnvReply:
        """Read rows with one SELECT of SQLite; at most 30 rows are shown.

        Args:
            sql: The statement.
        """
        return self._read(sql)

    @tool(name="query")
    def query_postgres(self, sql: str) -> EnvReply:
        """Read rows with one SELECT of PostgreSQL; at most 30 rows are shown.

        Args:
            sql: The statement.
        """
        return self._read(sql)

    def _read(self, sql: str) -> EnvReply:
        problem, database = self._now
        try:
            result = database.read(sql, MAX_ROWS)
        except SqlRefusedError as refusal:
            return self._refused(refusal)
        if problem.job == "question" and result.read.issuperset(problem.needed):
            self._has_run = True
        return said(shown(result), self._advance())

    @tool
    def execute(self, sql: str) -> EnvReply:
        """Change rows with one INSERT, UPDATE or DELETE, where the request is to change something.

        Args:
            sql: The statement.
        """
        problem, database = self._now
        if problem.job == "question":
            return said(ASKS)
        try:
            num_rows = database.write(sql)
        except SqlRefusedError as refusal:
            return self._refused(refusal)
        self._has_run = self._has_run or num_rows > 0
        return said(f"{num_rows} rows.", self._advance())

    @tool
    def ask(self, text: str) -> EnvReply:
        """Ask the user what a word of the request means.

        Args:
            text: The question; it names the word.
        """
        reply, told = answer_of(self._now[0].meanings, text)
        self._told |= told
        return said(reply, self._advance())

    @tool
    def answer(self, sql: str) -> EnvReply:
        """Answer a question with one SELECT that gives the rows asked for, and end the episode.

        Args:
            sql: The statement; its columns in the order of the question.
        """
        problem, database = self._now
        if problem.job == "change":
            return said(CHANGES)
        verdict = judge_answer(problem, sql, database)
        self.check_interrupt()
        return self._ended(verdict)

    @tool
    def submit(self) -> EnvReply:
        """Say that the changes asked for are made, and end the episode."""
        problem, database = self._now
        if problem.job == "question":
            return said(ASKS)
        return self._ended(judge_change(problem, database.changes()))

    tools = [tables, describe, query, execute, ask, answer, submit]

    def grade(self) -> EnvReply:
        """Not solved in time: what the milestones gave is taken back."""
        return EnvReply(events=self._take_back(), success=False)

    def anchor(self) -> str | None:
        """The task, what was described, told and run, the rows, and invalid messages so far."""
        if self.task is None or self._database is None:
            return None
        known = f"{sorted(self._described)} {sorted(self._told)} {self._has_run}"
        rows = hashlib.sha256(repr(self._database.state()).encode()).hexdigest()[:16]
        return f"{self.task.content_hash} {self.books.phase} {self.num_invalid} {known} {rows}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here with a database of its own; nothing is random after the start."""
        twin = self.fork_by_copy(seed, self._database, self._problem)
        if self._database is not None:
            twin._database = self._database.fork()
            twin._database.is_stopped = lambda: twin.is_interrupted
        return twin

    def progress(self) -> float | None:
        """1 if the task is solved, else 0.9 of the milestones' potential."""
        if self._problem is None:
            return None
        return 1.0 if self._is_solved else 0.9 * self._potential()

    def close(self) -> None:
        """Give the connection back."""
        if self._database is not None:
            self._database.close()
        self._database = None

    @property
    def _now(self) -> tuple[Problem, Database]:
        assert self._problem is not None
        assert self._database is not None
        return self._problem, self._database

    def _forget(self) -> None:
        self._described: frozenset[str] = frozenset()
        self._told: frozenset[str] = frozenset()
        self._has_run = self._is_solved = False
        self._paid = 0.0

    def _potential(self) -> float:
        """The mean of what is reached of each kind of milestone, in [0, 1]."""
        problem, _ = self._problem, self._database
        assert problem is not None
        parts = [len(self._described.intersection(problem.needed)) / len(problem.needed), float(self._has_run)]
        if problem.meanings:
            parts.append(len(self._told) / len(problem.meanings))
        return sum(parts) / len(parts)

    def _advance(self) -> list[RewardEvent]:
        gain = self._potential() - self._paid
        self._paid += gain
        return [self.event("milestone", gain)] if gain else []

    def _take_back(self) -> list[RewardEvent]:
        paid, self._paid = self._paid, 0.0
        return [self.event("milestone", -paid, detail={"why": "the episode is over"})] if paid else []

    def _refused(self, refusal: SqlRefusedError) -> EnvReply:
        self.check_interrupt()
        if not refusal.is_violation:
            return said(str(refusal))
        return said(str(refusal), [self.event("violation", -1.0, detail={"why": str(refusal)})])

    def _ended(self, verdict: Verdict) -> EnvReply:
        self._is_solved = verdict.is_right
        success = self.event("success", float(verdict.is_right), detail={"why": verdict.why} if verdict.why else None)
        events = [success, *self._take_back()]
        words = RIGHT if verdict.is_right else WRONG
        return EnvReply([user(words)], events, terminated=True, success=verdict.is_right)


def shown(result: Result) -> str:
    """A result as a text: the names of the columns, then a line for each row; cut with a note where it is long."""
    lines = [" | ".join(map(_shown_value, result.columns))]
    lines += [" | ".join(map(_shown_value, row)) for row in result.rows]
    if not result.rows:
        lines.append("(no rows)")
    text = "\n".join(lines)
    if len(text) > MAX_CHARACTERS:
        return f"{text[:MAX_CHARACTERS]}\n(cut after {MAX_CHARACTERS:,} characters)"
    return f"{text}\n(cut after {len(result.rows)} rows; there are more)" if result.is_cut else text


def _shown_value(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value[:20].hex()}'"
    if value in ("", "NULL"):
        return f"'{value}'"
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value)[: MAX_CELL + 1])
    return text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…"
