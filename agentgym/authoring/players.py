"""Scripted players that know no environment: they say fixed texts or tool calls, or play at one fixed quality.

Players that know an environment are in its own `scripts` module; cheats are in `cheats`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task

_as_json = json.JSONEncoder(ensure_ascii=False).encode


def call_text(name: str, /, **arguments: Any) -> str:
    """The text of a message with one tool call.

    Args:
        name: Name of the tool.
        arguments: Its arguments; values that JSON has.
    """
    return f"<tool_call>{_as_json({'name': name, 'arguments': arguments})}</tool_call>"


def said_in(messages: Sequence[Message]) -> list[str]:
    """What the agent said in a conversation, by whatever player: a script that may be put into it halfway follows it.

    Args:
        messages: The conversation so far.
    """
    return [content_text(message) for message in messages if message["role"] == "assistant"]


class Saying:
    """Says its lines in order, whatever the answers, and then the last one again and again.

    Args:
        lines: At least one text.
    """

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    def act(self, messages: Sequence[Message]) -> str:
        """The next line."""
        return self._lines.pop(0) if len(self._lines) > 1 else self._lines[0]


def saying(*lines: str) -> ScriptFactory:
    """A factory of scripts that say the lines as `Saying` does."""

    def factory(task: Task, seed: int) -> Saying:
        return Saying(*lines)

    return factory


def at_quality(demonstrator: Callable[[Task, int, float], Script], quality: float) -> ScriptFactory:
    """A factory of demonstrators of one quality, which users cannot change.

    Args:
        demonstrator: Makes a demonstrator from its task, seed and quality.
        quality: The quality, such as 1 for an oracle and 0 for a random player.
    """
    return partial(_play_at, demonstrator, quality)


def _play_at(demonstrator: Callable[[Task, int, float], Script], quality: float, task: Task, seed: int) -> Script:
    return demonstrator(task, seed, quality)
