"""Oracles of pages that want one element clicked, or a few in a known order."""

from __future__ import annotations

import re
from typing import Any

from agentgym_web.miniwob.oracles.player import click, do, lines, quoted, solves
from agentgym_web.reading import Reading

_COLORS = {"olive": "#808000"}
_KINDS = {"rect": "Rectangle", "circle": "Circle", "ellipse": "Circle", "polygon": "Triangle", "path": "Triangle"}
_WIDGETS = ("radio", "checkbox", "button")


@solves("click-button", "click-link", "unicode-test")
def click_quoted(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The element whose text the instruction quotes."""
    name = quoted(instruction)[0]
    return lines(click(seen.find("button", name) or seen.find("clickable", name) or seen.find("link", name)))


@solves("click-test", "click-test-2", "click-test-transfer", "click-button-sequence")
def click_buttons(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The buttons that are named in capitals, in their order; the only button if none is."""
    names = re.findall(r"\b(?:ONE|TWO|THREE)\b", instruction)
    if not names:
        return lines(click(seen.find("button")))
    return lines(*(click(seen.find("button", name)) for name in names))


@solves("button-delay")
def click_delayed(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Two buttons with a wait in between; the first click takes half a second of the page's time."""
    seconds = int(re.search(r"wait (\d+)", instruction)[1])  # type: ignore[index]
    return lines(click(seen.find("button", "ONE")), do("noop", 1000 * seconds - 500), click(seen.find("button", "TWO")))


@solves("click-dialog", "click-dialog-2")
def click_in_dialog(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The button of a dialog; the one that closes it is called Close."""
    name = quoted(instruction)[0]
    return lines(click(seen.find("button", "Close" if name == "x" else name)))


@solves("click-color")
def click_color(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The box of a colour."""
    color = re.search(r"on the (\w+) colored", instruction)[1]  # type: ignore[index]
    wanted = {color, _COLORS.get(color, color)}
    return lines(click(next((node for node in seen.nodes if node.properties.get("color") in wanted), None)))


@solves("click-tab")
def click_tab(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A tab by its title."""
    return lines(click(seen.find("tab", re.search(r"Tab #\d+", instruction)[0])))  # type: ignore[index]


@solves("click-widget")
def click_widget(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A control of a kind."""
    kind = quoted(instruction)[0]
    if kind in _WIDGETS:
        return lines(click(seen.find(kind)))
    fields = [node for node in seen.all("textbox") if ("multiline" in node.properties) == (kind == "textarea")]
    return lines(*map(click, fields[:1]))


@solves("identify-shape")
def name_shape(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The button that says what the figure is."""
    canvas = seen.all("svg")[0]
    shape = seen.inside(canvas)[0]
    name = ("Number" if shape.name.isdigit() else "Letter") if shape.name else _KINDS[shape.role]
    return lines(click(seen.find("button", name)))


@solves("ascending-numbers")
def click_ascending(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Numbers in order; after the first one they are covered, and stand in memory."""
    places = memory.get("places")
    if places is None:
        numbers = sorted(seen.inside(seen.all("svg")[0]), key=lambda node: int(node.name))
        memory["places"] = [node.at for node in numbers[1:]]
        return click(numbers[0])
    memory["places"] = []
    return lines(*(do("mouse_click", *place) for place in places))


@solves("grid-coordinate")
def click_coordinate(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The point of a grid whose axes are drawn as lines."""
    x, y = map(int, re.search(r"\((-?\d+),(-?\d+)\)", instruction).groups())  # type: ignore[union-attr]
    points = seen.all("circle")
    columns = sorted({point.at[0] for point in points})
    rows = sorted({point.at[1] for point in points}, reverse=True)
    wanted = columns[x + len(columns) // 2], rows[y + len(rows) // 2]
    return lines(click(next((point for point in points if point.at == wanted), None)))


@solves("focus-text", "focus-text-2")
def focus_field(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The first field, or the one that the instruction counts."""
    found = re.search(r"(\d+)(?:st|nd|rd|th)", instruction)
    return lines(click(seen.find("textbox", nth=int(found[1]) - 1 if found else 0)))
