"""Oracles of pages that hide what is wanted: behind tabs, sections, folders, cards, pages of a book."""

from __future__ import annotations

import re
from typing import Any

from agentgym_web.miniwob.oracles.player import NOTHING, click, lines, quoted, solves
from agentgym_web.reading import Node, Reading

_MENU = ("Share via DM", "Copy link to Tweet", "Embed Tweet", "Mute", "Block", "Report")


@solves("click-collapsible", "click-collapsible-nodelay")
def expand_section(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Open the section, then Submit."""
    section = seen.find("tab", part="Section")
    if section is not None and "false" in section.properties.get("expanded", ""):
        return click(section)
    return click(seen.find("button", "Submit")) or NOTHING


@solves("navigate-tree")
def navigate_tree(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A name in a tree; while it is out of sight, the next folder is opened."""
    name = quoted(instruction)[0]
    for role in ("clickable", "listitem", "text"):
        if found := seen.find(role, name):
            return click(found)
    closed = [node for node in seen.nodes if "expandable-hitarea" in node.properties.get("class", "").split()]
    return lines(*map(click, closed[:1]))


@solves("find-greatest")
def pick_greatest(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Turn the cards over one by one, then take the one with the greatest number."""
    cards = seen.all("clickable")
    values = memory.setdefault("values", [])
    if memory.get("is_turned"):
        values.append(int(cards[len(values)].name))
    if len(values) == len(cards):
        best = cards[values.index(max(values))]
        return lines(click(best), click(seen.find("button", "Submit")))
    memory["is_turned"] = True
    return click(cards[len(values)])


@solves("phone-book")
def find_contact(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Leaf to a person, then click what is asked of them."""
    name, asked = re.search(r"Find (.*) in the contact book and click on their (\w+)", instruction).groups()  # type: ignore[union-attr]
    if any(node.name == name for node in seen.all("heading")):
        label = next(node for node in seen.all("text") if node.name.lower().startswith(asked))
        return click(seen.nodes[label.index + 1])
    return click(seen.find(name=">")) or NOTHING


@solves("social-media")
def press_on_post(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A button of a user's post, or an entry of its menu."""
    action = quoted(instruction)[0]
    user = re.search(r"user (@\S+),", instruction)[1]  # type: ignore[index]
    post = _posts(seen, user)[0]
    if action not in _MENU:
        return lines(click(_button(post, action.lower())))
    entry = next((node for node in post if node.name == action or node.name.startswith(f"{action} @")), None)
    return lines(click(entry or _button(post, "more")))


@solves("social-media-all", "social-media-some")
def press_on_posts(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A button of all posts of a user, or of some, then Submit."""
    found = re.search(r"on (all|\d+) posts? by (@\S+) and", instruction)
    how_many, user = found.groups()  # type: ignore[union-attr]
    posts = _posts(seen, user)
    buttons = [_button(post, quoted(instruction)[0].lower()) for post in posts]
    wanted = buttons if how_many == "all" else buttons[: int(how_many)]
    left = [node for node in wanted if node is not None and "active" not in node.properties["class"].split()]
    if len(left) > 7:
        return lines(*map(click, left[:8]))
    return lines(*map(click, left), click(seen.find("button", "Submit")))


def _posts(seen: Reading, user: str) -> list[list[Node]]:
    """The lines of each post of a user, from the user's name to the next one's."""
    starts = [node.index for node in seen.all("text") if node.name.startswith("@")]
    ends = [*starts[1:], len(seen.nodes)]
    return [seen.nodes[start:end] for start, end in zip(starts, ends, strict=True) if seen.nodes[start].name == user]


def _button(post: list[Node], kind: str) -> Node | None:
    return next((node for node in post if kind in node.properties.get("class", "").split()), None)
