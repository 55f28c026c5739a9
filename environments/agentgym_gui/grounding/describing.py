"""Descriptions of items that hold for one item alone: by name, role, place, relation or function; and of absent ones.

Which screens are described is decided elsewhere; `functions` says what controls do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from agentgym_gui.actions.events import Box
from agentgym_gui.grounding.functions import FUNCTIONS, OTHER_NAMES
from agentgym_gui.grounding.scenes import Item, Scene, overlap, shared

ROLES: Mapping[str, str] = {
    "push button": "button",
    "toggle button": "button",
    "radio button": "radio button",
    "check box": "check box",
    "menu": "menu",
    "menu item": "menu item",
    "check menu item": "menu item",
    "radio menu item": "menu item",
    "page tab": "tab",
    "text": "text field",
    "password text": "text field",
    "combo box": "drop-down list",
    "spin button": "number field",
    "slider": "slider",
    "table cell": "row entry",
    "table column header": "column heading",
    "list item": "list entry",
    "icon": "icon",
    "link": "link",
    "cell": "cell",
}
"""Roles that can be asked for, and how descriptions call them."""
KINDS = ("name", "role", "place", "relation", "function")
ABSENT = "absent"
MAX_SHARE = 0.06
"""Items that cover more of the screen are not asked for: any answer would hit them."""
MIN_SIDE = 7
_MAX_NAME = 60
_SAME = 0.5
_STATES = {"checked": "that is ticked", "selected": "that is selected", "focused": "that has the focus"}
_GAP = 90
"""How far a neighbour may be, in pixels."""


class Described(NamedTuple):
    """A description and what it means.

    Attributes:
        kind: One of `KINDS`, or `ABSENT`.
        words: Such as 'the button "Save"'.
        box: The box of the item; None where there is none.
    """

    kind: str
    words: str
    box: Box | None


def describe(scene: Scene, rng: random.Random, kind: str) -> Described | None:
    """A description of a kind that holds for one item of a scene; None where the scene has none.

    Args:
        scene: The scene.
        rng: Randomness.
        kind: One of `KINDS`, or `ABSENT`.
    """
    if kind == ABSENT:
        return _absent(scene, rng)
    found = _MAKERS[kind](scene)
    return found[rng.randrange(len(found))] if found else None


def descriptions(scene: Scene) -> list[Described]:
    """All descriptions of the items of a scene, by name first."""
    return [each for kind in KINDS for each in _MAKERS[kind](scene)]


def draw(scene: Scene, rng: random.Random, absent_share: float = 0.1) -> Described | None:
    """A description of any kind; with this probability of something that is not there.

    Returns:
        None for a scene on which nothing can be asked for.
    """
    if rng.random() < absent_share:
        return _absent(scene, rng)
    for kind in rng.sample(KINDS, len(KINDS)):
        found = describe(scene, rng, kind)
        if found is not None:
            return found
    return None


def askable(scene: Scene) -> list[Item]:
    """The items that may be asked for: of a known role, and neither tiny nor huge."""
    limit = MAX_SHARE * scene.width * scene.height
    return [
        each
        for each in scene.items
        if each.role in ROLES and min(each.box.width, each.box.height) >= MIN_SIDE and each.box.area <= limit
    ]


def _quoted(item: Item) -> str:
    return f'the {ROLES[item.role]} "{item.name}"'


def _has_name(item: Item) -> bool:
    return 0 < len(item.name) <= _MAX_NAME and item.name.isprintable() and '"' not in item.name


def _by_name(scene: Scene) -> list[Described]:
    """Names that one item has; something of that name in it or around it, such as its label, is the same item."""
    found = []
    for item in askable(scene):
        if _has_name(item) and _is_only(item, [each for each in scene.items if _like(each) == _like(item)]):
            words = f"cell {item.name}" if item.role == "cell" else f'"{item.name}"'
            found.append(Described("name", words, item.box))
    return found


def _by_role(scene: Scene) -> list[Described]:
    """The only item of a role, the only one of a role in a state, or the only one of a role with a name."""
    items = askable(scene)
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(ROLES[item.role], []).append(item)
    # What is too small or too large to be asked for is there all the same.
    all_of = {role: [each for each in scene.items if ROLES.get(each.role) == role] for role in groups}
    found = []
    for role, group in groups.items():
        if len(all_of[role]) == 1:
            found.append(Described("role", f"the only {role}", group[0].box))
        for state, words in _STATES.items():
            holders = [each for each in all_of[role] if state in each.states]
            if len(holders) == 1 and holders[0] in group and len(all_of[role]) > 1:
                found.append(Described("role", f"the {role} {words}", holders[0].box))
        for item in group:
            same = [each for each in all_of[role] if _like(each) == _like(item)]
            if role != "cell" and _has_name(item) and _is_only(item, same):
                found.append(Described("role", _quoted(item), item.box))
    return found


def _by_place(scene: Scene) -> list[Described]:
    """The outermost items of a role, and those that are counted from the left in a row of one role."""
    found = []
    items = [each for each in scene.items if each.role in ROLES and each.role != "cell"]
    fine = set(askable(scene))
    for role in sorted({ROLES[each.role] for each in items}):
        group = [each for each in items if ROLES[each.role] == role]
        if len(group) < 2:
            continue
        for words, key in _SIDES:
            first, second = sorted(group, key=key)[:2]
            if first in fine and key(second) - key(first) >= 8 and not shared(first.box, second.box):
                found.append(Described("place", f"the {words} {role}", first.box))
    for role, row in _rows(items):
        for number, item in enumerate(row[: len(_ORDINALS)]):
            if item in fine and len(row) > 2:
                found.append(Described("place", f"the {_ORDINALS[number]} {role} from the left", item.box))
    return found


def _rows(items: Sequence[Item]) -> list[tuple[str, list[Item]]]:
    """Rows of a role, where all items of the role on the screen stand in that row."""
    rows = []
    for role in sorted({ROLES[each.role] for each in items}):
        group = sorted((each for each in items if ROLES[each.role] == role), key=lambda each: each.box.x)
        tops = {each.box.y for each in group}
        apart = all(not shared(one.box, other.box) for one, other in pairwise(group))
        if len(tops) == 1 and apart:
            rows.append((role, group))
    return rows


def _by_relation(scene: Scene) -> list[Described]:
    """The nearest item beside or below one that its name tells."""
    items = [each for each in scene.items if (each.role in ROLES and each.role != "cell") or each.role == "label"]
    fine = set(askable(scene))
    found = []
    for anchor in items:
        same = [each for each in scene.items if _like(each) == _like(anchor)]
        if not _has_name(anchor) or not _is_only(anchor, same):
            continue
        for words, key in _NEIGHBOURS.items():
            near = sorted((gap, at) for at, each in enumerate(items) if (gap := key(anchor.box, each.box)) is not None)
            if not near or near[0][0] > _GAP or (len(near) > 1 and near[1][0] - near[0][0] < 4):
                continue
            item = items[near[0][1]]
            if item in fine:
                words_of_it = f'the {ROLES[item.role]} directly {words} "{anchor.name}"'
                found.append(Described("relation", words_of_it, item.box))
    return found


def _by_function(scene: Scene) -> list[Described]:
    """What an item does, where no other item of the scene does the same."""
    does = [(each, FUNCTIONS[each.name.rstrip("…")]) for each in scene.items if each.name.rstrip("…") in FUNCTIONS]
    fine = set(askable(scene))
    return [
        Described("function", f"the control that {words}", item.box)
        for item, words in does
        if item in fine and _is_only(item, [each for each, other in does if other == words])
    ]


def _absent(scene: Scene, rng: random.Random) -> Described | None:
    """The name of a control that the scene has not, with a role that it has; nothing there does the same."""
    there = {_like(each) for each in scene.items}
    done = {FUNCTIONS.get(each.name.rstrip("…")) for each in scene.items} - {None}
    names = [
        name
        for name in (*FUNCTIONS, *OTHER_NAMES)
        if len(name) > 2 and name.rstrip(".…").lower() not in there and FUNCTIONS.get(name) not in done
    ]
    roles = sorted({ROLES[each.role] for each in askable(scene) if each.role != "cell"})
    if not names or not roles:
        return None
    name = names[rng.randrange(len(names))]
    words = f'"{name}"' if rng.random() < 0.5 else f'the {roles[rng.randrange(len(roles))]} "{name}"'
    return Described(ABSENT, words, None)


def _like(item: Item) -> str:
    return item.name.rstrip(".…").lower()


def _is_only(item: Item, same: Sequence[Item]) -> bool:
    """Whether all of some items are the same thing: their boxes nearly coincide, or it holds them."""
    return all(
        each is item or overlap(each.box, item.box) > _SAME or shared(each.box, item.box) == each.box.area
        for each in same
    )


def _right_of(anchor: Box, box: Box) -> int | None:
    gap = box.x - (anchor.x + anchor.width)
    return gap if gap >= -2 and _share(anchor.y, anchor.height, box.y, box.height) else None


def _left_of(anchor: Box, box: Box) -> int | None:
    return _right_of(box, anchor)


def _below(anchor: Box, box: Box) -> int | None:
    gap = box.y - (anchor.y + anchor.height)
    return gap if gap >= -2 and _share(anchor.x, anchor.width, box.x, box.width) else None


def _above(anchor: Box, box: Box) -> int | None:
    return _below(box, anchor)


def _share(start: int, size: int, other: int, other_size: int) -> bool:
    """Whether two stretches share more than half of the shorter one."""
    both = min(start + size, other + other_size) - max(start, other)
    return both > 0.5 * min(size, other_size)


_SIDES: Sequence[tuple[str, Callable[[Item], int]]] = (
    ("topmost", lambda item: item.box.y),
    ("lowest", lambda item: -(item.box.y + item.box.height)),
    ("leftmost", lambda item: item.box.x),
    ("rightmost", lambda item: -(item.box.x + item.box.width)),
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NEIGHBOURS: Mapping[str, Callable[[Box, Box], int | None]] = {
    "to the right of": _right_of,
    "to the left of": _left_of,
    "below": _below,
    "above": _above,
}
_MAKERS: Mapping[str, Callable[[Scene], list[Described]]] = {
    "name": _by_name,
    "role": _by_role,
    "place": _by_place,
    "relation": _by_relation,
    "function": _by_function,
}
