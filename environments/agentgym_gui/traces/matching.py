"""When a step agrees with the expert's: the same acts, at the same places, with the same texts and keys.

A place is the smallest box that holds the expert's point, so that boxes of whole screens make nothing right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from agentgym_gui.actions.events import Box
from agentgym_gui.actions.gestures import Point
from agentgym_gui.traces.acts import Act

TOLERANCE = 0.04
"""Where no box holds the expert's point: how far away a point may be, in widths and heights of the screen."""
_FREE_PLACE = ("scroll",)
_SIDES = ("_R", "_L")


def agree(said: Sequence[Act], expert: Sequence[Act], boxes: Sequence[Box], size: tuple[int, int]) -> bool:
    """Whether the agent's acts do what the expert's do, one by one.

    Args:
        said: The agent's.
        expert: The expert's.
        boxes: The boxes of what can be clicked.
        size: Width and height of the screen.
    """
    return len(said) == len(expert) and all(
        _one_agrees(mine, theirs, boxes, size) for mine, theirs in zip(said, expert, strict=True)
    )


def target(point: Point, boxes: Sequence[Box]) -> Box | None:
    """The smallest box that holds a point; None if none does."""
    return min((box for box in boxes if box.holds(*point)), key=lambda box: box.area, default=None)


def _one_agrees(said: Act, expert: Act, boxes: Sequence[Box], size: tuple[int, int]) -> bool:
    is_same = (
        said.kind == expert.kind
        and said.button == expert.button
        and said.count == expert.count
        and said.direction == expert.direction
        and _keys(said.keys) == _keys(expert.keys)
        and _is_same_text(said, expert)
    )
    if not is_same or said.kind in _FREE_PLACE:
        return is_same
    return _is_same_place(said.at, expert.at, boxes, size) and _is_same_place(said.to, expert.to, boxes, size)


def _is_same_place(said: Point | None, expert: Point | None, boxes: Sequence[Box], size: tuple[int, int]) -> bool:
    if said is None or expert is None:
        return said is expert
    box = target(expert, boxes)
    if box is not None:
        return box.holds(*said)
    return math.hypot((said[0] - expert[0]) / size[0], (said[1] - expert[1]) / size[1]) <= TOLERANCE


def _is_same_text(said: Act, expert: Act) -> bool:
    """Case and spaces aside; what is said at the end counts only where the expert said something."""
    if expert.kind == "fail" or (expert.kind == "done" and not expert.text):
        return True
    return " ".join(said.text.casefold().split()) == " ".join(expert.text.casefold().split())


def _keys(keys: Sequence[str]) -> tuple[frozenset[str], str]:
    """Modifiers in any order and of either side, and the last key."""
    if not keys:
        return frozenset(), ""
    *modifiers, last = keys
    return frozenset(modifier.replace(*_SIDES) for modifier in modifiers), last
