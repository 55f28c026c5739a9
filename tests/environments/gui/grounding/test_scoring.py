"""How good an answer is: hit, nearness, overlap and edges, with worked numbers."""

import pytest

from agentgym_gui.actions.events import Box
from agentgym_gui.grounding.scoring import (
    REWARDS,
    Answer,
    Nowhere,
    Point,
    difficulty,
    edge_agreement,
    score,
)

WIDTH, HEIGHT = 201, 101
TARGET = Box(90, 40, 21, 21)
"""Its middle is the middle of the screen, (100, 50)."""


def reward(answer: Answer, name: str, target: Box | None = TARGET) -> float:
    values = score(answer, target, WIDTH, HEIGHT).values()
    return sum(REWARDS[name][part] * value for part, value in values.items())


def test_dense_reward_is_hit_plus_nearness():
    assert reward(Point(100, 50), "dense") == 2
    assert reward(Point(150, 50), "dense") == pytest.approx(0.8)
    assert reward(Point(110, 60), "dense") > 1 > reward(Point(111, 60), "dense")


def test_edges_are_the_harmonic_mean_of_four_agreements():
    box = Box(90 - 20, 40, 21 + 20, 21)  # the left edge is off by a tenth of the screen
    assert edge_agreement(box, TARGET, 200, 100) == pytest.approx(4 / (1 / 0.9 + 3))


def test_a_giant_box_scores_below_a_tight_one_that_hits_too():
    tight, giant = Box(91, 41, 20, 20), Box(0, 0, WIDTH, HEIGHT)
    assert reward(tight, "hit") == reward(giant, "hit") == 1
    assert reward(giant, "box") < reward(tight, "box") < reward(TARGET, "box") == pytest.approx(1.375)
    sizes = [Box(100 - grow, 50 - grow, 2 * grow + 1, 2 * grow + 1) for grow in range(10, 50, 5)]
    rewards = [reward(box, "box") for box in sizes]
    assert rewards == sorted(rewards, reverse=True)


@pytest.mark.parametrize("name", REWARDS)
def test_absent_targets_are_hit_by_saying_so_alone(name):
    assert reward(Nowhere(), name, None) == pytest.approx(sum(REWARDS[name].values()))
    assert reward(Point(5, 5), name, None) == reward(Nowhere(), name) == 0


def test_small_targets_weigh_more_within_bounds():
    weights = [difficulty(Box(0, 0, side, side), 1280, 800) for side in (1, 8, 32, 128, 800)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 2
    assert weights[2] == pytest.approx(1.0)
    assert weights[-1] == 0.5
