"""Pictures for an agent: smaller, with the boxes and ids of elements, or a part of the screen enlarged."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from agentgym_gui.actions.events import Box

Pixels = NDArray[np.uint8]
COLOURS = ((214, 39, 40), (31, 119, 180), (44, 160, 44), (148, 103, 189), (200, 100, 0), (0, 130, 130))
_DIGITS = (
    *("111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001"),
    *("111100111001111", "111100111101111", "111001001001001", "111101111101111", "111101111001111"),
)
_DOT = 2


def scaled(pixels: Pixels, width: int, height: int) -> Pixels:
    """The picture at another size, each pixel the mean of what it covers, or between what it lies between.

    Args:
        pixels: uint8[H, W, 3].
        width: Columns of the result.
        height: Rows of the result.
    """
    if pixels.shape[:2] == (height, width):
        return pixels
    tall, wide = pixels.shape[0] // height, pixels.shape[1] // width
    if pixels.shape[:2] == (height * tall, width * wide):  # whole blocks of pixels, the common case
        sums = pixels.reshape(height, tall, width, wide, 3).sum(axis=(1, 3), dtype=np.uint32)
        means: Pixels = np.rint(sums / (tall * wide)).astype(np.uint8)
        return means
    rows = _mixed(pixels.astype(np.float32), height)
    both = _mixed(rows.transpose(1, 0, 2), width).transpose(1, 0, 2)
    return np.ascontiguousarray(np.rint(both).astype(np.uint8))


def marked(pixels: Pixels, boxes: Mapping[str, Box]) -> Pixels:
    """The picture with a frame around each box and its id, which is a number, on it.

    Args:
        pixels: uint8[H, W, 3].
        boxes: In pixels of the picture, by id.
    """
    drawn = pixels.copy()
    height, width = pixels.shape[:2]
    for number, (name, box) in enumerate(boxes.items()):
        inside = box.within(width, height)
        if inside is not None:
            colour = np.array(COLOURS[number % len(COLOURS)], np.uint8)
            _frame(drawn, inside, colour)
            _label(drawn, inside, name, colour)
    return drawn


def _mixed(values: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """Another number of rows: means over what each covers, or weighted sums of the two rows beside it."""
    old = values.shape[0]
    if size >= old:
        at = np.clip((np.arange(size) + 0.5) * old / size - 0.5, 0, old - 1)
        low = np.floor(at).astype(int)
        share = (at - low).astype(np.float32)[:, None, None]
        mixed: NDArray[np.float32] = values[low] * (1 - share) + values[np.minimum(low + 1, old - 1)] * share
        return mixed
    # The integral over rows is read at the borders of the new ones, between its own where they fall between.
    total = np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0, dtype=np.float64)])
    borders = np.arange(size + 1) * old / size
    low = np.minimum(np.floor(borders).astype(int), old - 1)
    share = (borders - low)[:, None, None]
    at_borders = total[low] * (1 - share) + total[low + 1] * share
    means: NDArray[np.float32] = ((at_borders[1:] - at_borders[:-1]) * (size / old)).astype(np.float32)
    return means


def _frame(pixels: Pixels, box: Box, colour: NDArray[np.uint8]) -> None:
    right, bottom = box.x + box.width, box.y + box.height
    pixels[box.y, box.x : right] = pixels[bottom - 1, box.x : right] = colour
    pixels[box.y : bottom, box.x] = pixels[box.y : bottom, right - 1] = colour


def _label(pixels: Pixels, box: Box, name: str, colour: NDArray[np.uint8]) -> None:
    """The number in white on a patch of the frame's colour, in the box's upper left corner."""
    digits = [letter for letter in name if letter.isascii() and letter.isdigit()]
    patch = np.zeros((7, 4 * len(digits) + 1), bool)
    for number, digit in enumerate(digits):
        bits = np.array(list(_DIGITS[int(digit)]), int).reshape(5, 3).astype(bool)
        patch[1:6, 4 * number + 1 : 4 * number + 4] = bits
    large = np.kron(patch, np.ones((_DOT, _DOT), bool))
    target = pixels[box.y : box.y + large.shape[0], box.x : box.x + large.shape[1]]
    shown = large[: target.shape[0], : target.shape[1]]
    target[:] = colour
    target[shown] = 255
