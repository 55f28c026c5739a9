"""How good an answer is: hit, nearness, overlap and edges, and how these make the rewards of SE-GUI and GUI-G1.

Pure functions of boxes. What a message says is read in `answers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentgym.authoring.pointing import nearness
from agentgym.errors import UnknownNameError
from agentgym_gui.actions.events import Box
from agentgym_gui.grounding.scenes import overlap

HIT, NEAR, OVERLAP, EDGES = "hit", "near", "overlap", "edges"
REWARDS: Mapping[str, Mapping[str, float]] = {
    "hit": {HIT: 1.0, NEAR: 0.0, OVERLAP: 0.0, EDGES: 0.0},
    "dense": {HIT: 1.0, NEAR: 1.0, OVERLAP: 0.0, EDGES: 0.0},
    "box": {HIT: 1.0, NEAR: 0.0, OVERLAP: 0.25, EDGES: 0.125},
}
"""Weights of the components in each reward: "dense" is SE-GUI's (arXiv:2505.12370), "box" is GUI-G1's
(arXiv:2505.15810)."""
TYPICAL_SHARE = 0.001
"""Share of the screen of a target whose difficulty is 1: 32x32 pixels of 1280x800."""
_EXPONENT = 0.25
_HARDEST = 2.0


@dataclass(frozen=True, slots=True)
class Point:
    """A point as an answer, in pixels."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Nowhere:
    """The answer that the target is not on the screen."""


Answer = Point | Box | Nowhere


@dataclass(frozen=True, slots=True)
class Score:
    """How good an answer is, each from 0 to 1.

    Attributes:
        hit: Whether the point, or the middle of the box, lies in the target.
        near: 1 - (d / dmax)^2 for the distance d to the target's middle.
        overlap: Shared pixels as a share of all pixels of both boxes.
        edges: Harmonic mean of 1 - |error| of the four edges, in shares of the screen.
    """

    hit: float
    near: float
    overlap: float
    edges: float

    def values(self) -> dict[str, float]:
        """By component."""
        return {HIT: self.hit, NEAR: self.near, OVERLAP: self.overlap, EDGES: self.edges}


RIGHTLY_NOWHERE = Score(1.0, 1.0, 1.0, 1.0)
WRONG = Score(0.0, 0.0, 0.0, 0.0)


def score(answer: Answer, target: Box | None, width: int, height: int) -> Score:
    """How good an answer is.

    Args:
        answer: A point, a box, or nowhere.
        target: The box of what was described; None where it is not on the screen.
        width: Columns of the screen.
        height: Rows of the screen.
    """
    if target is None or isinstance(answer, Nowhere):
        return RIGHTLY_NOWHERE if target is None and isinstance(answer, Nowhere) else WRONG
    box = Box(answer.x, answer.y, 1, 1) if isinstance(answer, Point) else answer
    x, y = box.x + (box.width - 1) / 2, box.y + (box.height - 1) / 2
    return Score(
        float(target.holds(x, y)),
        float(nearness(x, y, (target.x, target.y, target.width, target.height), (width, height))),
        overlap(box, target),
        edge_agreement(box, target, width, height),
    )


def edge_agreement(box: Box, target: Box, width: int, height: int) -> float:
    """Harmonic mean of 1 - |error| of the left, right, upper and lower edge, in shares of the screen.

    Source: GUI-G1 (arXiv:2505.15810), its reward of box edges.
    """
    errors = (
        abs(box.x - target.x) / width,
        abs(box.x + box.width - target.x - target.width) / width,
        abs(box.y - target.y) / height,
        abs(box.y + box.height - target.y - target.height) / height,
    )
    if max(errors) >= 1:
        return 0.0
    return 4 / sum(1 / (1 - error) for error in errors)


def difficulty(target: Box | None, width: int, height: int) -> float:
    """The weight of a target: smaller ones are harder and weigh more, from 1/2 to 2.

    Source: GUI-G1 (arXiv:2505.15810) weighs by the inverse of the target's share of the screen.
    Differs: its weights are normalised over the data set, which an environment of single tasks does not know. Here the
    fourth root of the inverse share counts, relative to `TYPICAL_SHARE`, with bounds.
    """
    if target is None:
        return 1.0
    share = target.area / (width * height)
    weight: float = (TYPICAL_SHARE / max(share, 1e-9)) ** _EXPONENT
    return min(max(weight, 1 / _HARDEST), _HARDEST)


def reward_weights(name: str) -> dict[str, float]:
    """Weights of the components in a reward.

    Raises:
        UnknownNameError: There is none of that name.
    """
    if name not in REWARDS:
        raise UnknownNameError("reward", name, REWARDS)
    return dict(REWARDS[name])
