"""Games in which roles speak and call tools, each role its own.

Turns and limits are those of `GameEnv`. A subclass says what messages without calls do.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence

from agentgym.action import Action, ToolCall, parse_text, split_reasoning
from agentgym.env import require_events, wrong_return
from agentgym.errors import ActionSyntaxError
from agentgym.game import GameEnv, GameReply
from agentgym.message import Message, ToolSchema, user
from agentgym.reward import RewardEvent
from agentgym.tools.dispatch import as_tool_messages, parse_calls, run_calls, run_tool

_CALL = re.compile(r"\s*+(?:```\w*+\s*+)?+\[?+\s*+(?:\{|[A-Za-z_]\w*+\()")
"""How a call begins. Each repetition keeps what it took: a message of blanks is read once."""


class ToolGame(GameEnv):
    """A game whose roles may have tools: a message either calls tools or is said to the others.

    A subclass sets `tools` by role, such as `tools = {"agent": [search, refund], "user": [restart]}` with methods that
    `@tool` decorates, and writes `say`. The results of calls go to the role that made them, and it acts again until it
    speaks, unless a tool or `after_calls` sets `acting_role`. Each message with calls is a turn of the role. Nobody
    reads the text beside calls in a message.
    """

    max_calls: int = 8
    """Calls of one message that are carried out; further calls get an answer but are not run."""

    @abstractmethod
    def say(self, role: str, action: Action) -> GameReply:
        """Play a message without calls, `action.content`, and set `acting_role` to the next one.

        Raises:
            ActionSyntaxError: It is invalid; the same role acts again.
        """

    def call(self, role: str, call: ToolCall) -> GameReply:
        """Carry out one call of a role; the text of the reply for this role becomes the tool message.

        By default, it calls the decorated function; a text that the function returns is the answer.
        """
        answer = run_tool(self.tools.get(role, ()), call, self, GameReply)
        return GameReply({role: [user(answer)]}) if isinstance(answer, str) else answer

    def after_calls(self, role: str) -> None:
        """Set `acting_role` after a message of calls; by default the role acts again."""

    def parse(self, role: str, text: str) -> Action:
        """Calls of the role's tools, or what it says.

        Raises:
            ActionSyntaxError: The message begins like a call or contains `<tool_call>`, but cannot be read as a call.
        """
        return calls_or_words(text, self.tools.get(role, ()))

    def respond(self, role: str, action: Action) -> GameReply:
        """Carry out the calls of one message until one ends the game, or play a message without calls."""
        if not action.tool_calls:
            return self.say(role, action)
        inbox: dict[str, list[Message]] = {role: []}
        events: list[RewardEvent] = []
        for call, answer in run_calls(action.tool_calls, self.max_calls, lambda call: self._answer(role, call)):
            if isinstance(answer, dict):
                inbox[role].append(answer)
                continue
            for told, messages in answer.inbox.items():
                inbox.setdefault(told, []).extend(as_tool_messages(call, messages) if told == role else messages)
            events += answer.events
            if answer.is_over:
                return GameReply(inbox, events, True, answer.successes, answer.scores)
        self.after_calls(role)
        return GameReply(inbox, events)

    def _answer(self, role: str, call: ToolCall) -> GameReply:
        reply = self.call(role, call)
        if not isinstance(reply, GameReply):
            raise wrong_return(self.call, reply, "an agentgym.GameReply")
        require_events(reply.events, self.call)
        return reply


def calls_or_words(text: str, tools: Sequence[ToolSchema]) -> Action:
    """A message as calls of tools, or as what is said if it holds none.

    Raises:
        ActionSyntaxError: The message begins like a call or contains `<tool_call>`, but cannot be read as a call.
    """
    if not tools:
        return parse_text(text)
    try:
        return parse_calls(text, tools)
    except ActionSyntaxError:
        body, _ = split_reasoning(text)
        if "<tool_call>" in body or _CALL.match(body):
            raise
        return parse_text(text)
