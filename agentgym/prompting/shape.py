"""The shape of a conversation: what a chat template can tell apart without reading the texts.

Stand-in messages of the same shape let a template be asked what follows a reply at a cost that does not grow with the
conversation. No rendering here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentgym.message import Message

CONTENT, REASONING, ARGUMENT = "Content7Q", "Reasoning7Q", "Argument7Q"
"""Marks whose places in a rendered stand-in reply say where it ends and whether the template kept its parts."""


def form_of(message: Message) -> str:
    """What a template can tell of one message: its role and, of an assistant's, which parts it has."""
    role: str = message["role"]
    if role != "assistant":
        return role
    reasoning, content = bool(message.get("reasoning_content")), bool(message.get("content"))
    return f"assistant {reasoning:d} {content:d} {len(message.get('tool_calls') or ())}"


class Shape:
    """The forms of a conversation's messages, each turn's pattern once, in the order in which they last occurred."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._turns: dict[tuple[str, ...], None] = {}
        self._current: tuple[str, ...] = ()
        for message in messages:
            self.add(message)

    def add(self, message: Message) -> None:
        """Appends one message."""
        form = form_of(message)
        if form[0] == "a" and form.startswith("assistant") and self._current:
            self._close()
        if len(self._current) < 8:
            self._current = (*self._current, form)

    def _close(self) -> None:
        if self._turns:
            self._turns.pop(self._current, None)
        self._turns[self._current] = None
        self._current = ()

    def key(self) -> tuple[tuple[str, ...], ...]:
        """The shape as a hashable value."""
        return (*self._turns, self._current)


def stand_ins(key: tuple[tuple[str, ...], ...]) -> list[Message]:
    """Short messages of the shape with that key."""
    messages: list[Message] = []
    for turn in key:
        pending: list[str] = []
        for form in turn:
            message = _stand_in(form)
            if form == "tool":
                message["tool_call_id"] = pending.pop(0) if pending else "call_0"
            pending = [call["id"] for call in message["tool_calls"]] if "tool_calls" in message else pending
            messages.append(message)
    return messages


def _stand_in(form: str) -> Message:
    if not form.startswith("assistant "):
        return {"role": form, "content": "Text", **({"name": "tool"} if form == "tool" else {})}
    _, reasoning, content, calls = form.split()
    named = [(f"call_{index}", "tool") for index in range(min(int(calls), 4))]
    return stand_in_reply(reasoning == "1", content == "1", named, marks=("Thought", "Text", "Value"))


def stand_in_reply(
    reasoning: bool,
    content: bool,
    calls: Iterable[tuple[str, str]],
    marks: tuple[str, str, str] = (REASONING, CONTENT, ARGUMENT),
) -> Message:
    """A short assistant message with the given parts, its texts being marks.

    Args:
        reasoning: Whether it has reasoning.
        content: Whether it has content.
        calls: Id and tool name of each tool call.
        marks: Texts of reasoning, content and arguments.
    """
    message: Message = {"role": "assistant", "content": marks[1] if content else ""}
    if reasoning:
        message["reasoning_content"] = marks[0]
    tool_calls: list[dict[str, Any]] = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": {"key": marks[2]}}}
        for call_id, name in calls
    ]
    if tool_calls:
        message["tool_calls"] = tool_calls
    return message
