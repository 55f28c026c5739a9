"""Pictures of recorded screens, as they lie on disk: PNG, JPEG or WebP, sent as they are.

A file that is missing, too large or no picture is none.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from agentgym.picture import data_url, image_file

MAX_BYTES = 32 << 20
"""Largest picture that is read."""
_MARKS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"RIFF", "image/webp"))


class Picture(NamedTuple):
    """A picture as a message shows it.

    Attributes:
        url: Its data URL.
        size: Width and height in pixels; None where only a PNG would say.
    """

    url: str
    size: tuple[int, int] | None


@lru_cache(maxsize=16)
def read_picture(path: Path) -> Picture | None:
    """The picture of a file; None if there is none."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    kind = next((kind for mark, kind in _MARKS if content.startswith(mark)), None)
    if kind is None or (kind == "image/webp" and content[8:12] != b"WEBP"):
        return None
    size = None
    if kind == "image/png" and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        size = (width, height) if width and height else None
    return Picture(data_url(image_file(kind, content)), size)
