"""Oracles of pages that want texts, numbers, dates or times written into fields."""

from __future__ import annotations

import re
from typing import Any

from agentgym_web.miniwob.oracles.player import click, do, lines, quoted, solves
from agentgym_web.reading import Node, Reading


def submit(seen: Reading) -> str:
    """The call that presses the button for the end of a form."""
    for name in ("Submit", "Login", "OK", "Search", "Go!"):
        found = seen.find("button", name) or seen.find("clickable", name)
        if found is not None:
            return click(found)
    return click(seen.find("button"))


def fill(field: Node | None, text: str) -> str:
    """The call that writes a text into a field; "" if there is none."""
    return do("fill", field.id, text) if field is not None else ""


def write(seen: Reading, text: str, nth: int = 0) -> str:
    """The calls that write a text into a field and submit it."""
    return lines(fill(seen.find("textbox", nth=nth), text), submit(seen))


@solves("enter-text", "enter-text-dynamic")
def enter_text(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The quoted text."""
    return write(seen, quoted(instruction)[0])


@solves("enter-text-2")
def enter_in_case(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The quoted text in upper or lower case."""
    text = quoted(instruction)[0]
    return write(seen, text.upper() if "upper case" in instruction else text.lower())


@solves("enter-password", "login-user")
def enter_two(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A text into each of two fields; the same twice if only one is quoted."""
    texts = quoted(instruction)
    return lines(fill(seen.find("textbox"), texts[0]), fill(seen.find("textbox", nth=1), texts[-1]), submit(seen))


@solves("login-user-popup")
def log_in_past_popup(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Name and password one after the other; what pops up meanwhile is refused."""
    if seen.find("button", "Cancel"):
        return click(seen.find("button", "Cancel"))
    user, password = quoted(instruction)
    name_field, secret_field = seen.all("textbox")[:2]
    if name_field.value != user:
        return fill(name_field, user)
    if len(secret_field.value) != len(password):
        return fill(secret_field, password)
    return submit(seen)


@solves("enter-date")
def enter_date(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A date, month before day."""
    month, day, year = re.search(r"(\d+)/(\d+)/(\d+)", instruction).groups()  # type: ignore[union-attr]
    return write(seen, f"{year}-{month:0>2}-{day:0>2}")


@solves("enter-time")
def enter_time(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A time of a clock of twelve hours."""
    hour, minute, half = re.search(r"(\d+):(\d+)\s*([AP])M", instruction).groups()  # type: ignore[union-attr]
    return write(seen, f"{int(hour) % 12 + 12 * (half == 'P'):02}:{minute}")


@solves("read-table", "read-table-2")
def read_table(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """What stands beside a label in a table, into the field of that label."""
    cells = [node.name for node in seen.all("cell")]
    told = dict(zip(cells[::2], cells[1::2], strict=False))
    asked = re.search(r"value of (.*) into", instruction)
    if asked is not None:
        return write(seen, told[asked[1]])
    labels = [node for node in seen.all("text") if node.name.rstrip(":") in told]
    fields = seen.all("textbox")
    calls = [fill(field, told[label.name.rstrip(":")]) for label, field in zip(labels, fields, strict=False)]
    return lines(*calls, submit(seen))


@solves("text-transform")
def type_letters(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The letters that stand turned above the field."""
    return write(seen, "".join(node.name for node in seen.all("text")))


@solves("simple-arithmetic", "simple-algebra")
def calculate(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A sum, difference or product, or the x of an equation."""
    text = next(node.name for node in seen.all("text") if "=" in node.name and node.name != "x =")
    left, sign, right, total = re.fullmatch(r"(\d+|x) ([-+x]) (\d+|x) = ?(\d*)", text).groups()  # type: ignore[union-attr]
    if not total:
        a, b = int(left), int(right)
        answer = {"+": a + b, "-": a - b, "x": a * b}[sign]
    elif left == "x":
        answer = int(total) + int(right) if sign == "-" else int(total) - int(right)
    else:
        answer = int(left) - int(total) if sign == "-" else int(total) - int(left)
    return write(seen, str(answer))


@solves("find-word")
def find_word(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A word of a paragraph by its number."""
    number = int(re.search(r"the (\d+)", instruction)[1])  # type: ignore[index]
    word = seen.all("text")[0].name.split()[number - 1]
    return write(seen, re.sub(r"[^a-zA-Z]", "", word))


@solves("scroll-text")
def last_word(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The last word of a text."""
    word = seen.all("textbox")[0].value.split()[-1]
    return write(seen, re.sub(r"[^a-zA-Z]", "", word), nth=1)


@solves("scroll-text-2")
def scroll_text(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A text area to its top or bottom."""
    area = seen.all("textbox")[0]
    top, _, end = area.properties["scrolled"].partition("/")
    is_down = "bottom" in instruction
    if top == (end if is_down else "0"):
        return submit(seen)
    return do("scroll_at", *area.at, 0, 3000 if is_down else -3000)


@solves("visual-addition")
def count_blocks(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The number of boxes."""
    return write(seen, str(len(seen.all("box"))))


@solves("multi-layouts", "multi-orderings")
def search_movies(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Genre, director and year into a form whose labels stand before or behind its fields."""
    genre, director, year = re.search(  # type: ignore[union-attr]
        r"Search for (.*) movies directed by (.*) from year (\d+)", instruction
    ).groups()
    wanted = {"genre": genre, "director": director, "year": year, "released": year}
    labels = [
        (node, text)
        for node in seen.nodes
        for label, text in wanted.items()
        if label in node.name.lower() and node.role in ("text", "columnheader", "textbox")
    ]
    fields = seen.all("textbox")
    if any(field.name for field in fields):
        return lines(*(fill(node, text) for node, text in labels), submit(seen))
    return lines(*(fill(field, text) for field, (_, text) in zip(fields, labels, strict=True)), submit(seen))
