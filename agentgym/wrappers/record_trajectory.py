"""A record of what happens in an ordinary reset-and-step loop, in the form that stores, reports and cloning read."""

from __future__ import annotations

from typing import Any

import gymnasium

from agentgym.action import reply_message
from agentgym.env import AgentEnv, Observation
from agentgym.errors import ContractError
from agentgym.message import Message
from agentgym.picture import placed_pictures
from agentgym.trajectory import Trajectory, Turn


class RecordTrajectory(gymnasium.Wrapper[Observation, str, Observation, str]):
    """Keeps the running episode as a `Trajectory`; it has messages and no tokens, so it can only be cloned.

    Args:
        env: An agentgym environment, wrapped or not.
        policy: Name of the policy that acts, for the record.

    Attributes:
        trajectory: The record of the episode that runs or ran last; None before the first reset.

    Raises:
        ContractError: The environment is not an agentgym one.
    """

    def __init__(self, env: gymnasium.Env[Observation, str], policy: str = "") -> None:
        super().__init__(env)
        if not isinstance(env.unwrapped, AgentEnv):
            raise ContractError(f"RecordTrajectory records agentgym environments, got {type(env.unwrapped).__name__}")
        self._agent_env = env.unwrapped
        self._policy = policy
        self._count = 0
        self._received: list[Message] = []
        self.trajectory: Trajectory | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode and a record of it."""
        observation, info = self.env.reset(seed=seed, options=options)
        task = self._agent_env.task
        assert task is not None
        self._received = list(info["messages"])
        self._count += 1
        self.trajectory = Trajectory(
            id=f"{task.id}/{self._count}",
            task_id=task.id,
            role=self._agent_env.role,
            suite=task.suite,
            split=task.split,
            stratum=task.stratum,
            content_hash=task.content_hash,
            seed=task.seed if seed is None else seed,
            policy=self._policy,
            weights=self._agent_env.reward_weights,
            is_derived=True,
        )
        return observation, info

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Step and record the turn."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        record = self.trajectory
        assert record is not None
        reply, first = reply_message(action, self._agent_env.tools), len(list(record.transcript()))
        turn = Turn(len(record.turns), self._received, reply, action, was_invalid=info["is_invalid"])
        turn.pictures = tuple(placed_pictures(turn.messages, first))
        record.turns.append(turn)
        record.events.extend(info["reward_events"])
        self._received = list(info["messages"])
        if terminated or truncated:
            record.outcome, record.success, record.score = info["outcome"], info["success"], info["score"]
            record.metadata["last_messages"] = self._received
        return observation, float(reward), terminated, truncated, info
