"""Three ways to learn to point: from the box, and by policy gradient from the rewards hit and dense.

The rewards are those of `agentgym_gui.grounding.scoring`; what is held out is judged by playing the environment.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.authoring.players import call_text
from agentgym_gui.actions.events import Box
from agentgym_gui.grounding.env import GroundingEnv
from agentgym_gui.grounding.rendering import TARGETS
from agentgym_gui.grounding.scoring import HIT, NEAR, reward_weights
from benchmarks.grounding.policy import CELL, PixelPolicy, as_tensor
from benchmarks.grounding.screens import SCALE, SmallScreen, grey_of, names_of

WAYS = ("supervised", "hit", "dense")
EVERY = 8
"""On a held-out screen, every eighth name is asked for."""


@dataclass(frozen=True)
class Settings:
    """How it is learned."""

    way: str = "supervised"
    """One of `WAYS`."""
    seed: int = 0
    """Seed of everything random."""
    cpu_s: float = 120.0
    """Processor time of training."""
    screens: int = 8
    """Screens of an update."""
    questions: int = 4
    """Names that are asked of each."""
    samples: int = 256
    """Points that are drawn for a name, as a group."""
    learning_rate: float = 3e-3
    """Step size of Adam."""
    entropy: float = 0.001
    """Weight of the entropy, in policy gradient."""
    every_s: float = 15.0
    """After how much processor time it is judged again."""


@dataclass
class Curve:
    """What came of it: after each stretch of processor time, hits and the median distance."""

    cpu_s: list[float] = field(default_factory=list)
    hits: list[float] = field(default_factory=list)
    distance: list[float] = field(default_factory=list)
    updates: int = 0


def learn(settings: Settings, train: Sequence[SmallScreen], test: Sequence[SmallScreen], folder: Path) -> Curve:
    """Train a policy from nothing.

    Args:
        settings: How.
        train: Screens whose windows are moved about.
        test: Screens of other places.
        folder: Where the test screens were rendered.
    """
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    names = names_of(train)
    policy = PixelPolicy(names)
    optimiser = torch.optim.Adam(policy.parameters(), settings.learning_rate)
    curve, spent, judged = Curve(), 0.0, 0.0
    while spent < settings.cpu_s:
        began = time.process_time()
        update(policy, optimiser, settings, train, rng)
        curve.updates += 1
        spent += time.process_time() - began
        if spent - judged >= settings.every_s or spent >= settings.cpu_s:
            judged = spent
            hits, distance = judge(policy, test, folder)
            curve.cpu_s.append(round(spent, 1))
            curve.hits.append(hits)
            curve.distance.append(distance)
    return curve


def update(
    policy: PixelPolicy,
    optimiser: torch.optim.Optimizer,
    settings: Settings,
    train: Sequence[SmallScreen],
    rng: random.Random,
) -> None:
    """One step on some screens and names."""
    pictures, owners, names, targets, sizes = [], [], [], [], []
    for number in range(settings.screens):
        screen = train[rng.randrange(len(train))]
        grey, dx, dy = screen.moved(rng)
        pictures.append(grey)
        known = [name for name in screen.tasks if name in policy.numbers]
        for name in rng.sample(known, min(settings.questions, len(known))):
            x, y, width, height = screen.tasks[name].private["box"]
            owners.append(number)
            names.append(policy.numbers[name])
            targets.append(Box(x + dx, y + dy, width, height))
            sizes.append(screen.size)
    logprobs = policy(as_tensor(pictures), torch.tensor(owners), torch.tensor(names))
    rows, columns = policy.cells(pictures[0])
    if settings.way == "supervised":
        wanted = torch.stack([cells_in(target, rows, columns) for target in targets])
        loss = -(wanted * logprobs).sum(dim=-1).mean()
    else:
        loss = policy_gradient(logprobs, list(zip(targets, sizes, strict=True)), columns, settings)
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    optimiser.step()


def policy_gradient(
    logprobs: Tensor, asked: Sequence[tuple[Box, tuple[int, int]]], columns: int, settings: Settings
) -> Tensor:
    """Minus the mean of advantage times log-probability; the advantage of a point is relative to its group.

    Source: GRPO (arXiv:2402.03300), one update for each group. Differs: no clipping, since nothing is reused.

    Args:
        logprobs: float32[Q, cells].
        asked: The target of each question, and the size of its screen.
        columns: Columns of cells.
        settings: How many points are drawn, and what they earn.
    """
    drawn = torch.multinomial(logprobs.detach().exp(), settings.samples, replacement=True)
    tables = np.stack([cell_rewards(target, size, columns, settings.way) for target, size in asked])
    rewards = np.take_along_axis(tables, drawn.numpy(), axis=1)
    advantages = (rewards - rewards.mean(axis=1, keepdims=True)) / (rewards.std(axis=1, keepdims=True) + 1e-4)
    gain = (torch.from_numpy(advantages) * logprobs.gather(1, drawn)).mean()
    entropy = -(logprobs.exp() * logprobs).sum(dim=-1).mean()
    return -gain - settings.entropy * entropy


def cell_rewards(target: Box, size: tuple[int, int], columns: int, way: str) -> NDArray[np.float32]:
    """What the middle of each cell earns, float32[cells]; a test compares it with `score`."""
    width, height = size
    rows = (height + CELL - 1) // CELL
    xs, ys = np.arange(columns) * CELL + CELL // 2, np.arange(rows) * CELL + CELL // 2
    is_hit = np.outer(
        (ys >= target.y) & (ys < target.y + target.height), (xs >= target.x) & (xs < target.x + target.width)
    )
    middle_x, middle_y = target.x + (target.width - 1) / 2, target.y + (target.height - 1) / 2
    farthest = np.hypot(max(middle_x, width - 1 - middle_x), max(middle_y, height - 1 - middle_y))
    near = np.maximum(1 - ((ys[:, None] - middle_y) ** 2 + (xs - middle_x) ** 2) / farthest**2, 0)
    weights = reward_weights(way)
    rewards: NDArray[np.float32] = (weights[HIT] * is_hit + weights[NEAR] * near).astype(np.float32).reshape(-1)
    return rewards


def judge(policy: PixelPolicy, screens: Sequence[SmallScreen], folder: Path) -> tuple[float, float]:
    """Share of hits and median distance to the middle of the target, by episodes of the environment."""
    env = GroundingEnv(targets=str(folder / TARGETS), boxes="xywh", scale=SCALE)
    hits, distances = [], []
    for number, screen in enumerate(screens):
        asked = sorted(name for name in screen.tasks if name in policy.numbers)
        for name in asked[number % EVERY :: EVERY]:
            task = screen.tasks[name]
            observation, _ = env.reset(options={"task": task})
            found = policy.point(grey_of(observation["image"]), name)
            assert found is not None
            x, y = (value * SCALE for value in found)
            *_, info = env.step(call_text("point", x=x, y=y))
            hits.append(float(info["success"]))
            left, top, width, height = task.private["box"]
            distances.append(float(np.hypot(found[0] - left - width / 2, found[1] - top - height / 2)))
    env.close()
    return round(float(np.mean(hits)), 4), round(float(np.median(distances)), 1)


def cells_in(target: Box, rows: int, columns: int) -> Tensor:
    """Equal weights on the cells whose middle is in a box; on the nearest cell if none is."""
    xs = np.arange(columns) * CELL + CELL // 2
    ys = np.arange(rows) * CELL + CELL // 2
    is_in = np.outer(
        (ys >= target.y) & (ys < target.y + target.height), (xs >= target.x) & (xs < target.x + target.width)
    )
    if not is_in.any():
        x, y = target.centre
        is_in[min(y // CELL, rows - 1), min(x // CELL, columns - 1)] = True
    flat = torch.from_numpy(is_in.reshape(-1).astype(np.float32))
    return flat / flat.sum()


def as_json(curve: Curve) -> Mapping[str, Any]:
    """The curve as JSON values."""
    return {"cpu_s": curve.cpu_s, "hits": curve.hits, "distance, px": curve.distance, "updates": curve.updates}
