"""Pictures in messages: a PNG file in a data URL beside the text, and the place of each in a conversation.

Environments decide what the pictures show; `agentgym.store.images` stores each of them once.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym.message import Message


class Image(NamedTuple):
    """A picture as a file: hash of its media type and bytes, media type such as "image/png", bytes."""

    hash: str
    media_type: str
    content: bytes


class PlacedPicture(NamedTuple):
    """The place of a picture in a conversation.

    Attributes:
        hash: The picture's hash, as in `Image.hash`; "" if the message has an address instead of the pixels.
        message: Index of its message in the role's conversation, the role's own messages included.
        part: Index of the content part in that message.
        token: Index of the token that stands for it: in a request of `prompt_ids`, in a turn of its `prompt_ids`, in a
            segment of `tokens`. -1 if there are no tokens, or if the chat template writes none for it.
    """

    hash: str
    message: int
    part: int
    token: int = -1

    def moved(self, by: int) -> PlacedPicture:
        """The same picture with its token index moved by this number."""
        return self if self.token < 0 else self._replace(token=self.token + by)


def placed_pictures(messages: Sequence[Message], start: int = 0) -> list[PlacedPicture]:
    """The pictures of messages in order, without tokens.

    Args:
        messages: Some of a conversation.
        start: Index of the first of them in the conversation.
    """
    return [
        PlacedPicture(_hash_of(url_of(part)), index, number)
        for index, message in enumerate(messages, start)
        for number, part in pictures_in(message)
    ]


def hashed_urls(messages: Iterable[Message]) -> Iterator[tuple[str, str]]:
    """The hash and the data URL of each picture in messages, in order; pictures at another address are left out.

    Args:
        messages: Some of a conversation.
    """
    for message in messages:
        for _, part in pictures_in(message):
            if found := _hash_of(url_of(part)):
                yield found, url_of(part)


def pictures_in(message: Message) -> list[tuple[int, Message]]:
    """The content parts of a message that are pictures, each with its index."""
    content = message.get("content")
    return (
        [(number, part) for number, part in enumerate(content) if is_picture(part)] if isinstance(content, list) else []
    )


def is_picture(part: object) -> bool:
    """Whether a content part is a picture, as pixels or as an address."""
    return isinstance(part, dict) and part.get("type") == "image_url"


def read_image(url: str) -> Image | None:
    """The picture of a data URL; None for another address, or for one that `data_url` would write differently."""
    head, marker, payload = url.partition(";base64,")
    if not marker or not head.startswith("data:image/"):
        return None
    try:
        content = base64.b64decode(payload, validate=True)
    except (binascii.Error, ValueError):
        return None
    if base64.b64encode(content).decode() != payload:
        return None
    return image_file(head.removeprefix("data:"), content)


def image_file(media_type: str, content: bytes) -> Image:
    """A picture with its hash.

    Args:
        media_type: Such as "image/png".
        content: The file's bytes, such as `png_of` makes them.
    """
    return Image(hashlib.sha256(media_type.encode() + b"\0" + content).hexdigest(), media_type, content)


def data_url(image: Image) -> str:
    """The data URL of a picture."""
    return f"data:{image.media_type};base64,{base64.b64encode(image.content).decode()}"


def with_picture(message: Message, pixels: NDArray[np.uint8]) -> Message:
    """The message with a picture after its text, in OpenAI's content parts.

    Args:
        message: A message of text, or of parts.
        pixels: uint8[H, W, 3].
    """
    return with_pictures(message, [f"data:image/png;base64,{base64.b64encode(png_of(pixels)).decode()}"])


def with_pictures(message: Message, urls: Sequence[str]) -> Message:
    """The message with pictures after its text, in OpenAI's content parts; without any, the message as it is.

    Args:
        message: A message of text, or of parts.
        urls: Data URLs.
    """
    if not urls:
        return message
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {**message, "content": [*parts, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]}


def has_picture(messages: Sequence[Message]) -> bool:
    """Whether one of some messages has a picture among its parts."""
    return any(pictures_in(message) for message in messages)


def url_of(part: Message) -> str:
    """The address in a picture's content part, which is a data URL if the part holds the pixels; "" without one."""
    inner = part.get("image_url")
    url = inner.get("url") if isinstance(inner, dict) else None
    return url if isinstance(url, str) else ""


@lru_cache(maxsize=64)
def _hash_of(url: str) -> str:
    """Hash of a data URL's picture; the same screen often comes several times in a row."""
    image = read_image(url)
    return "" if image is None else image.hash


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file (ISO/IEC 15948) of pixels, uint8[H, W, 3], without filters."""
    height, width, _ = pixels.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
