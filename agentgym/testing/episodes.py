"""Plain records of played episodes, to compare two of them step by step.

They are played one at a time, without limits of time or tokens. `agentgym.rollout` collects episodes for training.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.env import AgentEnv
from agentgym.message import Message
from agentgym.outcome import Outcome
from agentgym.policy import Script
from agentgym.reward import RewardEvent
from agentgym.task import Task

MAX_TURNS = 200
"""Turns after which a script's episode is cut."""


@dataclass(slots=True)
class Step:
    """The result of one action; the fields of the last step tell how the episode ended."""

    text: str
    image_hash: str
    messages: list[Message]
    reward: float
    events: tuple[RewardEvent, ...]
    terminated: bool
    truncated: bool
    is_invalid: bool
    outcome: Outcome | None
    success: bool | None
    score: float | None

    @property
    def is_last(self) -> bool:
        """Whether the episode ended with this step."""
        return self.terminated or self.truncated

    @property
    def seen(self) -> tuple[Any, ...]:
        """What the agent sees of the step: observation, reward and end, without indices of turns."""
        return self.text, self.image_hash, self.messages, self.reward, self.terminated, self.truncated, self.is_invalid


@dataclass(slots=True)
class Record:
    """An episode, or the part of it that was played."""

    first: Step
    actions: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def reward(self) -> float:
        """Sum of the rewards."""
        return sum(step.reward for step in self.steps)

    @property
    def success(self) -> bool:
        """Whether the episode ended with the task solved."""
        return bool(self.steps and self.steps[-1].success)

    @property
    def summary(self) -> str:
        """The action and its result, in words."""
        if not self.steps:
            return "it did nothing"
        last = self.steps[-1]
        return (
            f"it did {self.actions[-3:]}, was last told {last.text[:300]!r}, and ended as {last.outcome} with success "
            f"{last.success} and score {last.score}"
        )

    @property
    def is_over(self) -> bool:
        """Whether the episode ended."""
        return bool(self.steps and self.steps[-1].is_last)


def start(env: AgentEnv, task: Task | None, seed: int | None = None) -> Record:
    """Reset to a task, or to the task that the seed makes."""
    observation, info = env.reset(seed=seed, options=None if task is None else {"task": task})
    return Record(_step(observation, 0.0, False, False, info))


def advance(env: AgentEnv, record: Record, action: str) -> Step:
    """Play one action and append it to the record."""
    observation, reward, terminated, truncated, info = env.step(action)
    step = _step(observation, float(reward), terminated, truncated, info)
    record.actions.append(action)
    record.steps.append(step)
    return step


def play_actions(env: AgentEnv, task: Task | None, actions: Sequence[str], seed: int | None = None) -> Record:
    """Reset and play actions until they are used up or the episode ends."""
    record = start(env, task, seed)
    for action in actions:
        if advance(env, record, action).is_last:
            break
    return record


def play_script(env: AgentEnv, task: Task, script: Script) -> Record:
    """Play a whole episode with a script; one of more than `MAX_TURNS` turns is cut and graded."""
    record = start(env, task)
    conversation = list(record.first.messages)
    while len(record.steps) < MAX_TURNS:
        action = script.act(conversation)
        step = advance(env, record, action)
        if step.is_last:
            return record
        conversation.append({"role": "assistant", "content": action})
        conversation += step.messages
    reward, info = env.finalize("turns")
    last = record.steps[-1]
    last.reward += float(reward)
    last.truncated, last.outcome, last.success, last.score = True, info["outcome"], info["success"], info["score"]
    return record


def difference(expected: Record, got: Record) -> str | None:
    """The first difference between two records, in words; None if they are equal."""
    if expected.first.seen != got.first.seen:
        return f"the first observation is {got.first.text[:200]!r}, expected {expected.first.text[:200]!r}"
    for index, (one, other) in enumerate(zip(expected.steps, got.steps, strict=False)):
        for name in Step.__slots__:
            if getattr(one, name) != getattr(other, name):
                found, wanted = str(getattr(other, name))[:200], str(getattr(one, name))[:200]
                return f"{name} of step {index} is {found!r}, expected {wanted!r}"
    if len(expected.steps) != len(got.steps):
        return f"it has {len(got.steps)} steps, expected {len(expected.steps)}"
    return None


def _step(observation: dict[str, Any], reward: float, terminated: bool, truncated: bool, info: dict[str, Any]) -> Step:
    image = observation.get("image")
    return Step(
        text=observation["text"],
        image_hash="" if image is None else hashlib.sha256(image.tobytes()).hexdigest(),
        messages=copy.deepcopy(list(info["messages"])),
        reward=reward,
        events=tuple(info["reward_events"]),
        terminated=terminated,
        truncated=truncated,
        is_invalid=info.get("is_invalid", False),
        outcome=info.get("outcome"),
        success=info.get("success"),
        score=info.get("score"),
    )
