"""How many tokens of a prompt stand for a picture, for models that see.

A chat template writes one token for a picture; a model reads as many as it makes of the pixels. Who loads such a model
says how many, and renderers of its tokenizer repeat the token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from agentgym.errors import TemplateError
from agentgym.message import Message
from agentgym.picture import pictures_in, url_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

CountTokens = Callable[[str], int]
"""Data URL of a picture -> number of tokens."""

_COUNTS: WeakKeyDictionary[Any, CountTokens] = WeakKeyDictionary()


def count_picture_tokens_with(tokenizer: PreTrainedTokenizerFast, count: CountTokens) -> None:
    """Say how many tokens a tokenizer's model reads for a picture.

    Args:
        tokenizer: Of a model that sees.
        count: Counts the tokens of a picture.
    """
    _COUNTS[tokenizer] = count


def picture_tokens_of(tokenizer: PreTrainedTokenizerFast) -> CountTokens | None:
    """What counts the tokens of a picture; None for the tokenizer of a model that reads text alone."""
    return _COUNTS.get(tokenizer)


def with_picture_tokens(
    ids: Sequence[int], messages: Sequence[Message], picture_id: int | None, count: CountTokens
) -> list[int]:
    """Ids in which the token of each picture is repeated as often as the model reads it.

    Args:
        ids: As the template writes them, with one token for each picture.
        messages: What was rendered.
        picture_id: The token that stands for a picture.
        count: Counts the tokens of a picture.

    Raises:
        TemplateError: The template does not write one token for each picture.
    """
    urls = list(_urls(messages))
    written = 0 if picture_id is None else list(ids).count(picture_id)
    if written != len(urls):
        raise TemplateError(
            f"the chat template writes {written} tokens for {len(urls)} pictures; expected one for each: use the "
            "template that the model was trained with"
        )
    sizes = iter([count(url) for url in urls])
    return [token for each in ids for token in ([each] * next(sizes) if each == picture_id else (each,))]


def _urls(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        yield from (url_of(part) for _, part in pictures_in(message))
