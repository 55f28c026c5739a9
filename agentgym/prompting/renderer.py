"""Messages to token ids through a chat template, and what follows a sampled reply without rendering it again.

Sampled ids are never tokenised again. The history of one conversation is in `agentgym.prompting.conversation`; making
control tokens inert is in `agentgym.prompting.control`, finding where a template goes on in `agentgym.prompting.joint`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agentgym.errors import MissingExtraError, TemplateError
from agentgym.message import Message, ToolSchema, content_text
from agentgym.picture import is_picture
from agentgym.prompting.control import ControlTokens
from agentgym.prompting.joint import Joint, find_joint
from agentgym.prompting.picture_tokens import picture_tokens_of, with_picture_tokens
from agentgym.prompting.shape import ARGUMENT, CONTENT, Shape, form_of, stand_in_reply, stand_ins

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_MAX_JOINTS = 4096
_MAX_TOOL_LISTS = 256
_MAX_EXTENSIONS = 4096
_MAX_RENDERED = 1024
_MAX_KNOWN_TEXT = 2000
_Key = tuple[tuple[tuple[str, ...], ...], str, tuple[tuple[str, str], ...], tuple[str, ...], int]
_PROBE_TOOL: ToolSchema = {
    "type": "function",
    "function": {
        "name": "tool",
        "description": "A tool.",
        "parameters": {"type": "object", "properties": {"key": {"type": "string", "description": "A key."}}},
    },
}


class _Tools(NamedTuple):
    """A list of tools, its guarded form, and a number that it shares with equal lists."""

    given: Sequence[ToolSchema]
    guarded: list[ToolSchema] | None
    number: int


_NO_TOOLS = _Tools((), None, 0)


class ChatRenderer:
    """Renders conversations for one tokenizer.

    Args:
        tokenizer: A fast tokenizer with a chat template.
        template_kwargs: Further variables for the template, such as `{"enable_thinking": False}`.

    Raises:
        TemplateError: The tokenizer has no chat template, or one that cannot render a user and an assistant message.
        MissingExtraError: jinja2, which comes with the extra `train`, is not installed.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, *, template_kwargs: dict[str, Any] | None = None) -> None:
        try:
            import jinja2
        except ImportError:
            raise MissingExtraError("rendering of chat templates", "train") from None
        if not tokenizer.chat_template:
            raise TemplateError(
                f"the tokenizer {tokenizer.name_or_path or type(tokenizer).__name__!r} has no chat template, so it "
                "cannot render messages; use an instruction-tuned model or set tokenizer.chat_template"
            )
        if getattr(tokenizer, "backend_tokenizer", None) is None:
            raise TemplateError(
                "a fast tokenizer is needed; load it with AutoTokenizer or save a tokenizer.json for it"
            )
        self._failures = (jinja2.TemplateError, TypeError, KeyError, ValueError, AttributeError, IndexError)
        self._tokenizer = tokenizer
        self._kwargs = dict(template_kwargs or {})
        self._control = ControlTokens(tokenizer, str(tokenizer.chat_template))
        self._arguments_as_text = False
        self._pictures_as_image = self._parts_as_text = False
        self._content_as_parts = self._needs_parts()
        self.picture_id = self._find_picture_id()
        """Id that the template writes for a picture; None where it writes none."""
        self._count_picture_tokens = picture_tokens_of(tokenizer)
        self._parts_as_text = self.picture_id is None and not self._reads_pictures()
        self._joints: dict[_Key, Joint | None] = {}
        self._extensions: dict[tuple[_Key, int | None, tuple[tuple[str, ...], ...]], tuple[int, ...] | None] = {}
        self._rendered: dict[tuple[tuple[tuple[str, ...], ...], int, bool], tuple[int, ...]] = {}
        self._tools: dict[int, _Tools] = {}
        self._tool_numbers: dict[str, int] = {}
        self.control_ids = self._control.ids
        """Ids that only the template may write into a prompt."""
        self.stop_ids = self._find_stop_ids()
        """Ids at which a reply ends."""

    def render(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), add_generation_prompt: bool = True
    ) -> list[int]:
        """Ids of a whole conversation, control tokens inside its texts being spelt out.

        Args:
            messages: OpenAI chat messages.
            tools: Tools that the template shall present.
            add_generation_prompt: Whether the ids end where an assistant's reply begins.

        Raises:
            TemplateError: The template refuses these messages.
        """
        known = self._known_tools(tools)
        # The members of a group open alike.
        key = (tuple(map(_fields, messages)), known.number, add_generation_prompt)
        kept = self._rendered.get(key)
        if kept is not None:
            return list(kept)
        guarded = [self._control.guard(message) for message in messages]
        text = self._text(guarded, known.guarded, add_generation_prompt)
        ids = self._with_pictures(self._control.encode(text), messages)
        if len(self._rendered) >= _MAX_RENDERED:
            self._rendered.clear()
        if _num_chars(key[0]) <= _MAX_KNOWN_TEXT:
            self._rendered[key] = tuple(ids)
        return ids

    def drops_calls(self, tools: Sequence[ToolSchema]) -> bool:
        """Whether the template leaves tool calls of the assistant out of prompts.

        Raises:
            TemplateError: The template refuses tool calls.
        """
        calling = stand_in_reply(False, False, [("call_0", "tool")])
        messages: list[Message] = [{"role": "user", "content": "Text"}, calling]
        return ARGUMENT not in self._text(messages, self._known_tools(tools).guarded, add_generation_prompt=False)

    def extension(
        self,
        before: Sequence[Message] | Shape,
        reply: Message,
        new_messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        end: int | None,
    ) -> list[int] | None:
        """Ids that follow a sampled reply, up to and including the next generation prompt.

        Args:
            before: The messages that the reply answered, or their shape, which spares a walk through them.
            reply: The reply as a message; its texts play no part, only which parts it has.
            new_messages: What came after it.
            tools: Tools that the template presents.
            end: The end-of-turn id that the reply was sampled with; None where it was cut before one.

        Returns:
            The ids, beginning with the end of turn where none was sampled; None where the template would render the
            earlier part differently now, so that a new segment must be opened.
        """
        shape = before if isinstance(before, Shape) else Shape(before)
        calls = tuple((call["id"], call["function"]["name"]) for call in reply.get("tool_calls") or ())
        key = (shape.key(), form_of(reply), calls, tuple(map(form_of, new_messages)), self._known_tools(tools).number)
        known = (key, end, tuple(map(_fields, new_messages)))
        if known in self._extensions:
            kept = self._extensions[known]
            return None if kept is None else list(kept)
        ids = self._extend(key, shape, reply, new_messages, tools, end)
        if len(self._extensions) >= _MAX_EXTENSIONS:
            self._extensions.clear()
        if _num_chars(known[2]) <= _MAX_KNOWN_TEXT:
            self._extensions[known] = None if ids is None else tuple(ids)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Text of sampled ids, without the end of turn at its end."""
        kept = ids[:-1] if ids and ids[-1] in self.stop_ids else ids
        text = self._tokenizer.decode(list(kept), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return str(text)

    def _extend(
        self,
        key: _Key,
        shape: Shape,
        reply: Message,
        new_messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        end: int | None,
    ) -> list[int] | None:
        presented = self._known_tools(tools).guarded
        guarded = [self._control.guard(message) for message in new_messages]
        if key not in self._joints:
            if len(self._joints) >= _MAX_JOINTS:
                self._joints.clear()
            self._joints[key] = self._find_joint(shape, reply, guarded, presented)
        joint = self._joints[key]
        if joint is None or (end is not None and end != joint.end_id):
            return None
        text = self._text(joint.stand_ins + guarded, presented if joint.tools else None, add_generation_prompt=True)
        if not text.startswith(joint.head):
            return None
        ids = self._with_pictures(self._control.encode(joint.end + text[len(joint.head) :]), new_messages)
        return ids if end is None else ids[1:]

    def places_of_pictures(self, ids: Sequence[int]) -> list[int]:
        """Where the tokens of each picture begin in rendered ids.

        Args:
            ids: Of a prompt. Where a model reads several tokens for a picture, another one stands between two pictures.
        """
        is_one = self._count_picture_tokens is None
        found = [at for at, token in enumerate(ids) if token == self.picture_id]
        return [at for at in found if is_one or at == 0 or ids[at - 1] != self.picture_id]

    def _with_pictures(self, ids: list[int], messages: Sequence[Message]) -> list[int]:
        """Ids with as many tokens for each picture as the model reads; for a model of text the ids as they are."""
        count = self._count_picture_tokens
        return ids if count is None else with_picture_tokens(ids, messages, self.picture_id, count)

    def _text(self, messages: list[Message], tools: list[ToolSchema] | None, add_generation_prompt: bool) -> str:
        """Rendered text of guarded messages; templates that want arguments as text get them so."""
        try:
            return self._apply(messages, tools, add_generation_prompt)
        except self._failures as error:
            if not self._arguments_as_text and any("tool_calls" in message for message in messages):
                self._arguments_as_text = True
                try:
                    return self._apply(messages, tools, add_generation_prompt)
                except self._failures:
                    self._arguments_as_text = False
            roles = ", ".join(message["role"] for message in messages[:12])
            raise TemplateError(
                f"the chat template refuses a conversation of the roles {roles}"
                f"{' with tools' if tools else ''}: {error}; use a model whose template supports them"
            ) from error

    def _apply(self, messages: list[Message], tools: list[ToolSchema] | None, add_generation_prompt: bool) -> str:
        if self._arguments_as_text:
            messages = [_with_text_arguments(message) for message in messages]
        if self._content_as_parts:
            messages = [_with_parts(message) for message in messages]
        if self._parts_as_text:
            messages = [_with_text(message) for message in messages]
        if self._pictures_as_image:
            messages = [_with_images(message) for message in messages]
        text = self._tokenizer.apply_chat_template(
            messages,
            tools=tools,  # type: ignore[arg-type]  # list is invariant
            tokenize=False,
            add_generation_prompt=add_generation_prompt,
            **self._kwargs,
        )
        return str(text)

    def _needs_parts(self) -> bool:
        """Whether the template reads content in parts only, as those of vision models do."""
        asked: Message = {"role": "user", "content": CONTENT}
        self._content_as_parts = False
        try:
            if CONTENT in self._apply([asked], None, True):
                return False
        except self._failures:
            pass
        self._content_as_parts = True
        try:
            return CONTENT in self._apply([asked], None, True)
        except self._failures as error:
            raise TemplateError(
                f"the chat template cannot render a single user message: {error}; use an instruction-tuned model"
            ) from error

    def _find_picture_id(self) -> int | None:
        """The control token that the template writes for a picture; notes whether the part's type has to be `image`."""
        text = {"type": "text", "text": CONTENT}
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
        for self._pictures_as_image in (False, True):
            try:
                without, with_one = (
                    self._apply([{"role": "user", "content": content}], None, True)
                    for content in ([text], [text, picture])
                )
            except self._failures:
                continue
            new = [each for each in self._control.texts if with_one.count(each) == without.count(each) + 1]
            if new and CONTENT in with_one:
                named = [each for each in new if "image" in each.lower()]
                return self._control.texts[(named or new)[0]]
        self._pictures_as_image = False
        return None

    def _reads_pictures(self) -> bool:
        """Whether the template writes the text beside a picture, and not the picture's file."""
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
        try:
            text = self._apply([{"role": "user", "content": [{"type": "text", "text": CONTENT}, picture]}], None, True)
        except self._failures:
            return False
        return CONTENT in text and picture["image_url"]["url"] not in text  # type: ignore[index]  # a dict

    def _known_tools(self, tools: Sequence[ToolSchema]) -> _Tools:
        """The guarded form of a list of tools, kept by the list's identity; equal lists share their number."""
        if not tools:
            return _NO_TOOLS
        known = self._tools.get(id(tools))
        if known is None:
            guarded = self._control.guard_value(list(tools))
            number = self._tool_numbers.setdefault(json.dumps(guarded, sort_keys=True), len(self._tool_numbers) + 1)
            if len(self._tools) >= _MAX_TOOL_LISTS:
                self._tools.clear()
            known = self._tools[id(tools)] = _Tools(tools, guarded, number)
        return known

    def _find_joint(
        self, shape: Shape, reply: Message, new_messages: list[Message], tools: list[ToolSchema] | None
    ) -> Joint | None:
        guarded = self._control.guard(reply)
        return find_joint(self._text, self._control, stand_ins(shape.key()), guarded, new_messages, tools)

    def _find_stop_ids(self) -> frozenset[int]:
        """The end-of-text id, and those that end a stand-in reply and a stand-in tool call."""
        stops = set() if self._tokenizer.eos_token_id is None else {int(self._tokenizer.eos_token_id)}
        asked: Message = {"role": "user", "content": "Text"}
        result: Message = {"role": "tool", "name": "tool", "tool_call_id": "call_0", "content": "Text"}
        answer = stand_in_reply(False, True, ())
        calling = stand_in_reply(False, False, [("call_0", "tool")])
        for reply, after, tools in ((answer, asked, None), (calling, result, [_PROBE_TOOL])):
            try:
                joint = self._find_joint(Shape([asked]), reply, [after], tools)
            except TemplateError:
                joint = None
            if joint is not None:
                stops.add(joint.end_id)
            elif reply is answer:
                alone = self._text([asked, answer], None, add_generation_prompt=False)
                end = self._control.special_pattern.search(alone, max(alone.find(CONTENT), 0))
                stops |= {self._control.texts[end[0]]} if end else set()
        return frozenset(stops)


def _fields(message: Message) -> tuple[str, ...]:
    """All that a message says, as a key; told apart from other messages of the same fields by their names."""
    return tuple(
        f"{name} {value!r}" if type(value) is not str else f"{name}:{value}" for name, value in message.items()
    )


def _num_chars(messages: tuple[tuple[str, ...], ...]) -> int:
    return sum(len(field) for fields in messages for field in fields)


def _with_text_arguments(message: Message) -> Message:
    if "tool_calls" not in message:
        return message
    calls = []
    for call in message["tool_calls"]:
        function = call["function"]
        arguments = function["arguments"]
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        calls.append({**call, "function": {**function, "arguments": arguments}})
    return {**message, "tool_calls": calls}


def _with_text(message: Message) -> Message:
    return {**message, "content": content_text(message)} if isinstance(message.get("content"), list) else message


def _with_images(message: Message) -> Message:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [{**part, "type": "image"} if is_picture(part) else part for part in content]}


def _with_parts(message: Message) -> Message:
    content = message.get("content")
    if not isinstance(content, str):
        return message
    return {**message, "content": [{"type": "text", "text": content}] if content else []}
