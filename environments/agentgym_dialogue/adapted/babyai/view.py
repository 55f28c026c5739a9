"""What the agent sees in words: the partial view of minigrid, as distances ahead and aside.

After BabyAI-Text (Carta et al. 2023, arXiv 2302.02662), in fewer words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
from minigrid.core.constants import IDX_TO_COLOR, IDX_TO_OBJECT, STATE_TO_IDX

from agentgym.errors import ContractError

_DOOR_STATES = {index: name for name, index in STATE_TO_IDX.items()}
_UNTOLD = {"unseen", "empty", "floor", "wall", "agent"}
_WAYS = {"ahead": (0, -1), "left": (-1, 0), "right": (1, 0)}


def describe(observation: Any, env: gymnasium.Env[Any, Any]) -> str:
    """The text of an observation; the mission is told at the start."""
    raw: Any = env
    image = observation["image"]
    things = sorted(_things(image), key=lambda thing: (thing[0], thing[1]))
    seen = [text for _, text in things] or ["nothing"]
    walls = [f"{away} {way}" for way, away in _walls(image)]
    lines = [f"Mission: {observation['mission']}."] if raw.step_count == 0 else []
    carried = raw.carrying
    holds = f"{carried.color} {carried.type}" if carried is not None else "nothing"
    lines.append(f"See {', '.join(seen)}. Wall {', '.join(walls) or 'far'}. Hold {holds}.")
    return "\n".join(lines)


def _things(image: Any) -> Iterator[tuple[int, str]]:
    """Distance in moves and text of each thing in view, but for what the agent holds."""
    width, depth = image.shape[:2]
    middle = width // 2
    for column in range(width):
        for row in range(depth):
            kind = IDX_TO_OBJECT[int(image[column, row, 0])]
            ahead, aside = depth - 1 - row, column - middle
            if kind in _UNTOLD or (ahead, aside) == (0, 0):
                continue
            state = f"{_DOOR_STATES[int(image[column, row, 2])]} " if kind == "door" else ""
            place = [f"{ahead} ahead"] if ahead else []
            place += [f"{abs(aside)} {'left' if aside < 0 else 'right'}"] if aside else []
            yield ahead + abs(aside), f"{state}{IDX_TO_COLOR[int(image[column, row, 1])]} {kind} {' '.join(place)}"


def _walls(image: Any) -> Iterator[tuple[str, int]]:
    """How far the next wall is straight ahead, to the left and to the right; none where there is none in view."""
    width, depth = image.shape[:2]
    if width % 2 == 0:
        raise ContractError(f"the view has {width} columns; expected an odd number, the agent in the middle")
    for way, (across, down) in _WAYS.items():
        column, row, away = width // 2 + across, depth - 1 + down, 1
        while 0 <= column < width and 0 <= row < depth:
            if IDX_TO_OBJECT[int(image[column, row, 0])] == "wall":
                yield way, away
                break
            column, row, away = column + across, row + down, away + 1
