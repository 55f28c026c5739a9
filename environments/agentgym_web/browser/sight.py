"""What an agent sees of a window at one moment, and how it reads: the text, its budget, the marked picture.

The tree has a line an element, indented by depth: `[12] textbox "Name" value="Ada" focused`. The number is the id that
actions take; a line without one can only be read. A line in quotes alone is text of the page. Quotes in texts are
escaped, and texts hold no line breaks, so that no page can write a line of its own.
"""

from __future__ import annotations

import io
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from agentgym_web.browser.settings import View

CountTokens = Callable[[str], int]
"""The number of tokens of a text."""


@dataclass(frozen=True)
class TabTitle:
    """A tab as the list of tabs shows it: address and title."""

    url: str
    title: str


@dataclass(frozen=True)
class Sight:
    """What a window showed.

    Attributes:
        url: Address of the page in front.
        title: Its title.
        lines: The lines of the tree; empty without a tree.
        relevance: For each line, from 0 for the most relevant: the focused element, usable ones in view, texts and
            headings, what lies outside the window, lists of options.
        dom: The pruned DOM; "" without one.
        dom_relevance: For each of its lines a digit as for those of the tree; elements that only hold others come last.
        focused: Id of the focused element; "" for none.
        tabs: The open tabs.
        active_tab: Index of the tab in front.
        scroll: Left and top of the window in the page, the page's size, the window's size, in CSS pixels.
        notes: What happened since the last observation that nobody asked for.
        error: Why the last action was not carried out; "" if it was.
        picture: uint8[H, W, 3], the window with marks if they are wanted; None without a picture.
        num_left_out: Elements above and below the window, where only the visible part is shown.
        was_cut: Whether the page has more elements than were looked at.
        status: HTTP status of the page; 0 where no server was asked.
        probe: The value of the harness's own question to the page; None where it failed.
        probe_error: Why it failed, for the environment's author; "" if it did not.
    """

    url: str = ""
    title: str = ""
    lines: Sequence[str] = ()
    relevance: str = ""
    dom: str = ""
    dom_relevance: str = ""
    focused: str = ""
    tabs: Sequence[TabTitle] = ()
    active_tab: int = 0
    scroll: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
    notes: Sequence[str] = ()
    error: str = ""
    picture: NDArray[np.uint8] | None = None
    num_left_out: tuple[int, int] = (0, 0)
    was_cut: bool = False
    status: int = 0
    probe: Any = None
    probe_error: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def text(self, view: View, count_tokens: CountTokens | None = None, *, with_head: bool = True) -> str:
        """The observation as text.

        Args:
            view: What it contains, and its budget.
            count_tokens: Counts tokens; None estimates them.
            with_head: Whether address, title and tabs are said.
        """
        parts = [f"error: {self.error}"] if self.error else []
        parts += self.notes
        if with_head:
            parts += self._head()
        count_tokens = count_tokens or estimate_tokens
        if view.tree:
            lines = self.lines
            if view.max_tokens is not None:
                lines = fit(lines, self.relevance, view.max_tokens, count_tokens)
            parts += lines
            parts += self._tail()
        if view.dom:
            lines = self.dom.split("\n") if self.dom else []
            if view.max_tokens is not None:
                lines = fit(lines, self.dom_relevance, view.max_tokens, count_tokens, partners(lines))
            parts += lines
        return "\n".join(parts)

    def _head(self) -> list[str]:
        said = []
        if len(self.tabs) > 1:
            for number, tab in enumerate(self.tabs):
                mark = " (in front)" if number == self.active_tab else ""
                said.append(f"tab {number}: {one_line(tab.title) or 'untitled'}, {one_line(tab.url)}{mark}")
        said.append(f"page: {one_line(self.title) or 'untitled'}, {one_line(self.url)}")
        _, top, _, height, _, window = self.scroll
        if height > window + 1:
            said.append(f"scrolled: {top} of {height - window} pixels")
        return said

    def _tail(self) -> list[str]:
        above, below = self.num_left_out
        said = [
            f"({count} elements {where} the window)" for count, where in ((above, "above"), (below, "below")) if count
        ]
        return [*said, "(the page has more elements than are shown)"] if self.was_cut else said


