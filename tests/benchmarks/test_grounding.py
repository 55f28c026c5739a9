"""The small policy that points at pictures, and the ways it learns."""

import random

import numpy as np
import pytest
import torch

from agentgym.task import Task
from agentgym_gui.actions.events import Box
from agentgym_gui.grounding.scoring import REWARDS, Point, score
from benchmarks.grounding.learning import WAYS, Settings, cell_rewards, cells_in, policy_gradient, update
from benchmarks.grounding.policy import CELL, PixelPolicy, middle
from benchmarks.grounding.screens import STEP, SmallScreen


def screen(x: int, y: int) -> SmallScreen:
    """A bright square of 32 pixels on a screen of 320x160."""
    grey = np.zeros((20, 40), np.uint8)
    grey[y // STEP : y // STEP + 4, x // STEP : x // STEP + 4] = 255
    task = Task(id="t", seed=0, private={"box": [x, y, 32, 32]})
    return SmallScreen(grey, Box(x, y, 32, 32), {"click it": task}, (320, 160))


def test_cells_of_a_box_are_those_whose_middle_is_in_it():
    weights = cells_in(Box(32, 16, 32, 32), 10, 20)
    found = {middle(cell, 20) for cell in np.flatnonzero(weights.numpy())}
    assert found == {(40, 24), (56, 24), (40, 40), (56, 40)}
    assert float(weights.sum()) == pytest.approx(1)
    assert int((cells_in(Box(33, 17, 2, 2), 10, 20) > 0).sum()) == 1


def test_moving_a_window_moves_its_pixels_alike():
    grey, dx, dy = screen(32, 16).moved(random.Random(3))
    rows, columns = np.nonzero(grey)
    assert (columns.min() * STEP, rows.min() * STEP) == (32 + dx, 16 + dy)
    assert len(rows) == 16


@pytest.mark.parametrize("way", ["hit", "dense"])
def test_rewards_of_cells_are_those_of_the_environment(way):
    target, size = Box(33, 17, 70, 40), (320, 160)
    table = cell_rewards(target, size, 20, way)
    for cell in range(0, 200, 7):
        values = score(Point(*middle(cell, 20)), target, *size).values()
        assert table[cell] == pytest.approx(sum(REWARDS[way][name] * value for name, value in values.items()))


@pytest.mark.parametrize("way", WAYS)
def test_each_way_finds_the_only_bright_square(way):
    torch.manual_seed(0)
    policy = PixelPolicy(["click it"], width=8)
    optimiser = torch.optim.Adam(policy.parameters(), 1e-2)
    settings, rng = Settings(way, screens=4, questions=1), random.Random(0)
    screens = [screen(32, 16), screen(160, 96)]
    for _ in range(60):
        update(policy, optimiser, settings, screens, rng)
    found = policy.point(screen(96, 64).grey, "click it")
    assert found is not None
    assert Box(96 - CELL, 64 - CELL, 32 + 2 * CELL, 32 + 2 * CELL).holds(*found)


def test_the_gradient_favours_points_that_hit():
    torch.manual_seed(0)
    logits = torch.zeros(1, 200, requires_grad=True)
    settings = Settings("hit", samples=400, entropy=0.0)
    loss = policy_gradient(torch.log_softmax(logits, dim=-1), [(Box(32, 16, 64, 64), (320, 160))], 20, settings)
    loss.backward()
    assert logits.grad is not None
    is_in = cells_in(Box(32, 16, 64, 64), 10, 20) > 0
    assert float(logits.grad[0, is_in].mean()) < 0 < float(logits.grad[0, ~is_in].mean())
