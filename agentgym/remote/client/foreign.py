"""Conversion of an agent's message to an action of another OpenEnv server, and of its observation to text.

Agentgym servers need none of this. `agentgym.remote.client.env` talks to both kinds of server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from agentgym.action import parse_tool_calls
from agentgym.errors import ActionSyntaxError, ConfigError, InfrastructureError
from agentgym.message import ToolSchema
from agentgym.outcome import Outcome
from agentgym.remote.client.socket_client import Address
from agentgym.remote.settings import ClientSettings
from agentgym.task import Task

RETURN = "environment"
"""Component of the rewards that other people's servers give."""
_ENVELOPE = {"done", "reward", "metadata"}

Ask = Callable[[str, Mapping[str, Any]], dict[str, Any]]
"""Sends a message of a type with its data and returns the reply's data."""


@dataclass(frozen=True)
class ForeignActions:
    """The form of a server's actions and observations; by default read from its schemas."""

    action_field: str = ""
    """Field of the action that takes the agent's message as text; "" takes the only text field."""
    text_field: str = ""
    """Field of the observation that is the text; "" takes the only text field, or else all fields as JSON."""
    success_return: float = 1.0
    """Return from which an episode counts as a success; the return is its score."""
    max_turns: int | None = None
    """Turns after which an episode is truncated if its task states no limit; None: never."""


class ForeignServer:
    """Episodes on one server.

    Args:
        declared: The declared form of its actions and observations.
        schema: Its answer to GET /schema.

    Raises:
        ConfigError: A declared field does not exist.
    """

    def __init__(self, declared: ForeignActions, schema: Mapping[str, Any]) -> None:
        self._declared = declared
        properties = dict(schema.get("action", {}).get("properties", {}))
        required = set(schema.get("action", {}).get("required", ()))
        observed = dict(schema.get("observation", {}).get("properties", {}))
        self._fields = sorted(properties.keys() - _ENVELOPE)
        self._calls_tools = {"tool_name", "arguments"} <= properties.keys()
        self._action_field = _chosen(declared.action_field, properties, "action")
        if not declared.action_field and required - {self._action_field} - _ENVELOPE:
            self._action_field = ""
        self._text_field = _chosen(declared.text_field, observed, "observation")
        self._return: float | None = None

    def list_tools(self, ask: Ask) -> list[ToolSchema]:
        """The server's tools; none if its actions call no tools."""
        if not self._calls_tools:
            return []
        return tool_schemas(ask("step", {"type": "list_tools"})["observation"].get("tools", ()))

    def begin(self, ask: Ask, seed: int | None, task: Task | None) -> tuple[str, dict[str, Any]]:
        """Start an episode; returns its first text and the rest of the info. A task's config is part of the reset."""
        fields: dict[str, Any] = {} if seed is None else {"seed": seed}
        if task is not None:
            fields = {**task.config, "seed": task.seed if seed is None else seed, "episode_id": task.id}
        self._return = None
        data = ask("reset", fields)
        return self.text_of(data["observation"]), _as_it_came(data)

    def play(
        self, ask: Ask, text: str, tools: Sequence[ToolSchema]
    ) -> tuple[list[str], list[float], bool, dict[str, Any]]:
        """Play one message.

        Returns:
            The texts that answer it, the rewards, whether the episode is over, and the rest of the info.

        Raises:
            ActionSyntaxError: The message contains no valid action.
        """
        replies: list[str] = []
        rewards: list[float] = []
        data: dict[str, Any] = {}
        for action in self.actions_of(text, tools):
            data = ask("step", action)
            replies.append(self.text_of(data["observation"]))
            if data.get("reward") is not None:
                rewards.append(float(data["reward"]))
            if data.get("done"):
                break
        if rewards:
            self._return = (self._return or 0.0) + sum(rewards)
        return replies, rewards, bool(data.get("done")), _as_it_came(data)

    def verdict(self, outcome: Outcome) -> dict[str, Any]:
        """Outcome, success and score; an episode without any reward is not graded and gets no score of zero."""
        if self._return is None and outcome.kind != "invalid":
            return {"outcome": Outcome("infrastructure", "missing_reward"), "success": None, "score": None}
        total = self._return or 0.0
        return {"outcome": outcome, "success": total >= self._declared.success_return, "score": total}

    def actions_of(self, text: str, tools: Sequence[ToolSchema]) -> list[dict[str, Any]]:
        """The actions that a message contains.

        Raises:
            ActionSyntaxError: It contains none; the error's text explains to the agent what is expected.
        """
        if any("\ud800" <= letter <= "\udfff" for letter in text):  # servers of OpenEnv cannot answer such a text
            raise ActionSyntaxError("The message is not valid Unicode: it contains half of a surrogate pair.")
        if self._calls_tools:
            calls = parse_tool_calls(text, tools).tool_calls
            return [{"type": "call_tool", "tool_name": call.name, "arguments": call.arguments} for call in calls]
        if self._action_field:
            return [{self._action_field: text}]
        try:
            action = json.loads(text)
        except (ValueError, RecursionError):
            action = None
        if not isinstance(action, dict):
            fields = ", ".join(self._fields) or "any"
            raise ActionSyntaxError(f"Send a JSON object with these fields: {fields}.")
        return [action]

    def text_of(self, observation: Mapping[str, Any]) -> str:
        """The text of an observation."""
        if self._calls_tools and "tool_name" in observation:
            fault = observation.get("error")
            return _text(fault["message"] if isinstance(fault, Mapping) else _result(observation.get("result")))
        if self._text_field and isinstance(observation.get(self._text_field), str):
            return str(observation[self._text_field])
        told = {name: value for name, value in observation.items() if name not in _ENVELOPE}
        if len(told) == 1 and isinstance(only := next(iter(told.values())), str):
            return only
        return json.dumps(told, ensure_ascii=False)


