"""Customers behind a model server: the rule-based one, and the same with a fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from agentgym.action import parse_tool_calls
from agentgym.message import Message
from agentgym.task import Task
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.user import Customer
from agentgym_tools.worlds.calls import Call
from tests.policies.faulty_server import chat

NOT_SENT = "Your message was not sent"
Change = Callable[[list[Call], Sequence[Message]], list[Call]]
"""What a faulty customer says in place of what is right, by its conversation."""


def truthful(calls: list[Call], messages: Sequence[Message]) -> list[Call]:
    return calls


class ServedCustomer:
    """Answers requests to a server as the customer of a task.

    Args:
        task: The task.
        change: What it says in place of what is right.
        is_stubborn: Whether it does so again after it was refused.
    """

    def __init__(self, task: Task, change: Change = truthful, *, is_stubborn: bool = True) -> None:
        self.task, self._change, self._is_stubborn = task, change, is_stubborn
        domain = desk(task.config["desk"])
        self._tools = [*domain.user_tools.values(), *talk.user_acts(domain)]
        self.num_refused = 0

    def __call__(self, handler: Any) -> Any:
        messages = handler.body["messages"]
        was_refused = str(messages[-1]["content"]).startswith(NOT_SENT)
        self.num_refused += was_refused
        talked = messages[:-1] if was_refused else messages
        calls = self._right(talked)
        if self._is_stubborn or not was_refused:
            calls = self._change(calls, talked)
        made = [
            {"id": f"c{n}", "type": "function", "function": {"name": c.tool, "arguments": json.dumps(c.arguments)}}
            for n, c in enumerate(calls)
        ]
        return chat(None, tool_calls=made) if made else chat("Hello, I am thinking.")

    def _right(self, messages: Sequence[Message]) -> list[Call]:
        """What the rule-based customer says, which has heard the same and said what it would have."""
        customer = Customer(self.task, 0)
        for place, message in enumerate(messages):
            if message["role"] == "assistant":
                customer.act(messages[:place])
        calls = parse_tool_calls(customer.act(messages), self._tools).tool_calls
        return [Call(call.name, call.arguments) for call in calls]
