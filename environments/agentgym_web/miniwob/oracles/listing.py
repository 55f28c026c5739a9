"""Oracles of pages with a list of things, of which those that fit a description are chosen."""

from __future__ import annotations

import colorsys
import re
from typing import Any

from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, quoted, solves
from agentgym_web.reading import Node, Reading

MEANINGS = (
    "big large huge enormous gigantic", "small tiny little mini petite", "red scarlet crimson vermillion",
    "happy cheerful joyful gleeful delighted", "sad unhappy sorrowful miserable tragic", "angry mad furious irritated",
    "evil wicked immoral sinful corrupt depraved", "wrong incorrect mistaken erroneous", "real genuine actual",
    "strange odd peculiar unusual weird", "stop cease halt end finish",
    "scared terrified panicked fearful frightened afraid", "quiet calm peaceful serene mild", "old aged archaic",
    "love like adore favor", "kill murder assassinate", "keep retain preserve sustain maintain",
    "hide conceal camouflage", "hate despise loathe detest dislike", "funny humorous amusing comical laughable",
    "fat fleshy plump chubby", "stupid dumb dull unwise", "delicious savory delectable appetizing",
    "cut slice carve chop", "brave courageous fearless", "begin start initiate launch", "answer reply response",
    "television televisions TV TVs", "house home houses homes", "fire flame fires flames", "pig pork swine",
    "rabbit rabbits bunny bunnies", "car cars automobile automobiles vehicle vehicles", "water",
)  # fmt: skip
"""Words of about the same meaning."""
HUES = {"red": 0, "green": 120, "blue": 240}
"""Colours by their angle in the circle of hues, in degrees."""
COLOR_NAMES = {"aqua": "cyan"}
"""Names of colours that an observation calls otherwise."""
KINDS = {"circle": "circle", "rect": "rectangle", "polygon": "triangle"}
"""Drawn elements by what people call them."""
MAX_CALLS = 8


@solves("click-checkboxes-large", "click-checkboxes-transfer", "click-checkboxes-soft")
def tick(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Boxes by their words, or by words of the same meaning."""
    listed = re.search(r"Select (?:words similar to )?(.*) and click Submit", instruction)[1]  # type: ignore[index]
    names = set() if listed == "nothing" else set(listed.split(", "))
    if "words similar" in instruction:
        names = {other for name in names for other in alike(name)}
    boxes = [box for box in seen.all("checkbox") if box.name in names and "checked" not in box.properties]
    calls = [click(box) for box in boxes]
    return lines(*calls[:MAX_CALLS], click(seen.find("button", "Submit")) if len(calls) < MAX_CALLS else "")


def alike(word: str) -> set[str]:
    """The words that mean about the same, with the word itself."""
    return {word}.union(*(group.split() for group in MEANINGS if word in group.split()))


@solves("click-scroll-list")
def choose_in_list(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Options of a list that allows several; an option's name may have commas of its own."""
    text = re.search(r"Select (.*) from the scroll list", instruction)[1]  # type: ignore[index]
    options = [node.name for node in seen.all("option")]
    names = [name for name in options if name == text]
    names = names or [name for name in options if text.startswith(f"{name}, ") or text.endswith(f", {name}")]
    chooser = seen.find("listbox")
    if chooser is None:
        return NOTHING
    return lines(do("select_option", chooser.id, names), click(seen.find("button", "Submit")))


@solves("click-shades")
def choose_shades(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """All boxes of a hue."""
    hue = HUES[re.search(r"shades of (\w+)", instruction)[1]]  # type: ignore[index]
    boxes = [
        node
        for node in seen.all("clickable")
        if "color" in node.properties
        and "selected" not in node.properties.get("class", "")
        and abs((hue_of(node.properties["color"]) - hue + 180) % 360 - 180) < 60
    ]
    left = [box for box in boxes if box.id not in memory.setdefault("clicked", set())][:MAX_CALLS]
    memory["clicked"] |= {box.id for box in left}
    return lines(*map(click, left), click(seen.find("button", "Submit")) if len(left) < MAX_CALLS else "")


def hue_of(color: str) -> float:
    """The hue of a colour such as "#a12121", in degrees."""
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)] if color.startswith("#") else [0, 0, 0]
    return colorsys.rgb_to_hsv(*parts)[0] * 360


