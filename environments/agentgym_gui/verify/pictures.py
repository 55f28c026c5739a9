"""Pictures: format, size and pixels, with a limit on pixels that is checked before any is unpacked."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import PIL.Image
from PIL.Image import Image

from agentgym_gui.verify.reading import UnreadableFileError

MAX_PIXELS = 16_000_000
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")


def opened(content: bytes) -> Image:
    """A picture, unpacked.

    Raises:
        UnreadableFileError: It is no picture of a known format, broken, or has too many pixels.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large pictures; the limit here is lower
            picture = PIL.Image.open(io.BytesIO(content), formats=FORMATS)
            if picture.width * picture.height > MAX_PIXELS:
                raise UnreadableFileError(f"a picture of {picture.width}x{picture.height}, over {MAX_PIXELS} pixels")
            picture.load()
    except UnreadableFileError:
        raise
    except Exception as error:
        raise UnreadableFileError(f"no picture that can be read: {type(error).__name__}: {error}") from error
    return picture


def facts(content: bytes) -> dict[str, Any]:
    """What is said of a picture without its pixels: `format`, `width`, `height`, `mode`."""
    picture = opened(content)
    return {"format": picture.format, "width": picture.width, "height": picture.height, "mode": picture.mode}


def mean_difference(first: bytes, second: bytes) -> float:
    """How far two pictures lie apart, 0 to 255 a channel on average; those of different sizes lie 255 apart."""
    one, other = opened(first).convert("RGB"), opened(second).convert("RGB")
    if one.size != other.size:
        return 255.0
    return float(np.abs(np.asarray(one, dtype=np.int16) - np.asarray(other, dtype=np.int16)).mean())
