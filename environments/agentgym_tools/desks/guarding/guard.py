"""The guard of a model that plays a customer: what it says is read as acts and held against the agenda.

What an agent does is never a fault here: the guard sees the customer's messages alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from agentgym.errors import ActionSyntaxError
from agentgym.message import Message, ToolSchema, content_text
from agentgym.policy import Refusal, Request
from agentgym.tools.dispatch import parse_calls
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.guarding.rules import follow
from agentgym_tools.desks.guarding.tracker import Hear, Tracker, acts_in
from agentgym_tools.desks.tasks import PROMPT_VERSION, check_facts, plan_of
from agentgym_tools.worlds.calls import Call

RULES_VERSION = "5"
MAX_CHARS = 20_000
"""Longest message of a customer; longer ones are not read."""


class Heard(NamedTuple):
    """What a customer's message answers.

    Attributes:
        request: The request for it.
        acts: The acts of the agent since the customer spoke last.
    """

    request: Request
    acts: Sequence[Call]


ReadActs = Callable[[str, Heard], Sequence[Call]]
"""Reads a message as acts and calls of the customer's own tools; raises `ActionSyntaxError` where it cannot."""


def read_calls(text: str, tools: Sequence[ToolSchema]) -> list[Call]:
    """The calls of a message.

    Raises:
        ActionSyntaxError: There is none, or one is wrong.
    """
    return [Call(call.name, call.arguments) for call in parse_calls(text, tools).tool_calls]


def read_acts(text: str, heard: Heard) -> Sequence[Call]:
    """The calls of a message, as `read_calls` reads them."""
    return read_calls(text, heard.request.tools)


class AgendaGuard:
    """Holds each message of a customer against the agenda of its task.

    Args:
        read: How a message of the customer is read; the default reads calls.
        hear: How what the customer receives is read; the default reads acts.
    """

    version = f"{PROMPT_VERSION}.{RULES_VERSION}"
    max_tokens = 1024

    def __init__(self, read: ReadActs = read_acts, hear: Hear = acts_in) -> None:
        self._read, self._hear = read, hear

    def check(self, request: Request, text: str) -> Refusal | None:
        """Why a message may not enter the game; None if it may."""
        if len(text) > MAX_CHARS:
            return Refusal("unreadable", f"it has {len(text)} characters; at most {MAX_CHARS} are read")
        tracker, heard = self._follow(request)
        try:
            acts = self._read(text, Heard(request, heard))
            check_facts(desk(request.task.config["desk"]), acts)
        except ActionSyntaxError as error:
            return Refusal("unreadable", str(error))
        finding = follow(tracker, acts)
        return None if finding is None else Refusal(finding.cause, finding.why)

    def tracker(self, request: Request) -> Tracker:
        """The talk so far, from the customer's conversation."""
        return self._follow(request)[0]

    def _follow(self, request: Request) -> tuple[Tracker, list[Call]]:
        """The talk so far, and what the agent said since the customer spoke last."""
        domain = desk(request.task.config["desk"])
        tracker = Tracker(domain, plan_of(request.task, domain), self._hear)
        heard: list[Call] = []
        for message in request.messages:
            if message["role"] == "assistant":
                acts = self._acts_of(message, Heard(request, heard))
                follow(tracker, acts)
                if not all(act.tool in domain.user_tools for act in acts):  # else it has not spoken yet
                    heard = []
            else:
                tracker.hear([message])
                heard += self._hear(content_text(message)) if message["role"] == "user" else []
        return tracker, heard

    def _acts_of(self, message: Message, heard: Heard) -> Sequence[Call]:
        try:
            return self._read(_spelt(message), heard)
        except ActionSyntaxError:
            return ()  # it was said before there was a guard, and the game refused it


def _spelt(message: Message) -> str:
    """A message of the customer's conversation as it was written, its calls as blocks."""
    functions = [call["function"] for call in message.get("tool_calls") or ()]
    blocks = [
        f'<tool_call>{{"name": {json.dumps(each["name"])}, "arguments": {_escaped(each["arguments"])}}}</tool_call>'
        for each in functions
    ]
    return "\n".join(filter(None, (content_text(message), *blocks)))


def _escaped(arguments: str) -> str:
    return (arguments.strip() or "{}").replace("</", "<\\/")  # within JSON text the same
