"""How the policy learns to point: from boxes, or by group policy gradient from what its points earn.

The rewards are those of the environment, computed for all cells at once; what is held out is judged here in batches,
and by episodes of the environment in job.py.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.authoring.pointing import hits, middle_of, nearness
from agentgym.policies.torch.pointing import Grey, PixelPolicy, as_tensor, middles
from agentgym_rl.core.config.pixels import Learning, PolicyGradient, Supervised, SupervisedThenHit
from agentgym_rl.pixels.screens import Screen

_NEVER_ZERO = 1e-4
_LAST = 0.1
"""The learning rate at the end, as a share of its peak."""


@dataclass(frozen=True)
class Target:
    """What is asked about a picture.

    Attributes:
        box: First column, first row, width and height, in pixels of the screen.
        columns: float[columns], the middles of cells in pixels of the screen.
        rows: float[rows], likewise.
        size: Columns and rows of the screen.
    """

    box: tuple[float, float, float, float]
    columns: NDArray[np.float64]
    rows: NDArray[np.float64]
    size: tuple[int, int]

    @classmethod
    def of(cls, screen: Screen, name: str, dx: float = 0.0, dy: float = 0.0) -> Target:
        """A description's target on a screen whose contents were moved."""
        x, y, width, height = screen.box(name)
        columns, rows = middles(screen.grey)
        return cls((x + dx, y + dy, width, height), columns / screen.scale, rows / screen.scale, screen.size)

    def hits(self) -> NDArray[np.bool_]:
        """Whether the middle of each cell hits, bool[rows * columns]."""
        return hits(self.columns, self.rows[:, None], self.box).reshape(-1)

    def rewards(self, weights: Mapping[str, float]) -> NDArray[np.float32]:
        """What the middle of each cell earns, float32[rows * columns].

        Args:
            weights: Of the components of the environment's reward; of these, "hit" and "near" count.
        """
        found = weights.get("hit", 0.0) * self.hits()
        if weights.get("near", 0.0):  # most of the work
            found = found + weights["near"] * self.nearness()
        return found.astype(np.float32)

    def nearness(self) -> NDArray[np.float64]:
        """How near the middle of each cell is, float64[rows * columns]."""
        return nearness(self.columns, self.rows[:, None], self.box, self.size).reshape(-1)

    def cells(self) -> NDArray[np.float32]:
        """Equal weights on the cells that hit, or on the nearest cell if none does, float32[rows * columns]."""
        inside = self.hits().astype(np.float32)
        if not inside.any():
            inside[self.nearness().argmax()] = 1.0
        weights: NDArray[np.float32] = inside / inside.sum()
        return weights


@dataclass(frozen=True)
class Batch:
    """Pictures, and what is asked about them: the picture and the number of the description of each target."""

    pictures: Sequence[Grey]
    owners: Sequence[int]
    names: Sequence[int]
    targets: Sequence[Target]


def draw_batch(
    screens: Sequence[Screen], numbers: Mapping[str, int], options: Learning, is_moved: bool, rng: random.Random
) -> Batch:
    """Screens, and descriptions that are asked about each of them.

    Args:
        screens: Those that are learned from.
        numbers: The number of each description that is learned.
        options: How many are drawn.
        is_moved: Whether what a screen shows is moved.
        rng: Draws.
    """
    pictures, owners, names, targets = [], [], [], []
    for number in range(options.screens):
        screen = screens[rng.randrange(len(screens))]
        grey, dx, dy = screen.moved(rng) if is_moved else (screen.grey, 0.0, 0.0)
        pictures.append(grey)
        known = [name for name in screen.tasks if name in numbers]
        for name in rng.sample(known, min(options.questions, len(known))):
            owners.append(number)
            names.append(numbers[name])
            targets.append(Target.of(screen, name, dx, dy))
    return Batch(pictures, owners, names, targets)


