"""What is sent of a screen: all of it or a part enlarged, and what is said to questions about it."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import ConfigError
from agentgym_gui.actions.events import Box, Look, Move, Where
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.desktop.settings import DesktopSettings
from agentgym_gui.desktop.view import View, told

SCREEN = np.zeros((80, 120, 3), np.uint8)
SCREEN[20:40, 30:60] = 200
LIT = Box(30, 20, 30, 20)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_a_part_fills_the_picture_that_the_whole_screen_fills_otherwise(scale):
    view = View(picture=True, scale=scale)
    part, whole = view.sent(SCREEN, {}, LIT), view.sent(SCREEN, {})
    assert part.shape == whole.shape == (80 * scale, 120 * scale, 3)
    assert (part == 200).all()
    assert 0 < (whole == 200).mean() < 0.2


def test_the_pointer_s_place_is_said_in_the_coordinates_of_the_picture():
    settings = DesktopSettings(1000, 500)
    for view, place in ((View(), "(400, 300)"), (View(scale=0.5), "(200, 150)"), (View(grid=100), "(40, 60)")):
        assert told((Where(),), view.frame(settings, (400, 300))) == (f"The pointer is at {place}.",)
    assert told((Where(),), View().frame(settings, None)) == ("The pointer is at (999, 499).",)


def test_a_part_is_named_and_a_whole_picture_is_not():
    frame = View(scale=0.5).frame(DesktopSettings(1000, 500), None)
    assert "(50, 20) to (75, 45) enlarged" in told((Look(), Look(Box(100, 40, 50, 50))), frame)[0]
    assert told((Move(1, 1), Look()), frame) == ()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"scale": "nan"}, "key 'scale' must be a number, got 'nan'"),
        ({"text": "no"}, "key 'text' must be true or false, got 'no'"),
        ({"grid": 0.5}, "key 'grid' must be a whole number, got 0.5"),
        ({"grid": -3}, "'grid' must be 0 for pixels, or the largest coordinate, such as 1000: got -3"),
        ({"pictur": True}, "key 'pictur' is unknown; did you mean picture"),
    ],
)
def test_a_wrong_option_of_the_view_is_refused_by_its_name(fields, why):
    with pytest.raises(ConfigError, match=why):
        DesktopEnv(**fields)
