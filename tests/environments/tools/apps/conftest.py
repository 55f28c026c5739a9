"""Episodes in the apps."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from agentgym.env import AgentEnv
from agentgym.reward import RewardEvent
from agentgym.task import Task
from agentgym_tools.apps.base.bases import bench_of
from agentgym_tools.apps.calendar_days import DAY, TODAY
from agentgym_tools.apps.drawing import Wanted, draw_task
from agentgym_tools.apps.env import AppsEnv
from agentgym_tools.apps.scripts import SCRIPTS
from agentgym_tools.apps.writing import text_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call


class Episode(NamedTuple):
    """What came of an episode."""

    is_success: bool
    events: list[RewardEvent]
    texts: list[str]

    def values(self, component: str) -> list[float]:
        return [event.value for event in self.events if event.component == component]


def task_of(template: str, number: int = 0, size: str = "full") -> Task:
    rng = random.Random(f"{template} {number}")
    return draw_task(rng, Wanted(size, template), f"{template}-{number}")


def play_script(env: AgentEnv, task: Task, name: str) -> Episode:
    """Play a whole episode by a script."""
    _, info = env.reset(options={"task": task})
    player, messages = SCRIPTS[name](task, 0), list(info["messages"])
    episode = Episode(False, [], [])
    while "outcome" not in info:
        text = player.act(messages)
        observation, *_, info = env.step(text)
        episode.events.extend(info["reward_events"])
        episode.texts.append(str(observation["text"]))
        messages += [{"role": "assistant", "content": text}, *info["messages"]]
    return episode._replace(is_success=bool(info["success"]))


def play_calls(env: AgentEnv, task: Task, calls: Sequence[Call]) -> tuple[bool, dict[str, Any]]:
    """Play these calls, a message each; whether it was a success, and the last info."""
    env.reset(options={"task": task})
    info: dict[str, Any] = {}
    for call in calls:
        *_, info = env.step(text_of([call]))
        if "outcome" in info:
            break
    return bool(info.get("success")), info


@pytest.fixture
def env() -> AppsEnv:
    return AppsEnv()


@pytest.fixture
def world() -> World:
    found = World(bench_of("full"), TODAY * DAY + 600)
    yield found
    found.close()
