"""Environments whose actions are tool calls: parsing, dispatch, and one tool message for each call.

What the tools do is the subclass's work; a message with several calls is still one turn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.action import Action, ToolCall, parse_tool_calls
from agentgym.env import AgentEnv, EnvReply, require_reply
from agentgym.message import Message, ToolSchema, tool_result, user
from agentgym.reward import RewardEvent


def tool_schema(name: str, description: str, **parameters: str | Mapping[str, Any]) -> ToolSchema:
    """An OpenAI function schema in which every parameter is required.

    Args:
        name: Name of the tool.
        description: What it does, for the model.
        parameters: For each parameter its description (then it is a string) or its JSON schema.
    """
    properties = {
        key: {"type": "string", "description": value} if isinstance(value, str) else dict(value)
        for key, value in parameters.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


class ToolEnv(AgentEnv):
    """An environment that is acted on by tool calls.

    A subclass sets `tools` and writes `call`. Calls of one message run in order until one ends the episode.
    """

    max_calls: int = 8
    """Calls of one message that are carried out; further ones are answered, not run."""

    @abstractmethod
    def call(self, call: ToolCall) -> EnvReply:
        """Carry out one call; the text of the reply's messages becomes the tool message."""

    def parse(self, text: str) -> Action:
        """Tool calls as JSON, in `<tool_call>` tags, or in Python call syntax."""
        return parse_tool_calls(text, self.tools)

    def respond(self, action: Action) -> EnvReply:
        """Carry out the calls of one message."""
        messages: list[Message] = []
        events: list[RewardEvent] = []
        for number, call in enumerate(action.tool_calls):
            if number >= self.max_calls:
                messages.append(tool_result(call.id, call.name, f"Not run: at most {self.max_calls} calls a message."))
                continue
            reply = require_reply(self.call(call), self, "call")
            messages += [_as_tool_message(call, message) for message in reply.messages]
            events += reply.events
            if reply.terminated:
                return reply._replace(messages=messages, events=events)
        return EnvReply(messages, events)


def _as_tool_message(call: ToolCall, message: Message) -> Message:
    if "tool_call_id" in message:
        return message
    return {**message, "role": "tool", "tool_call_id": call.id, "name": call.name}


def said(text: str, events: Sequence[RewardEvent] = ()) -> EnvReply:
    """The reply of a tool that answers with a text and lets the episode go on."""
    return EnvReply([user(text)], events)
