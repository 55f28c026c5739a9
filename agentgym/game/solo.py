"""An environment of one agent as a game of one role, so that rollouts have one loop for both.

The other way round, a game as an environment of one role, is `agentgym.wrappers.role_view`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.env import AgentEnv
from agentgym.game.protocol import GameReply, Inbox
from agentgym.message import Message, ToolSchema
from agentgym.outcome import CutReason
from agentgym.picture import Image, has_picture, with_picture
from agentgym.task import Task


class SoloGame:
    """An `AgentEnv` as a `Game` of one role.

    Args:
        env: The environment.

    Attributes:
        env: The environment.
        roles: Its role alone.
        reward_weights, tools: Its own.
        acting_role: Its role while an episode runs.
    """

    def __init__(self, env: AgentEnv) -> None:
        self.env = env
        self.roles: Sequence[str] = (env.role,)
        self.reward_weights: Mapping[str, float] = env.reward_weights
        self.tools: Mapping[str, Sequence[ToolSchema]] = {env.role: env.tools}
        self.acting_role: str | None = None
        self._last_picture: NDArray[np.uint8] | None = None

    @property
    def capacity(self) -> int | None:
        """The environment's capacity."""
        return self.env.capacity

    def reset(self, task: Task, seed: int | None = None) -> Inbox:
        """Reset the environment to the task."""
        self.acting_role = self.env.role
        observation, info = self.env.reset(seed=seed, options={"task": task})
        self.tools = {self.env.role: self.env.tools}  # a task may bring its own
        self._last_picture = None
        return {self.env.role: self._pictured(info["messages"], observation.get("image"))}

    def step(self, text: str) -> GameReply:
        """Step the environment."""
        observation, _, _, _, info = self.env.step(text)
        return self._reply(info, self._pictured(info["messages"], observation.get("image")))

    def finalize(self, reason: CutReason) -> GameReply:
        """Finalize the environment's episode."""
        _, info = self.env.finalize(reason)
        return self._reply(info, ())

    def anchor(self) -> str | None:
        """The environment's anchor."""
        return self.env.anchor()

    def progress(self, role: str) -> float | None:
        """The environment's progress."""
        return self.env.progress()

    def legal_actions(self, role: str) -> Sequence[str] | None:
        """The environment's legal actions."""
        return self.env.legal_actions()

    def screenshot(self) -> Image | None:
        """The environment's screenshot."""
        return self.env.screenshot()

    def interrupt(self) -> None:
        """Interrupt the environment."""
        self.env.interrupt()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _pictured(self, messages: Sequence[Message], picture: NDArray[np.uint8] | None) -> Sequence[Message]:
        """The messages with an observation's picture, unless they have it or the last ones had."""
        if picture is None or not messages:
            return messages
        is_known = self._last_picture is not None and np.array_equal(picture, self._last_picture)
        self._last_picture = picture
        if is_known or has_picture(messages):
            return messages
        return [*messages[:-1], with_picture(messages[-1], picture)]

    def _reply(self, info: Mapping[str, Any], messages: Sequence[Message]) -> GameReply:
        role, outcome = self.env.role, info.get("outcome")
        reply = GameReply({role: messages}, info["reward_events"], is_invalid=info.get("is_invalid", False))
        if outcome is not None:
            self.acting_role = None
            reply.outcome, reply.is_over = outcome, True
            if outcome.is_graded:
                reply.successes, reply.scores = {role: info["success"]}, {role: info["score"]}
        return reply
