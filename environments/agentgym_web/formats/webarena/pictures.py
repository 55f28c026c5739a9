"""Pictures of tasks: the user's files, and those that his sites serve; and how alike two are (SSIM).

A site's picture is opened in the window, so that it comes through the same gate as every page.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from agentgym.errors import ConfigError
from agentgym_web.browser.errors import DevToolsError
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import View
from agentgym_web.user_files import read_bytes

Pixels = NDArray[np.uint8]
MAX_BYTES = 32 << 20
MAX_PIXELS = 40_000_000
_BYTES = (
    "fetch(location.href, {cache: 'force-cache'}).then((answer) => answer.blob()).then((blob) => blob.size > %d ? '' : "
    "new Promise((done) => { const reader = new FileReader(); reader.onload = () => done(reader.result); "
    "reader.readAsDataURL(blob); }))"
)
_WINDOW = 7
"""Side of the squares that SSIM compares, as scikit-image takes it."""


def read_picture(where: str, name: str, folder: Path, page: WebPage) -> Pixels:
    """The pixels of a task's picture, uint8[H, W, 3].

    Args:
        where: The task, for the message.
        name: An address of a site, or the path of a file.
        folder: What paths are relative to.
        page: The window that opens addresses.

    Raises:
        ConfigError: There is no such picture, or it cannot be read.
    """
    if name.startswith(("http://", "https://")):
        found = fetched(name, page)
        if found is None:
            raise ConfigError(f"{where}: no picture came from {name}; check the address, and that its site is in sites")
        return found
    path = folder / name
    try:
        content = read_bytes(path, MAX_BYTES, ConfigError)
    except ConfigError as error:
        raise ConfigError(f"{where}: its picture cannot be read: {error}") from error
    except OSError as error:
        raise ConfigError(f"{where}: its picture {path} cannot be read: {error.strerror}; copy it there") from error
    found = _decoded(content)
    if found is None:
        raise ConfigError(f"{where}: {path} is no picture, or too large; expected PNG, JPEG, WebP or GIF")
    return found


def fetched(url: str, page: WebPage) -> Pixels | None:
    """The picture that an address shows in a window; None if there is none."""
    page.open(url, View(tree=False))
    try:
        found = str(page.run_script(_BYTES % MAX_BYTES))
    except DevToolsError:
        return None
    return _decoded(base64.b64decode(found.partition(";base64,")[2]))


def alike(one: Pixels, other: Pixels) -> float:
    """The mean structural similarity of two pictures in grey, the larger one brought to the smaller one's size.

    Wang, Bovik, Sheikh and Simoncelli 2004, doi:10.1109/TIP.2003.819861, with squares of equal weights.

    Returns:
        From -1 to 1; 1 for equal pictures.
    """
    first, second = (Image.fromarray(each).convert("L") for each in (one, other))
    size = (max(_WINDOW, min(first.width, second.width)), max(_WINDOW, min(first.height, second.height)))
    a, b = (np.asarray(each.resize(size), dtype=np.float64) for each in (first, second))
    mean_a, mean_b = _means(a), _means(b)
    unbiased = _WINDOW**2 / (_WINDOW**2 - 1)
    var_a = unbiased * (_means(a * a) - mean_a**2)
    var_b = unbiased * (_means(b * b) - mean_b**2)
    covariance = unbiased * (_means(a * b) - mean_a * mean_b)
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    above = (2 * mean_a * mean_b + c1) * (2 * covariance + c2)
    return float(np.mean(above / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))))


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of each square that lies within the picture."""
    sums = np.pad(values, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    n = _WINDOW
    means: NDArray[np.float64] = (sums[n:, n:] - sums[:-n, n:] - sums[n:, :-n] + sums[:-n, :-n]) / n**2
    return means


def _decoded(content: bytes) -> Pixels | None:
    try:
        with Image.open(io.BytesIO(content)) as image:
            if image.width * image.height > MAX_PIXELS:
                return None
            return np.asarray(image.convert("RGB"), dtype=np.uint8)
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return None
