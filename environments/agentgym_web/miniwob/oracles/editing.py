"""Oracles of pages that want a part of a text marked or styled, or an event written into a calendar."""

from __future__ import annotations

import re
from typing import Any

from agentgym_web.miniwob.oracles.drawing import in_parts
from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, quoted, solves
from agentgym_web.reading import Node, Reading

STYLES = {"bold": "ql-bold", "italics": "ql-italic", "underlined": "ql-underline"}
COLORS = {
    "red": "#e60000", "orange": "#ff9900", "yellow": "yellow", "green": "#008a00", "blue": "#0066cc",
    "purple": "#9933ff",
}  # fmt: skip
"""The main colours of the editor's palette."""


@solves("text-editor")
def style_text(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A word, or everything, in a style or colour."""
    word = re.search(r"give the text (\S+) the", instruction)
    style = re.search(r"the (?:style|color) (\w+)", instruction)[1]  # type: ignore[index]
    editor = next(node for node in seen.all("textbox") if node.value)
    submit = click(seen.find("button", "Submit"))

    def calls() -> list[str]:
        keys = ["Control+a"] if word is None else word_keys(editor.value.split(" "), word[1])
        classes = {node.properties.get("class", "").split(" ")[0]: node for node in seen.nodes}
        marked = [click(editor), *(do("keyboard_press", key) for key in keys)]
        if style in STYLES:
            return [*marked, click(classes[STYLES[style]]), submit]
        return [*marked, click(classes["ql-picker-label"])]

    if "plan" in memory and not memory["plan"]:
        shades = [node for node in seen.all("clickable") if "ql-picker-item" in node.properties.get("class", "")]
        chosen = [node for node in shades if node.properties.get("color") == COLORS[style]]
        return lines(click(chosen[0]), submit) if chosen else submit
    return in_parts(memory, calls)


def word_keys(words: list[str], word: str) -> list[str]:
    """The keys that mark a word of a text, from its beginning."""
    before = sum(len(each) + 1 for each in words[: words.index(word)])
    return ["Control+Home", *["ArrowRight"] * before, *["Shift+ArrowRight"] * len(word)]


@solves("highlight-text")
def mark_text(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The only text of the page: its first line with the mouse, the rest with keys; the button is above or below."""
    button, text = seen.find("button", "Submit"), seen.all("text")[0]
    if button is None:
        return NOTHING
    top = 51 if text.index < button.index else 96
    marked = [do("mouse_drag_and_drop", 1, top, 158, top + 16), do("keyboard_press", "Control+Shift+ArrowDown")]
    return lines(*marked, click(button))


@solves("daily-calendar")
def plan_event(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """An event of a length, with a name, on free half hours within a span of time."""
    field = next((node for node in seen.all("textbox")), None)
    if field is not None:
        return lines(do("fill", field.id, quoted(instruction)[0]), click(seen.find("button", "Create")))
    drawn = seen.find(name="New event")
    if drawn is not None:
        return click(drawn)
    halves = free_halves(instruction, seen)
    if "shown" not in memory:
        memory["shown"] = True
        return do("hover", halves[len(halves) // 2].id)
    (from_x, from_y), (to_x, to_y) = halves[0].at, halves[-1].at
    return lines(do("mouse_down", from_x, from_y), do("mouse_move", to_x + 1, to_y + 1))


def free_halves(instruction: str, seen: Reading) -> list[Node]:
    """The first half hours in a row that are long enough and lie below no event."""
    found = re.search(r"a ([\d.]+) (min|hour)s? event .* between (\w+) and (\w+)", instruction)
    length, unit, start, end = found.groups()  # type: ignore[union-attr]
    count = round(float(length) / 30 if unit == "min" else float(length) * 2)
    halves = [node for node in seen.nodes if node.properties.get("class") == "half-hour"]
    events = [node for node in seen.all("text") if node.size[1]]
    for first in range(hour(start) * 2, hour(end) * 2 - count + 1):
        row = halves[first : first + count]
        if not any(overlaps(half, event) for half in row for event in events):
            return row
    return halves[hour(start) * 2 :][:count]


def hour(text: str) -> int:
    """The hour of the day that "12PM" or "8AM" means."""
    return int(text[:-2]) % 12 + (12 if text.endswith("PM") else 0)


def overlaps(first: Node, second: Node) -> bool:
    """Whether the middle of a box is at the height of another one."""
    return abs(first.at[1] - second.at[1]) * 2 <= second.size[1]
