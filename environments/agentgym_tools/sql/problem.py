"""A task as environment, grader and scripts see it: its database, its reference and what it asks of a result.

Tasks are drawn in `drawing`, judged in `judging`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agentgym.errors import AgentGymError, TaskError
from agentgym.task import Limits, Task
from agentgym_tools.sql.comparing import Form
from agentgym_tools.sql.schema import Schema, load_schema

LIMITS = Limits(max_turns=12, max_invalid=2)
Job = Literal["question", "change"]


@dataclass(frozen=True)
class Problem:
    """The hidden side of a task.

    Attributes:
        schema: The schema of its database.
        number: The number of its database among those of the schema.
        is_small: Whether the database is one of those for tiny models.
        job: Whether rows are asked for or to be changed.
        sql: A right statement.
        wrong: Statements that are nearly right.
        form: What is asked of the result beyond the rows.
        meanings: What the user means by each ambiguous word.
    """

    schema: Schema
    number: int
    is_small: bool
    job: Job
    sql: str
    wrong: tuple[str, ...]
    form: Form
    meanings: Mapping[str, str]

    @property
    def place(self) -> tuple[str, int, bool]:
        """What names the database."""
        return self.schema.name, self.number, self.is_small

    @property
    def answer(self) -> str:
        """The right statement as an agent would write it: with the limit that the question asks for."""
        return f"{self.sql} LIMIT {self.form.limit}" if self.form.limit else self.sql

    @property
    def needed(self) -> tuple[str, ...]:
        """The tables that the right statement names."""
        words = set(re.findall(r"\w+", re.sub(r"'[^']*'", "", self.sql)))
        return tuple(table.name for table in self.schema.tables if table.name in words)


def to_task(problem: Problem, text: str, *, task_id: str, seed: int, stratum: str, template: str, level: int) -> Task:
    """The task that `read_problem` reads back.

    Args:
        problem: Its hidden side.
        text: What is asked.
        task_id: Its id.
        seed: Its seed; nothing in the episode is random.
        stratum: Its stratum.
        template: The template that it was drawn by.
        level: The template's level.
    """
    private: dict[str, Any] = {"sql": problem.sql, "wrong": list(problem.wrong)}
    if problem.form.order:
        private["order"] = list(problem.form.order)
    if problem.form.limit:
        private["limit"] = problem.form.limit
    if problem.meanings:
        private["meanings"] = dict(problem.meanings)
    config: dict[str, Any] = {"schema": problem.schema.name, "database": problem.number, "job": problem.job}
    if problem.is_small:
        config["is_small"] = True
    return Task(
        id=task_id,
        seed=seed,
        instruction=f"In the database of {problem.schema.title}: {text}",
        stratum=stratum,
        config={**config, "template": template, "level": level},
        limits=LIMITS,
        private=private,
    )


def read_problem(task: Task) -> Problem:
    """The hidden side of a task.

    Raises:
        TaskError: The task is not one of this environment.
    """
    config, private = task.config, task.private
    try:
        if config["job"] not in ("question", "change"):
            raise ValueError(f"job {config['job']!r} is neither question nor change")
        return Problem(
            schema=load_schema(config["schema"]),
            number=config["database"],
            is_small=bool(config.get("is_small", False)),
            job=config["job"],
            sql=private["sql"],
            wrong=tuple(private.get("wrong", ())),
            form=Form(tuple(private.get("order", ())), private.get("limit", 0)),
            meanings=dict(private.get("meanings", {})),
        )
    except (KeyError, ValueError, TypeError, AgentGymError) as error:
        raise TaskError(
            f"task {task.id!r} cannot be played by Sql: {type(error).__name__}: {error}; expected the config keys "
            f"schema, "
            "database, job and the private key sql, as draw_task writes them"
        ) from error
