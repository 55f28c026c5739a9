"""A scene: what a screen shows as a list of items with boxes, whether it is live, recorded or read from a file.

How scenes come about is in `opening`; how one is drawn without its application is in `drawing`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.errors import TaskError
from agentgym_gui.actions.events import Box
from agentgym_gui.desktop.tree import Screen

_SHARE_COVERED = 0.3
"""A share of its box that a menu covers, from which an item counts as hidden."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something on a screen.

    Attributes:
        role: What it is, such as "push button".
        name: What it is called; "" for nothing.
        box: What of it is visible.
        states: Such as ("checked",).
    """

    role: str
    name: str
    box: Box
    states: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """What a screen shows.

    Attributes:
        application: The application that it shows.
        state: In which state, such as "file menu".
        seed: Seed of its documents.
        width: Columns of the screen.
        height: Rows of the screen.
        theme: The theme.
        font_size: Size of the text, in points.
        windows: Titles and boxes of the windows with their frames, from the lowest.
        items: What is visible in them; later ones lie above earlier ones.
    """

    application: str
    state: str
    seed: int
    width: int
    height: int
    theme: str
    font_size: float
    windows: tuple[tuple[str, Box], ...]
    items: tuple[Item, ...]

    def row(self) -> dict[str, Any]:
        """The scene as JSON."""
        return {
            "application": self.application,
            "state": self.state,
            "seed": self.seed,
            "screen": [self.width, self.height, self.theme, self.font_size],
            "windows": [[title, *_numbers(box)] for title, box in self.windows],
            "items": [[each.role, each.name, *_numbers(each.box), *each.states] for each in self.items],
        }

    @property
    def key(self) -> str:
        """A hash of everything in it."""
        return hashlib.sha256(json.dumps(self.row(), sort_keys=True).encode()).hexdigest()[:12]


def read_scene(row: Mapping[str, Any]) -> Scene:
    """The scene of a JSON row.

    Raises:
        TaskError: It is none.
    """
    try:
        width, height, theme, font_size = row["screen"]
        windows = tuple((str(title), Box(*map(int, box))) for title, *box in row["windows"])
        items = tuple(_item(each) for each in row["items"])
        return Scene(
            str(row["application"]),
            str(row["state"]),
            int(row["seed"]),
            int(width),
            int(height),
            str(theme),
            float(font_size),
            windows,
            items,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TaskError(f"a recorded screen is malformed: {type(error).__name__}: {error}") from error


def items_of(screen: Screen, width: int, height: int) -> tuple[Item, ...]:
    """The items that can be seen on a desktop.

    Items that a higher window touches, or that a menu covers, are left out.
    """
    order = {window.id: number for number, window in enumerate(screen.windows)}
    shown = [window for window in screen.windows if not window.is_hidden]
    popups: dict[int, list[Box]] = {}
    for each in screen.elements:
        if each.window not in order:
            popups.setdefault(each.window, []).append(each.box)
    menus = [_around(boxes) for boxes in popups.values()]
    below: list[Item] = []
    above: list[Item] = []
    for each in screen.elements:
        box = each.box.within(width, height)
        if box is None or each.depth == 0:
            continue
        item = Item(each.role, " ".join(each.name.split()), box, each.states)
        if each.window not in order:
            above.append(item)
            continue
        if screen.windows[order[each.window]].is_hidden:
            continue
        higher = [window.box for window in shown[shown.index(screen.windows[order[each.window]]) + 1 :]]
        if not any(shared(box, other) for other in higher) and not any(
            shared(box, menu) > _SHARE_COVERED * box.area or menu.holds(*box.centre) for menu in menus
        ):
            below.append(item)
    return (*below, *above)


def shared(one: Box, other: Box) -> int:
    """Number of pixels that two boxes share."""
    width = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    height = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return max(width, 0) * max(height, 0)


def overlap(one: Box, other: Box) -> float:
    """Shared pixels as a share of all pixels of two boxes."""
    both = shared(one, other)
    return both / max(one.area + other.area - both, 1)


def _around(boxes: Sequence[Box]) -> Box:
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return Box(left, top, right - left, bottom - top)


def _numbers(box: Box) -> list[int]:
    return [box.x, box.y, box.width, box.height]


def _item(fields: Iterable[Any]) -> Item:
    role, name, x, y, width, height, *states = fields
    return Item(str(role), str(name), Box(int(x), int(y), int(width), int(height)), tuple(map(str, states)))