class Learner:
    """Updates a policy.

    Args:
        policy: It.
        options: How it learns.
        num_updates: How many updates the run has.
        weights: Of the components of the environment's reward.
        seed: Seed of the points that are drawn.
    """

    def __init__(
        self, policy: PixelPolicy, options: Learning, num_updates: int, weights: Mapping[str, float], seed: int
    ) -> None:
        self._policy, self._options, self._num_updates, self._weights = policy, options, num_updates, weights
        self._optimiser = torch.optim.Adam(policy.parameters(), options.learning_rate)
        self._generator = torch.Generator().manual_seed(seed)

    def update(self, number: int, batch: Batch) -> dict[str, float]:
        """One step; returns its metrics.

        Args:
            number: Of the update, from 0.
            batch: What it learns from; an empty one teaches nothing.
        """
        if not batch.targets:
            return {}
        logprobs = self._policy(as_tensor(batch.pictures), torch.tensor(batch.owners), torch.tensor(batch.names))
        if isinstance(self._options, PolicyGradient) and not self._is_supervised(number):
            loss, metrics = policy_gradient(logprobs, batch.targets, self._options, self._weights, self._generator)
        else:
            loss, metrics = likelihood(logprobs, batch.targets)
        for group in self._optimiser.param_groups:
            group["lr"] = self._options.learning_rate * decayed(self._options.decay, number / max(1, self._num_updates))
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self._policy.parameters(), self._options.max_grad_norm)
        self._optimiser.step()
        return {"loss": float(loss.detach()), **metrics, "grad_norm/mean": float(norm)}

    def _is_supervised(self, number: int) -> bool:
        options = self._options
        if isinstance(options, SupervisedThenHit):
            return number < options.supervised_share * self._num_updates
        return isinstance(options, Supervised)


def likelihood(logprobs: Tensor, targets: Sequence[Target]) -> tuple[Tensor, dict[str, float]]:
    """Minus the mean log-likelihood of the cells in the boxes, and the share of the policy's mass that hits.

    Args:
        logprobs: float32[Q, cells].
        targets: Of each question.
    """
    wanted = torch.from_numpy(np.stack([target.cells() for target in targets]))
    mass = (logprobs.detach().exp() * (wanted > 0)).sum(dim=-1).mean()
    return -(wanted * logprobs).sum(dim=-1).mean(), {"hits/expected": float(mass)}


def policy_gradient(
    logprobs: Tensor,
    targets: Sequence[Target],
    options: PolicyGradient,
    weights: Mapping[str, float],
    generator: torch.Generator | None = None,
) -> tuple[Tensor, dict[str, float]]:
    """Minus the mean of advantage times log-probability, with the advantage of a point relative to its group.

    Source: GRPO (arXiv:2402.03300), one update for each group. Differs: no clipping, since nothing is reused.

    Args:
        logprobs: float32[Q, cells].
        targets: Of each question.
        options: How many points are drawn, and what the entropy weighs.
        weights: Of the components of the environment's reward.
        generator: Draws the points.
    """
    drawn = torch.multinomial(logprobs.detach().exp(), options.samples, replacement=True, generator=generator)
    tables = np.stack([target.rewards(weights) for target in targets])
    rewards = np.take_along_axis(tables, drawn.numpy(), axis=1)
    advantages = (rewards - rewards.mean(axis=1, keepdims=True)) / (rewards.std(axis=1, keepdims=True) + _NEVER_ZERO)
    gain = (torch.from_numpy(advantages) * logprobs.gather(1, drawn)).mean()
    entropy = -(logprobs.exp() * logprobs).sum(dim=-1).mean()
    is_hit = np.take_along_axis(np.stack([target.hits() for target in targets]), drawn.numpy(), axis=1)
    metrics = {
        "hits/expected": float(is_hit.mean()),
        "groups/zero_variance_share": float((np.ptp(rewards, axis=1) == 0).mean()),
        "return/mean": float(rewards.mean()),
        "entropy": float(entropy.detach()),
    }
    return -gain - options.entropy * entropy, metrics


def decayed(decay: str, share: float) -> float:
    """Factor of the learning rate after a share of the updates: 1 at first, and a tenth at the end."""
    if decay == "linear":
        return 1 - (1 - _LAST) * share
    if decay == "cosine":
        return _LAST + (1 - _LAST) * (1 + math.cos(math.pi * share)) / 2
    return 1.0


def judge(policy: PixelPolicy, screens: Sequence[Screen]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Hits of the likeliest points and their distances to the middles of the targets, float64 for each question.

    Args:
        policy: What points.
        screens: What it is asked about: every description that it knows.
    """
    found, distances = [], []
    for screen in screens:
        names = [name for name in screen.tasks if name in policy.numbers]
        for name, point in zip(names, policy.points(screen.grey, names) if names else (), strict=True):
            x, y = (value / screen.scale for value in point)
            box = screen.box(name)
            middle_x, middle_y = middle_of(box)
            found.append(float(hits(x, y, box)))
            distances.append(math.hypot(x - middle_x, y - middle_y))
    return np.array(found), np.array(distances)
