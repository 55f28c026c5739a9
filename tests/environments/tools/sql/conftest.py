from collections.abc import Iterator
from typing import Any, Protocol

import pytest

from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.sql.comparing import Form
from agentgym_tools.sql.database import SqliteDatabase
from agentgym_tools.sql.databases import bench_of
from agentgym_tools.sql.env import SqlEnv
from agentgym_tools.sql.problem import Problem, to_task
from agentgym_tools.sql.schema import load_schema


@pytest.fixture
def env() -> Iterator[SqlEnv]:
    env = SqlEnv()
    yield env
    env.close()


@pytest.fixture
def database() -> Iterator[SqliteDatabase]:
    """The second database of the library."""
    database = SqliteDatabase(bench_of("library", 1, 0, False))
    yield database
    database.close()


class MakeTask(Protocol):
    def __call__(self, sql: str, job: str = "question", **more: Any) -> Task: ...


@pytest.fixture
def make_task() -> MakeTask:
    """Makes a task of the second database of the library."""

    def make(sql: str, job: str = "question", **more: Any) -> Task:
        fields = {"wrong": (), "form": Form(), "meanings": {}, **more}
        problem = Problem(load_schema("library"), 1, False, job, sql, **fields)
        return to_task(problem, "what is asked?", task_id="t", seed=1, stratum="", template="none", level=1)

    return make


@pytest.fixture(scope="session")
def suite_tasks() -> dict[str, list[Task]]:
    """Tasks of tools/sql by stratum."""
    suite = load_suite("tools/sql")
    found: dict[str, list[Task]] = {}
    for split in suite.splits:
        for task in suite.tasks(split):
            found.setdefault(task.stratum, []).append(task)
    return found
