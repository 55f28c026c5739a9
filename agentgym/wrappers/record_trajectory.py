"""A record of what happens in an ordinary reset-and-step loop, in the form that stores, reports and cloning read."""

from __future__ import annotations

from typing import Any

import gymnasium

from agentgym.action import parse_text, parse_tool_calls, to_message
from agentgym.env import AgentEnv, Observation
from agentgym.errors import ActionSyntaxError, ContractError
from agentgym.message import Message
from agentgym.trajectory import Trajectory, Turn


class RecordTrajectory(gymnasium.Wrapper[Observation, str, Observation, str]):
    """Keeps the running episode as a `Trajectory`; it carries messages and no tokens, so it can be cloned only.

    Args:
        env: An agentgym environment, wrapped or not.
        policy: Name of whoever acts, for the record.

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
        self._told: list[Message] = []
        self.trajectory: Trajectory | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode and a record of it."""
        observation, info = self.env.reset(seed=seed, options=options)
        task = self._agent_env.task
        assert task is not None
        self._told = list(info["messages"])
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
        turn = Turn(len(record.turns), self._told, self._normalised(action), action, was_invalid=info["is_invalid"])
        record.turns.append(turn)
        record.events.extend(info["reward_events"])
        self._told = list(info["messages"])
        if terminated or truncated:
            record.outcome, record.success, record.score = info["outcome"], info["success"], info["score"]
            record.metadata["last_messages"] = self._told
        return observation, float(reward), terminated, truncated, info

    def _normalised(self, action: str) -> Message:
        try:
            tools = self._agent_env.tools
            return to_message(parse_tool_calls(action, tools) if tools else parse_text(action))
        except ActionSyntaxError:
            return to_message(parse_text(action))
