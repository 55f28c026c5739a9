"""Episodes at desks."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import pytest

from agentgym.authoring.players import call_text
from agentgym.env import AgentEnv
from agentgym.errors import ActionSyntaxError
from agentgym.reward import RewardEvent
from agentgym.task import Task
from agentgym.wrappers.role_view import RoleView
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import DESKS
from agentgym_tools.desks.drawing import Wanted, draw_task
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.scripts import AGENT_SCRIPTS, PARTNERS
from agentgym_tools.desks.templates import Template
from agentgym_tools.worlds.calls import Call


class Episode(NamedTuple):
    """What came of an episode."""

    is_success: bool
    events: list[RewardEvent]
    calls: list[Call]
    texts: list[str]

    def total(self, component: str) -> float:
        return sum(event.value for event in self.events if event.component == component and event.role == "agent")


Play = Callable[[Task, list[Call]], Episode]


@pytest.fixture(scope="session", params=sorted(DESKS))
def desk_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def env_of(desk_name: str, size: str = "full", **options: object) -> AgentEnv:
    return RoleView(DeskGame(desk_name, size, **options), "agent", {"user": PARTNERS["user"]})


def task_of(desk_name: str, template: Template, seed: int = 0, **wanted: object) -> Task:
    found = Wanted(desk_name, "full", template, **{"personas": ("plain",), **wanted})
    return draw_task(f"{template.name} {seed}", random.Random(f"{template.name} {seed}"), found, seed)


def play_script(env: AgentEnv, task: Task, name: str, seed: int = 0) -> Episode:
    """Play a whole episode by a script of the agent."""
    _, info = env.reset(options={"task": task})
    player, messages = AGENT_SCRIPTS[name](task, seed), list(info["messages"])
    episode = Episode(False, [], [], [])
    while True:
        text = player.act(messages)
        observation, _, terminated, truncated, info = env.step(text)
        _note(episode, env, text, str(observation["text"]), info["reward_events"])
        messages += [{"role": "assistant", "content": text}, *info["messages"]]
        if terminated or truncated:
            return episode._replace(is_success=bool(info["success"]))


def play_calls(env: AgentEnv, task: Task, calls: list[Call]) -> Episode:
    """Play these calls, a message each, and close."""
    env.reset(options={"task": task})
    episode = Episode(False, [], [], [])
    for call in [*calls, Call(talk.CLOSE)]:
        text = call_text(call.tool, **call.arguments)
        observation, _, terminated, truncated, info = env.step(text)
        _note(episode, env, text, str(observation["text"]), info["reward_events"])
        if terminated or truncated:
            break
    return episode._replace(is_success=bool(info["success"]))


def _note(episode: Episode, env: AgentEnv, text: str, answer: str, events: list[RewardEvent]) -> None:
    episode.events.extend(events)
    episode.texts.append(answer)
    with suppress(ActionSyntaxError):
        episode.calls.extend(Call(call.name, call.arguments) for call in env.game.parse("agent", text).tool_calls)
