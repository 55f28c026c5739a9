"""Pictures for an agent."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym_gui.actions.events import Box
from agentgym_gui.desktop.link import DesktopLostError
from agentgym_gui.desktop.pictures import marked, scaled
from agentgym_gui.desktop.session import patched


def test_smaller_picture_holds_means_of_what_each_pixel_covers():
    row = np.repeat(np.array([0, 30, 60, 90, 120, 150], np.uint8)[None, :, None], 3, axis=2)
    pixels = np.repeat(row, 4, axis=0)
    assert scaled(pixels, 3, 2)[:, :, 0].tolist() == [[15, 75, 135], [15, 75, 135]]
    assert scaled(pixels, 4, 4)[0, :, 1].tolist() == [10, 50, 100, 140]


def test_picture_of_its_own_size_is_itself():
    pixels = np.zeros((5, 7, 3), np.uint8)
    assert scaled(pixels, 7, 5) is pixels


def test_marks_lie_on_the_box_and_nowhere_else():
    pixels = np.full((60, 80, 3), 250, np.uint8)
    drawn = marked(pixels, {"12": Box(20, 10, 40, 30), "3": Box(500, 0, 5, 5)})
    changed = np.argwhere((drawn != pixels).any(axis=2))
    assert changed.min(axis=0).tolist() == [10, 20]
    assert changed.max(axis=0).tolist() == [39, 59]
    assert (pixels == 250).all()
    assert (drawn[12:22, 22:38] == 255).all(axis=2).any()


def rows(first: int, *values: int) -> memoryview:
    """A reply with a row of two pixels for each value."""
    return memoryview(first.to_bytes(4, "little") + b"".join(bytes([value] * 6) for value in values))


BOX = Box(0, 0, 2, 3)


def test_rows_that_changed_are_laid_over_the_last_picture():
    last = patched(None, rows(0, 1, 2, 3), BOX)
    pixels = patched(last, rows(1, 9), BOX)
    assert pixels[:, 0, 0].tolist() == [1, 9, 3]
    assert last[:, 0, 0].tolist() == [1, 2, 3]
    assert not pixels.flags.writeable


@pytest.mark.parametrize(
    "content", [b"", b"\0\0", rows(0, 1), rows(2, 1, 1), rows(1, 1)[:-1], rows(0), rows(2**32 - 1, 1)]
)
def test_rows_that_make_no_picture_are_refused(content):
    with pytest.raises(DesktopLostError, match="for a picture of 2x3"):
        patched(None, memoryview(content), BOX)


def test_rows_outside_the_last_picture_are_refused():
    with pytest.raises(DesktopLostError, match="for a picture of 2x3"):
        patched(np.zeros((3, 2, 3), np.uint8), rows(2, 1, 1), BOX)