@solves("click-shape")
def click_shape(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A drawn shape, letter or digit that fits a description."""
    wanted = instruction.removeprefix("Click on a ")
    fitting = [node for node in drawn(seen) if fits(node, wanted)]
    return do("mouse_click", *fitting[0].at) if fitting else NOTHING


@solves("count-shape")
def count_shapes(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """How many drawn things fit a description."""
    wanted = re.search(r"How many (.*)s are there", instruction)[1]  # type: ignore[index]
    count = sum(fits(node, wanted) for node in drawn(seen))
    return lines(click(seen.find("button", str(count))))


def drawn(seen: Reading) -> list[Node]:
    """What is drawn: shapes, letters and digits."""
    return [node for node in seen.nodes if node.role in KINDS or (node.role == "text" and "color" in node.properties)]


def fits(node: Node, description: str) -> bool:
    """Whether something drawn fits a description such as "large yellow circle" or "small item"."""
    *signs, kind = description.split(" ")
    is_text = node.role == "text"
    for sign in signs:
        if sign in ("large", "small"):
            if (sign == "large") != (node.size[1] > 15):
                return False
        elif node.properties.get("color") != COLOR_NAMES.get(sign, sign):
            return False
    if kind in ("letter", "digit"):
        return is_text and node.name.isdigit() == (kind == "digit")
    if kind == "shape":
        return not is_text
    return kind == "item" or (node.name == kind if is_text else KINDS[node.role] == kind)


@solves("buy-ticket")
def buy_ticket(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The ticket with the lowest or highest cost or duration."""
    tickets = [(minutes(button, seen), price(button.name), button) for button in seen.all("button")]
    ordered = sorted(tickets, key=lambda ticket: ticket[1] if "cost" in instruction else ticket[0])
    return click(ordered[-1 if "longest" in instruction or "most" in instruction else 0][2])


def price(text: str) -> int:
    """The dollars in a text."""
    return int(re.search(r"\$(\d+)", text)[1])  # type: ignore[index]


def minutes(button: Node, seen: Reading) -> int:
    """The last duration that is said before a button, such as "11h 30m"."""
    for node in reversed(seen.nodes[: button.index]):
        found = re.fullmatch(r"(\d+)h (\d+)m", node.name)
        if found:
            return int(found[1]) * 60 + int(found[2])
    return 0


@solves("copy-paste", "copy-paste-2")
def copy_text(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The text of one of the text areas, into the line for the answer, which is empty."""
    fields = seen.all("textbox")
    full = [node for node in fields if node.value]
    ordinal = re.search(r"the (\d)\w\w text area", instruction)
    source = full[int(ordinal[1]) - 1 if ordinal else 0]
    answer = next(node for node in fields if not node.value)
    return lines(do("fill", answer.id, source.value), click(seen.find("button", "Submit")))


@solves("search-engine")
def use_search(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A result by its number; each of three pages has three."""
    name = quoted(instruction)[0]
    number = int(re.search(r"the (\d)\w\w search result", instruction)[1])  # type: ignore[index]
    page, place = divmod(number - 1, 3)
    step = memory["step"] = memory.get("step", 0) + 1
    if step == 1:
        field = seen.find("textbox")
        return lines(do("fill", field.id, name) if field else "", click(seen.find("button", "Search")))
    if step == 2 and page:
        return click(seen.find("link", str(page + 1))) or NOTHING
    results = [node for node in seen.all("link") if not re.fullmatch(r"[\d<>]+", node.name)]
    return click(results[place]) if len(results) > place else NOTHING
