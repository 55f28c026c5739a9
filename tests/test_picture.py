from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from agentgym.message import text_of, user
from agentgym.picture import has_picture, png_of, with_picture

PIXELS = np.arange(2 * 5 * 3, dtype=np.uint8).reshape(2, 5, 3)


def chunks_of(png):
    place = 8
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        content = png[place + 8 : place + 8 + length]
        assert struct.unpack(">I", png[place + 8 + length :][:4])[0] == zlib.crc32(kind + content)
        yield kind, content
        place += 12 + length


def test_png_holds_the_pixels_without_filters():
    png = png_of(PIXELS)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    (header, size), (kind, packed), (end, rest) = chunks_of(png)
    assert (header, kind, end, rest) == (b"IHDR", b"IDAT", b"IEND", b"")
    assert struct.unpack(">IIBBBBB", size) == (5, 2, 8, 2, 0, 0, 0)
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(2, 1 + 5 * 3)
    assert (lines[:, 0] == 0).all()
    assert np.array_equal(lines[:, 1:].reshape(2, 5, 3), PIXELS)


def test_message_with_a_picture_has_it_after_its_text():
    message = with_picture(user("See."), PIXELS)
    assert text_of([message]) == "See.\n[image]"
    url = message["content"][1]["image_url"]["url"]
    assert base64.b64decode(url.removeprefix("data:image/png;base64,")) == png_of(PIXELS)
    assert len(with_picture(message, PIXELS)["content"]) == 3


def test_messages_are_searched_for_pictures():
    assert has_picture([user("a"), with_picture(user("b"), PIXELS)])
    assert not has_picture([user("a"), {"role": "user", "content": [{"type": "text", "text": "b"}]}, {"role": "tool"}])
