"""Environments whose actions are tool calls: one tool message for each call.

A subclass says what the tools do. A message with several calls is still one turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from agentgym.action import Action, ToolCall
from agentgym.env import AgentEnv, EnvReply, require_reply
from agentgym.message import Message, user
from agentgym.reward import RewardEvent
from agentgym.tools.dispatch import as_tool_messages, methods_of, parse_calls, require_different, run_calls, run_tool


class ToolEnv(AgentEnv):
    """An environment whose actions are tool calls.

    A subclass decorates methods with `@tool`. If it or a base class sets `tools`, only these may be called: methods by
    name (`tools = [search]` in the class, `self.tools = [self.search]` in `__init__`), functions, or schemas, whose
    calls it carries out in `call`. Calls of one message run in order until one ends the episode.
    """

    max_calls: int = 8
    """Calls of one message that are carried out; further calls get an answer but are not run."""
    _sets_tools: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "tools" in vars(cls):
            cls._sets_tools = True
        elif not cls._sets_tools:
            cls.tools = methods_of(cls)
        if isinstance(cls.tools, list | tuple):
            require_different(cls.tools, cls.__name__)

    def call(self, call: ToolCall) -> EnvReply:
        """Carry out one call; the text of the reply's messages becomes the tool message.

        By default, it calls the decorated function; a text that the function returns is the answer.
        """
        answer = run_tool(self.tools, call, self, EnvReply)
        return said(answer) if isinstance(answer, str) else answer

    def parse(self, text: str) -> Action:
        """Tool calls as JSON, in `<tool_call>` tags, or in Python call syntax."""
        return parse_calls(text, self.tools)

    def respond(self, action: Action) -> EnvReply:
        """Carry out the calls of one message."""
        messages: list[Message] = []
        events: list[RewardEvent] = []
        for call, answer in run_calls(action.tool_calls, self.max_calls, self._answer):
            if isinstance(answer, dict):
                messages.append(answer)
                continue
            messages += as_tool_messages(call, answer.messages)
            events += answer.events
            if answer.terminated:
                return answer._replace(messages=messages, events=events)
        return EnvReply(messages, events)

    def _answer(self, call: ToolCall) -> EnvReply:
        return require_reply(self.call(call), self, "call")


def said(text: str, events: Sequence[RewardEvent] = ()) -> EnvReply:
    """The reply of a tool that answers with a text and does not end the episode."""
    return EnvReply([user(text)], events)
