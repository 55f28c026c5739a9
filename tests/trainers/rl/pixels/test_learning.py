"""How the small policy learns to point, and that its rewards are those of the environment."""

import random
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch

from agentgym import make
from agentgym.authoring.players import call_text
from agentgym.policies.torch.pointing import PixelPolicy, middles
from agentgym.task import Task
from agentgym_rl.core.config.pixels import Dense, Hit, Learning, Supervised, SupervisedThenHit
from agentgym_rl.pixels.learning import Learner, Target, decayed, draw_batch, judge, policy_gradient
from agentgym_rl.pixels.screens import Screen
from tests.trainers.rl.pixels.screens import write_screens

SCALE = 0.125
WAYS: tuple[Learning, ...] = (
    Supervised(screens=4, questions=1, learning_rate=1e-2),
    Hit(screens=4, questions=1, learning_rate=1e-2),
    Dense(screens=4, questions=1, learning_rate=1e-2),
    SupervisedThenHit(screens=4, questions=1, learning_rate=1e-2),
)
WEIGHTS = {"hit": {"hit": 1.0, "near": 0.0}, "dense": {"hit": 1.0, "near": 1.0}}


def screen(x: int, y: int) -> Screen:
    """A bright square of 32 pixels on a screen of 320x160."""
    grey = np.zeros((20, 40), np.uint8)
    grey[y // 8 : y // 8 + 4, x // 8 : x // 8 + 4] = 255
    return Screen(grey, {"click it": Task(id="t", seed=0, private={"box": [x, y, 32, 32]})}, SCALE)


def test_cells_of_a_box_are_those_whose_middle_is_in_it() -> None:
    target = Target.of(screen(32, 16), "click it")
    weights = target.cells().reshape(10, 20)
    rows, columns = np.nonzero(weights)
    found = {(target.columns[column], target.rows[row]) for row, column in zip(rows, columns, strict=True)}
    assert found == {(40, 24), (56, 24), (40, 40), (56, 40)}
    assert weights.sum() == pytest.approx(1)
    tiny = Target((33, 17, 2, 2), target.columns, target.rows, target.size)
    assert (tiny.cells() > 0).sum() == 1


def test_what_a_screen_shows_is_moved_as_a_whole_and_stays_on_it() -> None:
    places = set()
    for seed in range(200):
        grey, dx, dy = screen(32, 16).moved(random.Random(seed))
        rows, columns = np.nonzero(grey)
        assert (columns.min() * 8, rows.min() * 8) == (32 + dx, 16 + dy)
        assert len(rows) == 16
        assert columns.max() - columns.min() == rows.max() - rows.min() == 3
        places.add((dx, dy))
    assert len(places) > 100
    empty = Screen(np.zeros((4, 4), np.uint8), {}, SCALE)
    assert empty.moved(random.Random(0))[1:] == (0, 0)


@pytest.mark.parametrize("reward", ["hit", "dense"])
def test_rewards_of_cells_are_what_episodes_pay(reward: str, tmp_path: Path) -> None:
    targets = write_screens(tmp_path, 2)
    with closing(make("agentgym/Grounding-v0", targets=str(targets), scale=SCALE, reward=reward)) as env:
        task = env.make_task(0)
        observation, _ = env.reset(options={"task": task})
        shown = Screen(np.zeros(observation["image"].shape[:2], np.uint8), {"it": task}, SCALE)
        table = Target.of(shown, "it").rewards(env.reward_weights)
        columns, rows = middles(shown.grey)
        assert table.shape == (len(columns) * len(rows),)
        for cell in range(0, len(table), 5):
            row, column = divmod(cell, len(columns))
            env.reset(options={"task": task})
            _, paid, *_ = env.step(call_text("point", x=int(columns[column]), y=int(rows[row])))
            assert table[cell] == pytest.approx(paid, abs=1e-6)


@pytest.mark.parametrize("options", WAYS, ids=lambda way: way.mode)
def test_each_way_finds_the_only_bright_square(options: Learning) -> None:
    torch.manual_seed(0)
    policy = PixelPolicy(["click it"], width=8)
    learner = Learner(policy, options, 60, WEIGHTS["dense" if isinstance(options, Dense) else "hit"], seed=0)
    rng, screens = random.Random(0), [screen(32, 16), screen(160, 96)]
    for number in range(60):
        learner.update(number, draw_batch(screens, policy.numbers, options, True, rng))
    hits, distances = judge(policy, [screen(96, 64)])
    assert hits.tolist() == [1]
    assert distances[0] < 24


def test_the_gradient_favours_points_that_hit() -> None:
    logits = torch.zeros(1, 200, requires_grad=True)
    target = Target((32, 16, 64, 64), np.linspace(8, 312, 20), np.linspace(8, 152, 10), (320, 160))
    options = Hit(samples=400, entropy=0.0)
    generator = torch.Generator().manual_seed(0)
    loss, metrics = policy_gradient(torch.log_softmax(logits, dim=-1), [target], options, WEIGHTS["hit"], generator)
    loss.backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    is_in = torch.from_numpy(target.hits())
    assert float(logits.grad[0, is_in].mean()) < 0 < float(logits.grad[0, ~is_in].mean())
    assert metrics["hits/expected"] == pytest.approx(16 / 200, abs=0.05)


def test_supervision_ends_when_its_share_is_over() -> None:
    options = SupervisedThenHit(screens=1, questions=1, supervised_share=0.5)
    policy = PixelPolicy(["click it"], width=4)
    learner = Learner(policy, options, 4, WEIGHTS["hit"], seed=0)
    batch = draw_batch([screen(32, 16)], policy.numbers, options, False, random.Random(0))
    assert ["entropy" in learner.update(number, batch) for number in range(4)] == [False, False, True, True]


def test_the_learning_rate_falls_to_a_tenth() -> None:
    for decay in ("linear", "cosine"):
        assert [decayed(decay, share) for share in (0, 0.5, 1)] == pytest.approx([1, 0.55, 0.1])
    assert decayed("none", 1) == 1
