"""Pictures in messages: stored once by content, referred to by hash.

Only data URLs in content parts are taken out; anything else stays in the message as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentgym.message import Message
from agentgym.picture import Image, data_url, read_image

SCHEME = "agentgym-image:"


def take_out(message: Message, found: dict[str, Image]) -> Message:
    """The message with its pictures replaced by references; the message itself where it has none.

    Args:
        message: A chat message.
        found: Receives the pictures by hash.
    """
    return _replace(message, lambda url: _to_reference(url, found))


def put_back(message: Message, image_of: Callable[[str], Image | None]) -> Message:
    """The inverse of `take_out`; `image_of` looks a hash up. References to unknown pictures stay."""
    return _replace(message, lambda url: _to_data_url(url, image_of))


def _replace(message: Message, swap: Callable[[str], str]) -> Message:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [_swap_part(part, swap) for part in content]}


def _swap_part(part: Any, swap: Callable[[str], str]) -> Any:
    if not isinstance(part, dict) or not isinstance(part.get("image_url"), dict):
        return part
    inner = part["image_url"]
    if not isinstance(inner.get("url"), str):
        return part
    return {**part, "image_url": {**inner, "url": swap(inner["url"])}}


def _to_reference(url: str, found: dict[str, Image]) -> str:
    image = read_image(url)
    if image is None:  # another address, or an unusual spelling, which could not be given back
        return url
    found[image.hash] = image
    return SCHEME + image.hash


def _to_data_url(url: str, image_of: Callable[[str], Image | None]) -> str:
    image = image_of(url.removeprefix(SCHEME)) if url.startswith(SCHEME) else None
    return url if image is None else data_url(image)
