"""An environment whose pictures differ in size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.message import Message, user
from agentgym.spaces import observations
from agentgym.task import Task


class Pictured(AgentEnv):
    """Shows a picture that grows with the seed."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.observation_space = observations(True)

    def make_task(self, seed: int) -> Task:
        return Task(id=f"pictured:{seed}", seed=seed)

    def begin(self, task: Task) -> Sequence[Message]:
        return [user("Look.")]

    def observe(self, messages, image):  # type: ignore[no-untyped-def]
        assert self.task is not None
        seed = self.task.seed
        return {"text": "Look.", "image": np.full((3 + seed, 6, 3), seed, np.uint8)}

    def respond(self, action: Action) -> EnvReply:
        return EnvReply([user("Yes.")], [self.event("success", 1.0)], True, success=True)
