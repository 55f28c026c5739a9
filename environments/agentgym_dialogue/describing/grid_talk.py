"""Where in a square grid a text speaks of: rows and columns by number, whatever the wording.

What is said of them is read by the games.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

_DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_WORD = re.compile(r"[a-z0-9]+")


def in_digits(text: str, size: int) -> str:
    """A text in lower case and without marks, in which `the second row` and `top row` are `row 2` and `row 1`.

    Args:
        text: The text.
        size: Rows, and columns, of the grid.
    """
    plain = " ".join(_WORD.findall(text.lower()))
    for named, place in _named(size):
        plain = plain.replace(named, place)
    for number, (name, ordinal) in enumerate(zip(_DIGITS, _ORDINALS, strict=True), start=1):
        if ordinal in plain:
            plain = re.sub(rf"\b{ordinal} (row|column)\b", rf"\1 {number}", plain)
        if name in plain:
            plain = re.sub(rf"\b{name}\b", str(number), plain)
    return plain


@cache
def _named(size: int) -> Sequence[tuple[str, str]]:
    rows, columns = (("top", 1), ("bottom", size)), (("left", 1), ("right", size))
    corners = [
        (f"{top} {left} {word}", f"row {row} column {column}")
        for top, row in rows
        for left, column in columns
        for word in ("corner", "cell")
    ]
    lines = [(f"{top} row", f"row {row}") for top, row in rows]
    return [*corners, *lines, *((f"{left} column", f"column {column}") for left, column in columns)]
