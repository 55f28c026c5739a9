"""The messages that a server sends, as bytes.

`session`, `harness` and `rpc` decide their contents.
"""

from __future__ import annotations

from typing import Any

from agentgym.remote.json_text import dumps
from agentgym.remote.wire import OURS, ErrorCode, step_fields

Fields = dict[str, Any]


def step_frame(observation: Fields, reward: float, terminated: bool, truncated: bool, info: Fields) -> bytes:
    """The reply to a step."""
    ours = step_fields(info, truncated)
    return observation_frame({**observation, OURS: ours}, reward, terminated or truncated)


def observation_frame(observation: Fields, reward: float | None, is_over: bool) -> bytes:
    """A message with an observation."""
    return dumps({"type": "observation", "data": {"observation": observation, "reward": reward, "done": is_over}})


def state_frame(state: Fields) -> bytes:
    """A message with a state."""
    return dumps({"type": "state", "data": state})


def rpc_frame(response: Fields) -> bytes:
    """A message with a JSON-RPC response."""
    return dumps({"type": "mcp", "data": response})


def own_frame(data: Fields) -> bytes:
    """A message that OpenEnv does not have."""
    return dumps({"type": OURS, "data": data})


def error_frame(code: ErrorCode, text: str, **more: Any) -> bytes:
    """A message about an error."""
    return dumps({"type": "error", "data": {"message": text, "code": code, **more}})