def fit(
    lines: Sequence[str],
    relevance: str,
    max_tokens: int,
    count_tokens: CountTokens,
    partners: Mapping[int, int] = MappingProxyType({}),
) -> list[str]:
    """The lines that fit into a budget: whole ones only, the most relevant first, of equal ones the earlier first.

    Args:
        lines: The lines, indented by depth.
        relevance: A digit for each, 0 for the most relevant.
        max_tokens: The budget, which the note about what is missing counts towards.
        count_tokens: Counts the tokens of a text.
        partners: By the number of a line that of another one, without which it means nothing: the end of a tag.
    """
    sizes = [count_tokens(line) + 1 for line in lines]
    if sum(sizes) <= max_tokens:
        return list(lines)
    ends = set(partners.values())
    left = max_tokens - count_tokens("(99999 lines left out)") - 1
    kept: set[int] = set()
    for number in sorted(range(len(lines)), key=lambda index: (relevance[index], index)):
        unit = (number, partners[number]) if number in partners else (number,)
        size = sum(sizes[each] for each in unit)
        if number not in ends and size <= left:
            left -= size
            kept.update(unit)
    return [*(lines[number] for number in sorted(kept)), f"({len(lines) - len(kept)} lines left out)"]


def partners(lines: Sequence[str]) -> dict[int, int]:
    """By the number of a line of the DOM with a tag the number of the one with its end; other lines have none."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for number, line in enumerate(lines):
        body = line.lstrip(" ")
        if body.startswith("</"):
            found[opened.pop()] = number
        elif body.startswith("<") and not body.endswith("/>") and "</" not in body:
            opened.append(number)
    return found


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: a token is four characters of ASCII, or one other character."""
    others = sum(character > "\x7f" for character in text) if not text.isascii() else 0
    return (len(text) - others + 3) // 4 + others


def decode_picture(png: bytes) -> NDArray[np.uint8]:
    """The pixels of a PNG file, uint8[H, W, 3]."""
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


_LETTERS = string.ascii_lowercase
_COLORS = ((220, 38, 38), (37, 99, 235), (22, 130, 60), (147, 51, 234), (202, 90, 4), (8, 120, 140))


def draw_marks(pixels: NDArray[np.uint8], marks: Sequence[Sequence[Any]], scale: float = 1.0) -> NDArray[np.uint8]:
    """A picture with a frame and the id around each element (set-of-marks, arXiv:2310.11441).

    Args:
        pixels: uint8[H, W, 3].
        marks: For each element its id, left, top, width and height in CSS pixels.
        scale: Device pixels of a CSS pixel.
    """
    image = Image.fromarray(pixels)
    pen = ImageDraw.Draw(image)
    for number, left, top, width, height in marks:
        color = _COLORS[int(str(number).lstrip(_LETTERS)) % len(_COLORS)]
        corner = (left * scale, top * scale)
        pen.rectangle((corner, ((left + width) * scale, (top + height) * scale)), outline=color, width=2)
        label = str(number)
        box = pen.textbbox(corner, label)
        tall = box[3] - box[1] + 4
        y = corner[1] - tall if corner[1] >= tall else corner[1]
        pen.rectangle((corner[0], y, corner[0] + box[2] - box[0] + 5, y + tall), fill=color)
        pen.text((corner[0] + 2, y), label, fill=(255, 255, 255))
    return np.asarray(image, dtype=np.uint8)


def one_line(text: str, max_length: int = 200) -> str:
    """What a page says, on one line: no breaks, no controls of terminals, no halves of surrogates."""
    shown = "".join(character if character.isprintable() else " " for character in text[: 10 * max_length])
    return " ".join(shown.split())[:max_length]
