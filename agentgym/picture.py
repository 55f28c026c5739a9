"""Pictures in messages: pixels as a PNG file in a data URL beside the text.

What is on them is the business of environments; storing them once is that of `agentgym.store.images`.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agentgym.message import Message


def with_picture(message: Message, pixels: NDArray[np.uint8]) -> Message:
    """The message with a picture after what it says, in OpenAI's content parts.

    Args:
        message: A message of text, or of parts.
        pixels: uint8[H, W, 3].
    """
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    url = f"data:image/png;base64,{base64.b64encode(png_of(pixels)).decode()}"
    return {**message, "content": [*parts, {"type": "image_url", "image_url": {"url": url}}]}


def has_picture(messages: Sequence[Message]) -> bool:
    """Whether one of some messages has a picture among its parts."""
    contents = [content for message in messages if isinstance(content := message.get("content"), list)]
    return any(part.get("type") == "image_url" for content in contents for part in content)


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file (ISO/IEC 15948) of pixels, uint8[H, W, 3], without filters."""
    height, width, _ = pixels.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
