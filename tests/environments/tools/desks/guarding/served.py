"""Customers behind a model server: the rule-based one, and the same with a fault."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agentgym.message import Message
from agentgym.policies.cast import Cast
from agentgym.policy import Policy, Request, Sampling
from agentgym.rollout import Job, RolloutSettings, RolloutStats, collect_episodes, game_maker
from agentgym.suite import Suite
from agentgym.task import Task
from agentgym.trajectory import Trajectory
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.guarding.guard import AgendaGuard, read_calls
from agentgym_tools.desks.user import Customer
from agentgym_tools.worlds.calls import Call
from benchmarks.desk_guard import Fault
from tests.policies.faulty_server import chat

NOT_SENT = "Your message was not sent"


class ServedCustomer:
    """Answers requests to a server as the customer of a task.

    Args:
        task: The task.
        fault: What it says in place of what is right, where it can.
        is_stubborn: Whether it does so again after it was refused.
    """

    def __init__(self, task: Task, fault: Fault | None = None, *, is_stubborn: bool = True) -> None:
        self.task, self._fault, self._is_stubborn = task, fault, is_stubborn
        domain = desk(task.config["desk"])
        self._tools = [*domain.user_tools.values(), *talk.user_acts(domain)]
        self.reasons: list[str] = []

    def __call__(self, handler: Any) -> Any:
        messages = handler.body["messages"]
        was_refused = str(messages[-1]["content"]).startswith(NOT_SENT)
        if was_refused:
            self.reasons.append(messages[-1]["content"])
        talked = messages[:-1] if was_refused else messages
        calls: Sequence[Call] = read_calls(self._right(talked), self._tools)
        if self._fault is not None and (self._is_stubborn or not was_refused):
            request = Request("", 0, self.task, talked, self._tools, None, 0, Sampling(), "user")
            calls = self._fault(AgendaGuard().tracker(request), calls) or calls
        return said(calls)

    def _right(self, messages: Sequence[Message]) -> str:
        """What the rule-based customer says, which has heard the same and said what it would have."""
        customer = Customer(self.task, 0)
        for place, message in enumerate(messages):
            if message["role"] == "assistant":
                customer.act(messages[:place])
        return customer.act(messages)


def said(calls: Sequence[Call]) -> Any:
    """An answer of the server with calls."""
    functions = [{"name": call.tool, "arguments": json.dumps(call.arguments)} for call in calls]
    return chat(None, tool_calls=[{"id": f"c{n}", "function": each} for n, each in enumerate(functions)])


def play(
    task: Task, agent: Policy, user: str, suite: Suite, folder: Any = None, **settings: Any
) -> tuple[Trajectory, RolloutStats]:
    """One episode of a task; `user` names who plays the customer."""
    cast = Cast.of(suite.env, (), {"user": user}, suite.env_options)
    policies = cast.policies(agent, None, folder)
    rollout = RolloutSettings(**{"max_fault_share": 1.0, **settings})
    [record], stats = collect_episodes([Job(task, "e", 0)], game_maker(suite, "", cast), policies, rollout)
    return record, stats
