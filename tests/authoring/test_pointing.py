"""What a point earns, with worked numbers."""

import numpy as np
import pytest

from agentgym.authoring.pointing import hits, nearness

SIZE = (201, 101)
BOX = (90, 40, 21, 21)
"""Its middle is the middle of the screen, (100, 50)."""


def test_nearness_is_one_in_the_middle_and_zero_in_the_farthest_corner() -> None:
    assert nearness(100, 50, BOX, SIZE) == 1
    assert nearness(0, 0, BOX, SIZE) == 0
    # dmax^2 = 100^2 + 50^2 = 12500; 50 to the right: 1 - 2500 / 12500
    assert nearness(150, 50, BOX, SIZE) == pytest.approx(0.8)


def test_a_grid_of_points_is_judged_as_each_of_them() -> None:
    x, y = np.arange(80, 120, 5), np.arange(30, 75, 5)[:, None]
    for row, found in enumerate(zip(hits(x, y, BOX), nearness(x, y, BOX, SIZE), strict=True)):
        for column, (is_hit, near) in enumerate(zip(*found, strict=True)):
            place = int(x[column]), int(y[row, 0])
            assert is_hit == (90 <= place[0] < 111 and 40 <= place[1] < 61)
            assert near == pytest.approx(float(nearness(*place, BOX, SIZE)))
