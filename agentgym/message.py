"""Chat messages in the OpenAI form, and their flat text view.

Rendering to token ids lives in `agentgym.prompting`; parsing of actions in `agentgym.action`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]
"""One chat message: `role`, `content` (text or content parts), optionally `name`, `tool_calls`, `tool_call_id`."""

ToolSchema = dict[str, Any]
"""One tool in OpenAI's form: `{"type": "function", "function": {"name", "description", "parameters"}}`."""


def system(content: str) -> Message:
    """A system message."""
    return {"role": "system", "content": content}


def user(content: str) -> Message:
    """A user message: what environments say outside tool results."""
    return {"role": "user", "content": content}


def tool_result(call_id: str, name: str, content: str) -> Message:
    """The result of one tool call, tied to it by `call_id`."""
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}


def content_text(message: Message) -> str:
    """The text of one message; image parts read as `[image]`."""
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] if part.get("type") == "text" else "[image]" for part in content)


def with_text(message: Message, text: str) -> Message:
    """The message with a text behind its content, an empty line between the two."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return {**message, "content": f"{content}\n\n{text}" if content else text}
    return {**message, "content": [*content, {"type": "text", "text": f"\n\n{text}"}]}


def text_of(messages: Sequence[Message]) -> str:
    """The flat view of messages that observations carry: their texts, one after another."""
    if len(messages) == 1:  # the short way of most steps
        content = messages[0].get("content")
        if isinstance(content, str):
            return content
    return "\n".join(content_text(message) for message in messages)
