"""What coordinates mean: pixels, the sent picture's scale, or a grid; and nothing is clipped."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym_gui.actions.events import ActionError, Box, Frame

SCREEN = Frame(1280, 800)
HALF = Frame(1280, 800, 0.5, 0.5)
GRID = Frame(1280, 800, grid=1000)


@pytest.mark.parametrize(
    ("frame", "said", "pixel"),
    [
        (SCREEN, (0, 0), (0, 0)),
        (SCREEN, (1279, 799), (1279, 799)),
        (SCREEN, (3.7, 4.2), (3, 4)),
        (HALF, (0, 0), (0, 0)),
        (HALF, (639, 399), (1278, 798)),
        (HALF, (639.5, 399.5), (1279, 799)),
        (GRID, (0, 0), (0, 0)),
        (GRID, (1000, 1000), (1279, 799)),
        (GRID, (500, 500), (640, 400)),
        (Frame(1366, 768, 1024 / 1366, 1.0), (1023, 0), (1364, 0)),
        (Frame(100, 100, 2.0, 2.0), (199, 199), (99, 99)),
    ],
)
def test_coordinates_name_a_pixel(frame, said, pixel):
    assert frame.to_pixel(*said) == pixel


@pytest.mark.parametrize(
    ("frame", "said", "why"),
    [
        (SCREEN, (1280, 0), "x = 1280 is outside the screen: x counts pixels from 0 to 1279"),
        (SCREEN, (0, 800), "y = 800 is outside"),
        (SCREEN, (-1, 0), "x = -1 is outside"),
        (SCREEN, (-0.5, 0), "x = -0.5 is outside"),
        (HALF, (640, 0), "from 0 to 639"),
        (GRID, (1000.5, 0), "a grid from 0 to 1000"),
        (SCREEN, (math.nan, 0), "x = nan is outside"),
        (SCREEN, (math.inf, 0), "x = inf is outside"),
        (SCREEN, (10**400, 0), "x = a number of 1329 bits is outside"),
        (SCREEN, ("12", 0), "x must be a number from 0 to 1279, got the text '12'"),
        (SCREEN, (None, 0), "got null"),
        (SCREEN, (True, 0), "got true"),
        (SCREEN, (0, [1]), "y must be a number from 0 to 799, got a list of 1 items"),
    ],
)
def test_other_coordinates_are_refused_and_explained(frame, said, why):
    with pytest.raises(ActionError) as refusal:
        frame.to_pixel(*said)
    assert why in str(refusal.value)
    assert isinstance(refusal.value, ActionSyntaxError)


@given(st.integers(1, 3000), st.integers(1, 3000), st.floats(0.1, 3), st.sampled_from([0, 100, 1000]), st.data())
def test_a_pixel_has_coordinates_that_lead_near_it(width, height, scale, grid, data):
    frame = Frame(width, height, grid=grid) if grid else Frame(width, height, scale, scale)
    pixel = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    back = frame.to_pixel(*frame.from_pixel(*pixel))
    step = max(width, height) / grid if grid else 1 / scale
    assert all(abs(a - b) <= step + 1 for a, b in zip(pixel, back, strict=True))


@pytest.mark.parametrize(
    "wrong",
    [
        {"width": 0},
        {"scale_x": 0.0},
        {"scale_y": math.nan},
        {"grid": -1},
        {"grid": 1000, "scale_x": 0.5},
    ],
)
def test_impossible_frame_is_refused(wrong):
    with pytest.raises(ConfigError):
        Frame(**{"width": 10, "height": 10, **wrong})


def test_box_holds_its_first_pixels_and_not_those_after_its_last():
    box = Box(10, 20, 30, 40)
    assert box.holds(10, 20)
    assert box.holds(39, 59)
    assert not box.holds(40, 20)
    assert not box.holds(10, 60)
    assert (box.centre, box.area) == ((25, 40), 1200)


def test_part_of_a_box_on_the_screen():
    assert Box(-10, -10, 20, 20).within(100, 100) == Box(0, 0, 10, 10)
    assert Box(95, 95, 20, 20).within(100, 100) == Box(95, 95, 5, 5)
    assert Box(100, 0, 5, 5).within(100, 100) is None
