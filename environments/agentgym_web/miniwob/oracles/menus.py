"""Oracles of pages that show what is wanted only after something was opened: tabs, sections, menus, pies."""

from __future__ import annotations

import re
from typing import Any

from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, quoted, solves
from agentgym_web.reading import Node, Reading

SUBMENU = "Playback"
"""The only item of click-menu-2 that has items of its own."""


@solves(
    "click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard",
    "click-collapsible-2", "click-collapsible-2-nodelay",
)  # fmt: skip
def find_behind_tabs(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A link in one of several tabs or sections, opened one after the other."""
    name = quoted(instruction)[0]
    panels = seen.all("tabpanel")
    inside = [node for panel in panels for node in seen.inside(panel)]
    # A budget of tokens may have left out the line of the panel, and shown what is in it.
    links = [node for node in inside if node.role == "clickable"] if panels else seen.all("clickable")
    link = next((node for node in links if node.name == name), None)
    if link is not None:
        return click(link)
    opened = memory.setdefault("opened", set())
    tabs = seen.all("tab")
    opened |= {tab.name for tab in tabs if "selected" in tab.properties}
    following = next((tab for tab in tabs if tab.name not in opened), None)
    if following is None:
        return NOTHING
    opened.add(following.name)
    return click(following)


@solves("click-menu")
def follow_menu(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """An item of a menu in a menu: the ones above it are pointed at, so that the next list opens."""
    path = instruction.removeprefix("Select ").split(">")
    step = memory.setdefault("step", 0)
    memory["step"] = step + 1
    item = menu_item(seen, path[step]) if step < len(path) else None
    if item is None:
        return NOTHING
    return click(item) if step == len(path) - 1 else do("hover", item.id)


@solves("click-menu-2")
def use_icon_menu(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """An item by its label or by its icon; two lists hold them."""
    opener = seen.find("menu")
    if opener is None:
        memory["wanted"] = next((node.properties["class"] for node in seen.all("box") if _is_icon(node)), "")
        return lines(click(seen.find("button", "Menu")))
    item = menu_item(seen, quoted(instruction)[-1]) if len(quoted(instruction)) > 1 else None
    if item is None and memory["wanted"]:
        boxes = [node for node in seen.inside(opener) if node.properties.get("class") == memory["wanted"]]
        item = seen.parent(boxes[0]) if boxes else None
    if item is not None:
        return click(item)
    playback = menu_item(seen, SUBMENU)
    return do("hover", playback.id) if playback is not None else NOTHING


def menu_item(seen: Reading, name: str) -> Node | None:
    """The item of an open menu that has a name; where it has an icon, the name is a text in it."""
    for item in seen.all("menuitem"):
        texts = [item.name, *(node.name for node in seen.inside(item) if node.role == "text")]
        if name in texts:
            return item
    return None


@solves("click-pie", "click-pie-nodelay")
def use_pie(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A slice of a round menu that a click on its middle opens."""
    texts = seen.all("text")
    if any(text.name == "+" and text.size[0] > 20 for text in texts):
        middle = next(text for text in texts if text.name == "+" and text.size[0] > 20)
        return do("mouse_click", *middle.at)
    wanted = [text for text in texts if text.name == quoted(instruction)[0] and text.size[1] > 4]
    return do("mouse_click", *wanted[-1].at) if wanted else NOTHING


def _is_icon(node: Node) -> bool:
    return re.match(r"ui-icon ui-icon-", node.properties.get("class", "")) is not None
