"""The screen as compact text: windows from the topmost, their elements indented, what changed marked, cut at a size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agentgym_gui.desktop.tree import Element, Screen, Window

MAX_VALUE = 1500
SPOKEN = ("checked", "selected", "pressed", "expanded", "collapsed", "modal", "disabled", "focused")
"""The states of elements that the text of a screen names."""


@dataclass
class Writer:
    """Writes screens one after the other, and marks with a star what was not so in the one before.

    Args:
        max_characters: Most characters of a text; what is left out is counted in its last line.
    """

    max_characters: int = 8000
    _before: Mapping[str, str] = field(default_factory=dict)

    def write(self, screen: Screen, notes: tuple[str, ...] = ()) -> str:
        """The text of a screen.

        Args:
            screen: What is on it.
            notes: Lines above it, such as that it did not settle.
        """
        lines = list(_lines(screen))
        seen = {key: text for key, _, text in lines}
        shown = [
            f"{'  ' * depth}{'*' if self._before and self._before.get(key) != text else ''}{text}"
            for key, depth, text in lines
        ]
        self._before = seen
        return "\n".join([*notes, *self._cut(shown, screen)])

    def forget(self) -> None:
        """Begin anew: the next screen marks nothing."""
        self._before = {}

    def _cut(self, lines: list[str], screen: Screen) -> list[str]:
        length = 0
        for number, line in enumerate(lines):
            length += len(line) + 1
            if length > self.max_characters:
                return [*lines[:number], f"… {len(lines) - number} further lines"]
        return [*lines, "… an application has more elements"] if screen.is_cut else lines


def _lines(screen: Screen) -> Iterator[tuple[str, int, str]]:
    """Key, depth and text of each line."""
    by_window: dict[int, list[Element]] = {}
    for element in screen.elements:
        by_window.setdefault(element.window, []).append(element)
    known = {window.id for window in screen.windows}
    for number, elements in by_window.items():
        if number not in known:  # a menu or another window without a frame, which lies above all others
            yield f"p{number}", 0, "popup"
            yield from _elements(elements)
    for window in reversed(screen.windows):
        yield f"w{window.id}", 0, _window_line(window)
        if window.is_hidden:
            continue
        yield from _elements(by_window.get(window.id, []))
        if window.id not in by_window:
            yield f"n{window.id}", 1, "(says nothing about its elements)"
    if not screen.windows and not by_window:
        yield "empty", 0, "The screen shows no window."


def _window_line(window: Window) -> str:
    state = "active" if window.is_active else "minimised" if window.is_hidden else ""
    return f'window "{_one_line(window.title)}"{f" ({state})" if state else ""}'


def _elements(elements: list[Element]) -> Iterator[tuple[str, int, str]]:
    for element in elements:
        if element.depth > 0 or element.role not in ("frame", "dialog", "window"):
            yield f"e{element.id}", max(element.depth, 1), element_line(element)


def element_line(element: Element) -> str:
    """One element: id, role, name, value and states."""
    parts = [f"[{element.id}] {element.role}"]
    if element.name:
        parts.append(f'"{_one_line(element.name)}"')
    if element.value:
        parts.append(f'= "{_one_line(element.value)}"')
    states = [state for state in element.states if state in SPOKEN]
    if states:
        parts.append(f"({', '.join(states)})")
    return " ".join(parts)


def _one_line(text: str) -> str:
    short = text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
    return short.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
