"""Tasks and a model server for tests of the guard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agentgym.suite import Suite, load_suite
from agentgym.task import Task
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.tasks import plan_of
from tests.policies.faulty_server import running_server


@pytest.fixture(scope="session")
def shop() -> Suite:
    return load_suite("tools/desk-shop")


@pytest.fixture(scope="session")
def telecom() -> Suite:
    return load_suite("tools/desk-telecom")


@pytest.fixture
def server() -> Iterator[Any]:
    with running_server() as running:
        yield running


def task_with(suite: Suite, persona: str = "plain", kind: str = "", num_goals: int = 1, decision: str = "") -> Task:
    """The first test task with these properties, whose goals do not depend on each other.

    A customer that corrects itself, or changes its mind, does so about the first goal.
    """
    domain = desk(suite.env.removeprefix("agentgym/").removesuffix("Desk-v0").lower())
    return next(
        task
        for task in suite.tasks("test")
        if task.private["persona"] == persona
        and len(task.private["goals"]) == num_goals
        and (persona not in ("correcting", "changing") or task.private["goals"][0].get("at_first"))
        and not any("only_if" in goal for goal in task.private["goals"])
        and kind in ("", task.private["goals"][0]["kind"])
        and decision in ("", plan_of(task, domain).cases[0].decision)
    )
