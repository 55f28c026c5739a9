"""Where a chat template goes on after a reply, and whether it leaves what came before as it was.

Found by rendering stand-ins whose texts are marks; the ids of what follows are made in `agentgym.prompting.renderer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple, Protocol

from agentgym.message import Message, ToolSchema
from agentgym.prompting.control import ControlTokens
from agentgym.prompting.shape import ARGUMENT, CONTENT, REASONING, stand_in_reply


class RenderText(Protocol):
    """Renders guarded messages to text."""

    def __call__(self, messages: list[Message], tools: list[ToolSchema] | None, add_generation_prompt: bool) -> str:
        """The text of a conversation, up to a generation prompt if asked for."""
        ...


class Joint(NamedTuple):
    """How a template goes on after a reply of one shape.

    Attributes:
        stand_ins: Messages up to and including the reply.
        head: Rendered text up to and including the end of the reply's turn.
        end: Text of the control token that ends the reply.
        end_id: Its id.
        tools: Whether rendering needs the tools for what follows.
    """

    stand_ins: list[Message]
    head: str
    end: str
    end_id: int
    tools: bool


def find_joint(
    render: RenderText,
    control: ControlTokens,
    before: Sequence[Message],
    reply: Message,
    new_messages: list[Message],
    tools: list[ToolSchema] | None,
) -> Joint | None:
    """Renders a stand-in reply with and without what follows it.

    Args:
        render: The template.
        control: Control tokens of the tokenizer; the special ones can end a reply.
        before: Stand-ins of the messages that the reply answered.
        reply: The guarded reply; only which parts it has, and ids and names of its calls, play a part.
        new_messages: The guarded messages that came after it.
        tools: The guarded tools.

    Returns:
        None where the prompt before the reply is no prefix any more, a part of the reply vanished, or no special token
        ends it.

    Raises:
        TemplateError: The template refuses these messages.
    """
    calls = [(call["id"], call["function"]["name"]) for call in reply.get("tool_calls", ())]
    answer = stand_in_reply(bool(reply.get("reasoning_content")), bool(reply.get("content")), calls)
    messages = [*before, answer]
    prompt = render(list(before), tools, add_generation_prompt=True)
    alone = render(messages, tools, add_generation_prompt=False)
    text = render(messages + new_messages, tools, add_generation_prompt=True)
    ending = _reply_end(text, len(prompt), answer)
    if ending is None or not text.startswith(prompt):
        return None
    alone_ending = _reply_end(alone, _shared(alone, prompt), answer)
    shared = 0 if alone_ending is None else _shared(alone[alone_ending:], text[ending:])
    ends = [*control.special_pattern.finditer(text, ending, ending + shared)][-1:]
    end = ends[0] if ends else control.special_pattern.search(text, ending)
    if end is None:
        return None
    end_id, rest = control.texts[end[0]], text[end.end() :]
    if tools:
        bare = render(messages + new_messages, None, add_generation_prompt=True)
        if bare.endswith(end[0] + rest):
            return Joint(messages, bare[: len(bare) - len(rest)], end[0], end_id, tools=False)
    return Joint(messages, text[: end.end()], end[0], end_id, tools=bool(tools))


def _reply_end(text: str, start: int, reply: Message) -> int | None:
    """Where the last part of a stand-in reply ends in a rendered text; None where a part is missing."""
    position = start
    for part in [CONTENT] * bool(reply["content"]) + [REASONING] * ("reasoning_content" in reply):
        found = text.find(part, start)
        if found < 0:
            return None
        position = max(position, found + len(part))
    for _ in reply.get("tool_calls", ()):
        found = text.find(ARGUMENT, position)
        if found < 0:
            return None
        position = found + len(ARGUMENT)
    return position


def _shared(first: str, second: str) -> int:
    """Number of characters that two texts share at their beginnings."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
