"""Control tokens inside texts made inert: a page that contains a role marker must not open a role (trap D-36).

Before rendering, each control token inside a text is replaced by one private-use character that no tokenizer takes for
a marker and no template reacts to; after rendering these characters are spelt in ordinary tokens. Rendering itself is
in `agentgym.prompting.renderer`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agentgym.errors import TemplateError
from agentgym.message import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_BASE = 0x100000
_ESCAPE = chr(0x10FFFD)


class ControlTokens:
    """The control tokens of a tokenizer: guards texts against them and encodes what was guarded.

    Control tokens are all special tokens, and the further added tokens that the chat template writes.

    Args:
        tokenizer: A fast tokenizer with a chat template.
        template: The template's source.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, template: str) -> None:
        added = {
            token_id: token
            for token_id, token in tokenizer.added_tokens_decoder.items()
            if token.content.strip() and (token.special or token.content in template)
        }
        self.ids = frozenset(added)
        """Ids that only a template may write into a prompt."""
        self.texts = {token.content: token_id for token_id, token in added.items()}
        """Id of each control token by its text."""
        special = [token.content for token in added.values() if token.special]
        self.special_pattern = _alternation(special)
        self._standing = {text: chr(_BASE + index) for index, text in enumerate(self.texts)}
        reserved = f"[{chr(_BASE)}-{chr(_BASE + len(self.texts))}{_ESCAPE}]"
        self._all = re.compile(f"{_alternation(self.texts).pattern}|{reserved}")
        self._special = re.compile(f"{self.special_pattern.pattern}|{reserved}")
        self._guarded = re.compile(f"{_ESCAPE}(?s:(.))|({reserved})")
        self._tokenizer, self._backend = tokenizer, tokenizer.backend_tokenizer
        self._normalizer = self._backend.normalizer
        anchors = [token.content for token in added.values() if not token.rstrip]
        self._anchor = anchors[0] if anchors else ""
        self._spelt: dict[str, list[int]] = {}

    def guard(self, message: Message) -> Message:
        """A copy of a message in which control tokens are stand-ins and tool arguments are objects.

        What an assistant writes outside tool calls keeps markup that is no special token, such as think tags, for the
        template to read.
        """
        assistant = message["role"] == "assistant"
        guarded: Message = {}
        for key, value in message.items():
            if key == "role":
                guarded[key] = value
            elif key == "tool_calls" and assistant:
                guarded[key] = [self._guard_call(call) for call in value or ()]
            else:
                guarded[key] = self.guard_value(value, self._special if assistant else self._all)
        if not guarded.get("tool_calls", True):
            del guarded["tool_calls"]
        return guarded

    def guard_value(self, value: Any, pattern: re.Pattern[str] | None = None) -> Any:
        """A JSON value in whose texts, keys included, control tokens are replaced by stand-ins."""
        if isinstance(value, str):
            return self._guard_text(value, pattern or self._all)
        if isinstance(value, dict):
            return {self.guard_value(key, pattern): self.guard_value(item, pattern) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.guard_value(item, pattern) for item in value]
        return value

    def encode(self, text: str) -> list[int]:
        """Ids of a rendered text: control tokens that the template wrote as such, guarded ones spelt out."""
        if text.isascii() or not self._guarded.search(text):
            return self._encode_plain(text)
        ids: list[int] = []
        plain, position = "", 0
        for match in self._guarded.finditer(text):
            plain += text[position : match.start()] + (match[1] or "")
            position = match.end()
            if match[2] and match[2] in self._standing.values():
                ids += self._encode_after(plain, bool(ids)) + self._spell(match[2])
                plain = ""
        return ids + self._encode_after(plain + text[position:], bool(ids))

    def _guard_call(self, call: dict[str, Any]) -> dict[str, Any]:
        function = dict(call.get("function", call))
        arguments = function.get("arguments", {})
        if isinstance(arguments, str):
            try:
                function["arguments"] = json.loads(arguments)
            except ValueError:
                function["arguments"] = {"": arguments}
        guarded = self.guard_value(function)
        return {"id": self.guard_value(call.get("id", "call_0")), "type": "function", "function": guarded}

    def _guard_text(self, text: str, pattern: re.Pattern[str]) -> str:
        if not text.isascii():
            text = _without_surrogates(text)
            normal = text if self._normalizer is None else self._normalizer.normalize_str(text)
            if normal != text and len(pattern.findall(normal)) > len(pattern.findall(text)):
                text = normal
        if not pattern.search(text):
            return text
        return pattern.sub(lambda match: self._standing.get(match[0]) or _ESCAPE + match[0], text)

    def _encode_plain(self, text: str) -> list[int]:
        if self._backend.padding is not None or self._backend.truncation is not None:
            ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False)
            return ids
        return list(self._backend.encode(text, add_special_tokens=False).ids)

    def _encode_after(self, text: str, follows: bool) -> list[int]:
        """Ids of a text that follows other ids: no space is put before it as at the start of a text."""
        if not text or not follows or not self._anchor:
            return self._encode_plain(text) if text else []
        return self._encode_plain(self._anchor + text)[1:]

    def _spell(self, stand_in: str) -> list[int]:
        """Ordinary ids that spell a control token."""
        if stand_in not in self._spelt:
            text = list(self._standing)[ord(stand_in) - _BASE]
            whole: Callable[[str], list[int]] = lambda part: self._encode_after(part, follows=True)  # noqa: E731
            for parts in ((text[:1], text[1:]), (text[:2], text[2:]), tuple(text)):
                ids = [token_id for part in parts for token_id in whole(part)]
                if self.ids.isdisjoint(ids):
                    break
            else:
                raise TemplateError(
                    f"the control token {text!r} cannot be spelt in ordinary tokens of this tokenizer, so texts that "
                    "contain it cannot be made inert; use another tokenizer"
                )
            self._spelt[stand_in] = ids
        return self._spelt[stand_in]


def _without_surrogates(text: str) -> str:
    """The text with each half of a surrogate pair, which no tokenizer takes, as a question mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _alternation(texts: Any) -> re.Pattern[str]:
    longest_first = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
