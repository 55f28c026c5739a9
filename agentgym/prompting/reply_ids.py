"""The token ids of replies that nobody sampled: what a template makes of a text, up to its end of turn.

Not here: prompts (`renderer`), replies that were sampled, whose ids are never computed again (`conversation`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from agentgym.action import parse_text, to_message
from agentgym.message import Message, ToolSchema
from agentgym.prompting.renderer import ChatRenderer
from agentgym.trajectory import Ids

_MAX_KNOWN = 65_536
_OPENING: list[Message] = [{"role": "user", "content": "Text"}]


def reply_ids(
    renderer: ChatRenderer,
    messages: Sequence[Message],
    prompt_ids: Sequence[int],
    reply: Message,
    tools: Sequence[ToolSchema] = (),
) -> list[int]:
    """What the template renders for a reply, up to and including its first end of turn.

    Args:
        renderer: Of the policy's tokenizer.
        messages: What the reply answers.
        prompt_ids: Their ids, the generation prompt included.
        reply: The reply.
        tools: Tools that the template presents.
    """
    ids = renderer.render([*messages, reply], tools, add_generation_prompt=False)
    shared = len(prompt_ids) if ids[: len(prompt_ids)] == list(prompt_ids) else _common_prefix(ids, prompt_ids)
    rest = ids[shared:]
    end = next((place for place, token in enumerate(rest) if token in renderer.stop_ids), len(rest) - 1)
    return rest[: end + 1]


def reply_renderer(renderer: ChatRenderer, tools: Sequence[ToolSchema] = ()) -> Callable[[Message], list[int]]:
    """`reply_ids` behind a short prompt, where a template makes the same of a reply as behind a whole conversation."""
    prompt_ids = renderer.render(_OPENING, tools)

    def render(reply: Message) -> list[int]:
        return reply_ids(renderer, _OPENING, prompt_ids, reply, tools)

    return render


class ActionIds:
    """The ids of listed actions, each rendered once: the same in every conversation.

    Args:
        renderer: Of the policy's tokenizer.
    """

    def __init__(self, renderer: ChatRenderer) -> None:
        self._render = reply_renderer(renderer)
        self._known: dict[str, Ids] = {}

    def __call__(self, text: str) -> Ids:
        """int32[K], at least one: the message and its end of turn."""
        known = self._known.get(text)
        if known is None:
            known = np.array(self._render(to_message(parse_text(text))), np.int32)
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[text] = known
        return known


def _common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    pairs = zip(first, second, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second)))