def tool_schemas(tools: Sequence[Mapping[str, Any]]) -> list[ToolSchema]:
    """OpenAI function schemas from MCP's or OpenEnv's list of tools."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description") or "",
                "parameters": tool.get("input_schema") or tool.get("inputSchema") or {},
            },
        }
        for tool in tools
    ]


def get_schema(address: Address, token: str, settings: ClientSettings) -> dict[str, Any]:
    """A server's answer to GET /schema.

    Raises:
        InfrastructureError: The answer is not usable.
    """
    transport = None if address.host else httpx.HTTPTransport(uds=address.path)
    base = str(address) if address.host else "http://localhost"
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with httpx.Client(
            transport=transport, timeout=settings.connect_timeout_s, headers=headers, trust_env=False
        ) as http:
            schema = http.get(f"{base}/schema").raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise InfrastructureError(f"{address} gave no schemas: {error}") from error
    if not isinstance(schema, dict):
        raise InfrastructureError(f"{address} gave no schemas: got {type(schema).__name__}")
    return schema


def _as_it_came(data: Mapping[str, Any]) -> dict[str, Any]:
    """The last data from the server, for the info; a reward of None stays None."""
    reward, observation = data.get("reward"), data["observation"]
    info = {"reward": reward, "reward_is_missing": reward is None, "observation": observation}
    metadata = data.get("metadata", observation.get("metadata"))
    return info | ({"metadata": metadata} if metadata else {})


def _chosen(declared: str, properties: Mapping[str, Any], what: str) -> str:
    if declared:
        if properties and declared not in properties:
            raise ConfigError(f"the server's {what} has no field {declared!r}; it has {', '.join(sorted(properties))}")
        return declared
    texts = [name for name, schema in properties.items() if schema.get("type") == "string" and name not in _ENVELOPE]
    return texts[0] if len(texts) == 1 else ""


def _result(result: Any) -> Any:
    """The content of a tool's result, which servers wrap in several ways."""
    if isinstance(result, Mapping):
        for name in ("data", "result"):
            if result.get(name) is not None:
                return result[name]
        content = result.get("content")
        if isinstance(content, list):
            return "\n".join(part.get("text", "") for part in content if isinstance(part, Mapping))
    return result


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
