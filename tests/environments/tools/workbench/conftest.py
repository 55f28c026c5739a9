from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agentgym.authoring.players import call_text
from agentgym.task import Task
from agentgym_tools.workbench.base import bench
from agentgym_tools.workbench.env import WorkbenchEnv
from agentgym_tools.workbench.rows.people import PEOPLE
from agentgym_tools.workbench.sets.all_sets import SETS, Kit
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call

ME = PEOPLE[0].id


@pytest.fixture
def env() -> Iterator[WorkbenchEnv]:
    env = WorkbenchEnv()
    yield env
    env.close()


@pytest.fixture
def kit() -> Iterator[Kit]:
    """All tools on the things of the first person."""
    world = World(bench())
    world.mark_start()
    yield Kit(world, ME)
    world.close()


@pytest.fixture
def entry() -> Callable[..., Task]:
    """Makes a task of requests: (kind, facts) or (kind, facts, condition)."""

    def make(*requests: tuple[Any, ...], sets: tuple[str, ...] = tuple(SETS)) -> Task:
        names = ("kind", "facts", "condition")
        fields = [{**dict(zip(names, request, strict=False)), "wording": 0} for request in requests]
        return Task("t", 0, "the first request", config={"me": ME, "sets": list(sets)}, private={"requests": fields})

    return make


@pytest.fixture
def play(env: WorkbenchEnv) -> Callable[..., list[dict[str, Any]]]:
    """Plays calls in a task, a message each; gives the infos of the steps."""

    def play_calls(task: Task, *calls: Call) -> list[dict[str, Any]]:
        env.reset(options={"task": task})
        infos = []
        for call in calls:
            *_, info = env.step(call_text(call.tool, **call.arguments))
            infos.append(info)
        return infos

    return play_calls
