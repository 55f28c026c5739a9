from typing import Any, NamedTuple, Protocol

import pytest

from agentgym.env import AgentEnv
from agentgym.message import Message
from agentgym.policy import Script
from agentgym.task import Task
from agentgym_tools.lookup.env import LookupEnv
from agentgym_tools.lookup.questions import Difficulty, Question, draw_task, read_question


class Episode(NamedTuple):
    messages: list[Message]
    total_reward: float
    num_turns: int
    info: dict[str, Any]


class Play(Protocol):
    def __call__(self, task: Task, script: Script) -> Episode: ...


@pytest.fixture
def env() -> LookupEnv:
    return LookupEnv()


@pytest.fixture
def play(env: AgentEnv) -> Play:
    """Plays one episode by a script, in the environment of the folder's tests."""

    def play_episode(task: Task, script: Script) -> Episode:
        _, info = env.reset(options={"task": task})
        messages = list(info["messages"])
        total = 0.0
        while "outcome" not in info:
            text = script.act(messages)
            _, reward, _, _, info = env.step(text)
            messages += [{"role": "assistant", "content": text}, *info["messages"]]
            total += reward
        return Episode(messages, total, env.turn, info)

    return play_episode


@pytest.fixture
def task() -> Task:
    return draw_task(7, Difficulty(hops=2))


@pytest.fixture
def question(task: Task) -> Question:
    return read_question(task)
