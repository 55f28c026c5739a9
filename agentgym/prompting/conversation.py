"""One role's conversation in one episode, as messages and as token ids: the prompt of each turn.

The ids so far and the sampled ids are a prefix of the next prompt, or the prompt opens a new segment; sampled ids are
never tokenised again. Rendering is in `agentgym.prompting.renderer`.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import NamedTuple, Self

from agentgym.action import parse_text, to_message
from agentgym.errors import ContextOverflowError, ContractError
from agentgym.message import Message, ToolSchema
from agentgym.picture import PlacedPicture, placed_pictures
from agentgym.prompting.history import FullHistory, HistoryPolicy, with_note
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.shape import Shape


class Prompt(NamedTuple):
    """The prompt of a policy.

    Attributes:
        ids: The whole prompt.
        new_ids: The ids after the last sampled id; the whole prompt if a segment is opened.
        opens_segment: Whether the prompt does not extend the last one.
        pictures: The pictures in `ids`, in order.
        new_pictures: Those in `new_ids`, with their places there.
    """

    ids: list[int]
    new_ids: list[int]
    opens_segment: bool
    pictures: tuple[PlacedPicture, ...] = ()
    new_pictures: tuple[PlacedPicture, ...] = ()


class Conversation:
    """Messages and ids of one role in one episode: `observe`, `prompt`, `reply`, and again.

    Args:
        renderer: Renders for the policy's tokenizer.
        tools: Tools that the template presents.
        history: Which turns are left out of prompts.
        max_context: Most tokens of prompt and reply together; None for no limit.
        room: Tokens that a prompt must leave within `max_context` for the reply.

    Attributes:
        messages: All messages, including those that prompts leave out.
        renderer: Renders for the policy's tokenizer.
    """

    def __init__(
        self,
        renderer: ChatRenderer,
        tools: Sequence[ToolSchema] = (),
        history: HistoryPolicy | None = None,
        *,
        max_context: int | None = None,
        room: int = 0,
    ) -> None:
        self.messages: list[Message] = []
        self.renderer, self._tools = renderer, tools
        self._history: HistoryPolicy = history or FullHistory()
        self._max_context, self._room = max_context, room
        self._head: list[Message] = []
        self._turns: list[list[Message]] = []
        self._left_out = 0
        self._head_tokens = 0
        self._turn_tokens: list[int] = []
        self._ids: list[int] = []
        self._prompt: Prompt | None = None
        self._pictures: list[PlacedPicture] = []
        self._shown: tuple[PlacedPicture, ...] = ()
        self._shape = Shape()
        self._end: int | None = None
        self._has_sampled = False

    def observe(self, messages: Sequence[Message]) -> None:
        """Adds messages of the environment: first the system and user messages, later the answer to a reply."""
        self._pictures += placed_pictures(messages, len(self.messages))
        self.messages.extend(messages)
        (self._turns[-1] if self._turns else self._head).extend(messages)
        self._prompt = None

    def prompt(self) -> Prompt:
        """The prompt for the next reply; it is the same until something is observed.

        Raises:
            ContextOverflowError: It leaves less than `room` tokens within `max_context`.
            TemplateError: The template refuses these messages.
        """
        if self._prompt is None:
            self._prompt = self._next_prompt()
        needed = len(self._prompt.ids) + self._room
        if self._max_context is not None and needed > self._max_context:
            raise ContextOverflowError(
                f"the prompt has {len(self._prompt.ids)} tokens and the reply needs room for {self._room}, more than "
                f"the context of {self._max_context}; shorten observations, use TokenBudget or end the episode"
            )
        return self._prompt

    def reply(self, ids: Sequence[int], text: str, message: Message | None = None, cut: bool = False) -> None:
        """Adds the reply that the policy sampled for the last prompt.

        Args:
            ids: The sampled ids, with the end of turn if it was sampled.
            text: Their text.
            message: The reply as an assistant message; None to make it from the text.
            cut: Whether the reply ended for another reason than an end of turn.

        Raises:
            ContractError: No prompt was asked for.
        """
        if self._prompt is None:
            raise ContractError("a reply came without a prompt; call prompt() before each reply()")
        self._ids = [*self._prompt.ids, *ids]
        self._end = ids[-1] if ids and not cut and ids[-1] in self.renderer.stop_ids else None
        answer = message if message is not None else to_message(parse_text(text))
        self.messages.append(answer)
        self._turns.append([answer])
        self._turn_tokens.append(len(ids))
        self._prompt, self._has_sampled = None, True

    def fork(self) -> Self:
        """A copy that continues from here."""
        twin = copy.copy(self)
        twin._pictures = self._pictures.copy()
        twin.messages, twin._head, twin._turn_tokens = self.messages.copy(), self._head.copy(), self._turn_tokens.copy()
        twin._turns, twin._shape = [turn.copy() for turn in self._turns], copy.deepcopy(self._shape)
        return twin

    def _next_prompt(self) -> Prompt:
        new_ids = self._extension() if self._has_sampled else None
        self._has_sampled = False
        if new_ids is not None:
            self._turn_tokens[-1] += len(new_ids)
        left_out = self._turns_to_leave_out()
        if new_ids is not None and left_out == self._left_out:
            for message in self._turns[-1]:
                self._shape.add(message)
            fresh = self._placed(new_ids, self._pictures_from(len(self.messages) - len(self._turns[-1])))
            self._shown += tuple(place.moved(len(self._ids)) for place in fresh)
            return Prompt(self._ids + new_ids, new_ids, False, self._shown, fresh)
        ids = self._opening(left_out)
        first = len(self._head) + sum(map(len, self._turns[: self._left_out]))
        head = [place for place in self._pictures if place.message < len(self._head)]
        self._shown = self._placed(ids, head + self._pictures_from(first))
        return Prompt(ids, ids, True, self._shown, self._shown)

    def _pictures_from(self, first: int) -> list[PlacedPicture]:
        """The pictures of the messages from an index on."""
        return [place for place in self._pictures if place.message >= first]

    def _placed(self, ids: Sequence[int], pictures: Sequence[PlacedPicture]) -> tuple[PlacedPicture, ...]:
        """Pictures with the tokens that stand for them in rendered ids, where there is one for each."""
        if not pictures:
            return ()
        tokens = self.renderer.places_of_pictures(ids)
        if len(tokens) != len(pictures):
            return tuple(pictures)
        return tuple(place._replace(token=token) for place, token in zip(pictures, tokens, strict=True))

    def _opening(self, left_out: int) -> list[int]:
        """Ids of a new segment. The counts of tokens are set right by it, which may leave further turns out."""
        while True:
            self._left_out = left_out
            kept = self._kept()
            ids = self.renderer.render(kept, self._tools)
            if self._turns:
                earlier = self._head_tokens + sum(self._turn_tokens[left_out:-1])
                self._turn_tokens[-1] = max(0, len(ids) - earlier)
            else:
                self._head_tokens = len(ids)
            left_out = self._turns_to_leave_out()
            if left_out == self._left_out:
                self._shape = Shape(kept)
                return ids

    def _turns_to_leave_out(self) -> int:
        if not self._turns:
            return 0
        return self._history.left_out(self._head_tokens, self._turn_tokens, self._left_out)

    def _extension(self) -> list[int] | None:
        answer, *answered = self._turns[-1]
        return self.renderer.extension(self._shape, answer, answered, self._tools, end=self._end)

    def _kept(self) -> list[Message]:
        messages = with_note(self._head, self._left_out)
        for turn in self._turns[self._left_out :]:
            messages += turn
        return messages
