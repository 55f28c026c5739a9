"""Oracles of pages that want options chosen: boxes ticked, lists, marks, agreements."""

from __future__ import annotations

import re
from typing import Any

from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, quoted, solves
from agentgym_web.reading import Node, Reading

DIGITS = (
    ".##. #..# #..# #..# #..# #..# .##.", "..#. .##. ..#. ..#. ..#. ..#. ..#.", ".##. #..# #..# ..#. .#.. #... ####",
    ".##. #..# ...# .##. ...# #..# .##.", "#... #.#. #.#. #### ..#. ..#. ..#.", "#### #... #... ###. ...# #..# .##.",
    ".##. #..# #... ###. #..# #..# .##.", "#### #..# ...# ..#. ..#. .#.. .#..", ".##. #..# #..# .##. #..# #..# .##.",
    ".##. #..# #..# .### ...# #..# .##.",
)  # fmt: skip
"""The pictures of the digits, which a line of the tree only names; a row a group of four."""


@solves("click-checkboxes", "click-option")
def tick_named(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The boxes that the instruction lists, then Submit."""
    listed = re.search(r"Select (.*) and click Submit", instruction)[1]  # type: ignore[index]
    names = [] if listed == "nothing" else listed.split(", ")
    boxes = [*seen.all("checkbox"), *seen.all("radio")]
    return lines(*(click(box) for box in boxes if box.name in names), click(seen.find("button", "Submit")))


@solves("choose-list")
def choose_from_list(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """An option of a list, then Submit."""
    name = re.search(r"Select (.*) from the list", instruction)[1]  # type: ignore[index]
    chooser = seen.find("combobox") or seen.find("listbox")
    return lines(do("select_option", chooser.id, name) if chooser else "", click(seen.find("button", "Submit")))


@solves("odd-or-even")
def mark_parity(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Odd or Even beside each number."""
    rows = [node for node in seen.all("text") if re.fullmatch(r"-?\d+", node.name)]
    marks = []
    for number in rows:
        before, after = seen.nodes[number.index - 1], seen.nodes[number.index + 1]
        marks.append(click(before if int(number.name) % 2 else after))
    return lines(*marks, click(seen.find("button", "Submit")))


@solves("number-checkboxes")
def draw_digit(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A digit in a grid of boxes."""
    rows = DIGITS[int(quoted(instruction)[0])].replace(" ", "")
    boxes = seen.all("checkbox")
    left = [box for box, sign in zip(boxes, rows, strict=True) if (sign == "#") != ("checked" in box.properties)]
    return lines(*map(click, left[:8])) if left else click(seen.find("button", "Submit"))


@solves("sign-agreement")
def sign(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Read to the end, sign, and press the button that is asked for."""
    names = quoted(instruction)
    if not names:
        return click(seen.find("button", "Cancel")) or NOTHING
    agreement, field = seen.all("textbox")[:2]
    if "disabled" in field.properties:
        x, y = agreement.at
        return do("scroll_at", x, y, 0, 3000)
    return lines(do("fill", field.id, names[0]), click(seen.find("button", names[1])))


@solves("order-food")
def order_food(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Dishes by name, or a number of dishes of a kind."""
    if memory.get("ordered"):
        return click(seen.find("button", "Order!"))
    memory["ordered"] = True
    menu = _menu(seen)
    kind = re.fullmatch(r"Order (\d+) items that are (.*?)\.?", instruction)
    if kind is None:
        names = [name.strip() for name in instruction.partition(": ")[2].split(",")]
        return lines(*(click(plus) for name, _, plus in menu if name in names))
    count = int(kind[1])
    fitting = [plus for _, kinds, plus in menu if kind[2] in kinds]
    chosen = [fitting[number % len(fitting)] for number in range(count)]
    return lines(*map(click, chosen))


def _menu(seen: Reading) -> list[tuple[str, set[str], Node]]:
    """Name, kinds and plus sign of each dish."""
    menu: list[tuple[str, set[str], Node]] = []
    name, kinds = "", set[str]()
    for node in seen.nodes:
        if node.role == "text" and any(letter.islower() for letter in node.name):
            name, kinds = node.name, set()
        elif node.role == "img":
            kinds.add(node.name)
        elif node.role == "clickable" and node.name == "+":
            menu.append((name, kinds, node))
    return menu
