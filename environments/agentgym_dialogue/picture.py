"""Pictures in messages: pixels as a PNG file in a data URL beside the text.

What is drawn is the business of the games.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from agentgym.message import Message


def with_picture(text: str, pixels: NDArray[np.uint8]) -> Message:
    """A user message of a text and a picture, in OpenAI's content parts.

    Args:
        text: The text.
        pixels: uint8[H, W, 3].
    """
    url = f"data:image/png;base64,{base64.b64encode(png_of(pixels)).decode()}"
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
    return {"role": "user", "content": parts}


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file (ISO/IEC 15948) of pixels, uint8[H, W, 3], without filters."""
    height, width, _ = pixels.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
