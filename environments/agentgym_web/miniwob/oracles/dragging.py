"""Oracles of pages that want things dragged: boxes, shapes, list items, handles."""

from __future__ import annotations

import re
from typing import Any

from agentgym_web.miniwob.oracles.listing import COLOR_NAMES, KINDS
from agentgym_web.miniwob.oracles.player import click, do, lines, solves
from agentgym_web.reading import Node, Reading

WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
FAR = 30
PAST = 6
CELLS = ("top left", "top center", "top right", "center left", "center", "center right", "bottom left", "bottom center",
         "bottom right")  # fmt: skip
"""Places of a grid in the order of its items."""
HEXES = {
    "black": "000000", "white": "FFFFFF", "red": "FF0000", "green": "008000", "lime": "00FF00", "blue": "0000FF",
    "yellow": "FFFF00", "orange": "FFA500", "purple": "800080", "pink": "FFC0CB", "grey": "808080", "gray": "808080",
    "cyan": "00FFFF", "aqua": "00FFFF", "magenta": "FF00FF", "fuchsia": "FF00FF", "brown": "A52A2A", "maroon": "800000",
    "navy": "000080", "olive": "808000", "silver": "C0C0C0", "teal": "008080", "violet": "EE82EE", "indigo": "4B0082",
    "gold": "FFD700",
}  # fmt: skip
MAX_CALLS = 8


@solves("drag-box")
def drag_box(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The small box into the large one."""
    small, large = seen.find(name="s"), seen.find(name="L")
    drag = do("mouse_drag_and_drop", *small.at, *large.at) if small and large else ""
    return lines(drag, click(seen.find("button", "Submit")))


@solves("drag-circle", "drag-single-shape")
def drag_shape(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The only shape some way in a direction."""
    shape = next(node for node in seen.nodes if node.role in KINDS)
    across, down = WAYS[re.search(r"Drag the \w+ (\w+)", instruction)[1]]  # type: ignore[index]
    x, y = shape.at
    return lines(
        do("mouse_drag_and_drop", x, y, x + FAR * across, y + FAR * down), click(seen.find("button", "Submit"))
    )


@solves("drag-shapes", "drag-shapes-2")
def sort_shapes(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Shapes of a kind or colour into one box, and, where there are two boxes, the others into the other one."""
    figures = [node for node in seen.nodes if node.role in KINDS]
    boxes = sorted((node for node in figures if "color" not in node.properties), key=lambda node: node.at)
    wanted = re.search(r"Drag all (\w+)", instruction)[1]  # type: ignore[index]
    calls = []
    for figure in figures:
        if "color" not in figure.properties:
            continue
        fits = wanted in (f"{KINDS[figure.role]}s", figure.properties["color"])
        fits = fits or COLOR_NAMES.get(wanted) == figure.properties["color"]
        if fits or len(boxes) > 1:
            calls.append(do("mouse_drag_and_drop", *figure.at, *boxes[0 if fits else 1].at))
    return lines(*calls, click(seen.find("button", "Submit")))


@solves("drag-items", "drag-items-grid")
def drag_item(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """An item to another place of a list or a grid."""
    name, where = re.search(r"Drag (\S+) (.*)\.", instruction).groups()  # type: ignore[union-attr]
    items = seen.all("listitem")
    start = next(number for number, item in enumerate(items) if name in names_in(item, seen))
    return drag_past(items[start], items[_place(where, start, len(items))])


def drag_past(item: Node, goal: Node) -> str:
    """The calls that drag an item a little beyond the middle of another one, so that it takes that one's place.

    On the way to an earlier place the last move goes left, since after a move to the right the list puts the item
    behind the one below it.
    """
    (from_x, from_y), (to_x, to_y) = item.at, goal.at
    if goal.index < item.index and to_x > from_x:
        moves = [do("mouse_move", to_x + 2 * PAST, to_y), do("mouse_move", to_x - PAST, to_y - PAST)]
        return lines(do("mouse_down", from_x, from_y), *moves, do("mouse_up", to_x - PAST, to_y - PAST))
    beyond = [(to > start) - (to < start) for start, to in ((from_x, to_x), (from_y, to_y))]
    return do("mouse_drag_and_drop", from_x, from_y, to_x + PAST * beyond[0], to_y + PAST * beyond[1])


def names_in(item: Node, seen: Reading) -> list[str]:
    """The texts of an item of a list."""
    return [item.name, *(node.name for node in seen.inside(item))]


def _place(where: str, start: int, count: int) -> int:
    """The index that words such as "to the 3rd position" or "up by one" mean."""
    ordinal = re.search(r"(\d)\w\w position", where)
    if ordinal:
        return int(ordinal[1]) - 1
    if "by one" in where:
        width = 3 if count == 9 else 1
        return start + {"left": -1, "right": 1, "up": -width, "down": width}[where.split(" ")[0]]
    if count == 9:
        return CELLS.index(where.removeprefix("to the "))
    return 0 if where == "to the top" else count - 1


@solves("drag-sort-numbers")
def sort_numbers(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Numbers into their order: the first wrong place gets its number, and so on."""
    items = seen.all("listitem")
    numbers = [int(next(text for text in names_in(item, seen) if re.fullmatch(r"-?\d+", text))) for item in items]
    for place, number in enumerate(sorted(numbers)):
        if numbers[place] != number:
            start = numbers.index(number, place)
            return drag_past(items[start], items[place])
    return lines(click(seen.find("button", "Submit")))


@solves("resize-textarea")
def resize(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A text area by one of its edges."""
    is_wide, step = "width" in instruction, FAR // 2 if "larger" in instruction else -FAR // 2
    frame = next(node for node in seen.all("clickable") if node.properties.get("class") == "ui-wrapper")
    (x, y), (width, height) = frame.at, frame.size
    x, y = (x + width // 2 - 1, y) if is_wide else (x, y + height // 2 - 1)
    end = (x + step, y) if is_wide else (x, y + step)
    return lines(do("mouse_drag_and_drop", x, y, *end), click(seen.find("button", "Submit")))


@solves("use-slider-2")
def set_sliders(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Sliders, each by a click on its track, then by keys where that missed."""
    wanted = [int(number) for number in re.findall(r"\d+", instruction)]
    tracks = [node for node in seen.all("clickable") if node.size[0] > 100]
    shown = [int(node.name) for node in seen.all("text")]
    if shown == wanted:
        return lines(click(seen.find("button", "Submit")))
    calls = []
    for track, value, now in zip(tracks, wanted, shown, strict=True):
        (x, y), (width, _) = track.at, track.size
        if not memory:
            calls.append(do("mouse_click", round(x - width / 2 + width * value / 20), y))
            continue
        handle = seen.inside(track)[0]
        key = "ArrowRight" if value > now else "ArrowLeft"
        calls += [do("press", handle.id, key)] * abs(value - now)
    memory["clicked"] = True
    return lines(*calls[:MAX_CALLS])


@solves("use-colorwheel", "use-colorwheel-2")
def choose_color(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A colour by its code; one that is only shown is read off its box, and middle grey stands for one that is not."""
    named = re.search(r"Select (\w+) with", instruction)
    boxes = [node.properties["color"] for node in seen.all("box") if "color" in node.properties]
    color = named[1] if named else boxes[0] if boxes else "grey"
    field = seen.find("textbox")
    code = color[1:] if color.startswith("#") else HEXES[color]
    return lines(do("fill", field.id, code) if field else "", click(seen.find("button", "Submit")))
