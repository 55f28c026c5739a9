"""What is on the screen: windows and elements, read from what desk and the modules say, with ids that last.

How they are written for a model is in `text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agentgym_gui.actions.events import Box

MAX_ELEMENTS = 4000
NUMBER = re.compile(r"-?[0-9]{1,15}")
"""A number of a reply, which a stranger may have written."""
STATES = {
    "a": "active",
    "f": "focused",
    "c": "checked",
    "s": "selected",
    "p": "pressed",
    "e": "expanded",
    "x": "collapsed",
    "m": "modal",
    "t": "editable",
    "d": "disabled",
}
"""What each letter of a module means."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window as the window manager knows it.

    Attributes:
        id: The X server's.
        pid: The process that says it owns it; 0 for none.
        box: With its frame.
        title: Its title.
        kind: Its class, which names the application.
        is_active: Whether it has the focus.
        is_hidden: Whether it is minimised.
    """

    id: int
    pid: int
    box: Box
    title: str
    kind: str
    is_active: bool
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class Element:
    """A visible element of an application.

    Attributes:
        id: Lasts as long as the element.
        role: What it is, such as "push button".
        name: What it is called; "" for nothing.
        value: Its text or number; "" for none.
        states: Such as ("focused", "editable").
        box: What of it is visible.
        window: The X server's id of its window.
        depth: How deep it lies in its window.
        pid: Its process.
    """

    id: str
    role: str
    name: str
    value: str
    states: tuple[str, ...]
    box: Box
    window: int
    depth: int
    pid: int


@dataclass(frozen=True)
class Screen:
    """Windows and elements at one moment.

    Attributes:
        windows: From the lowest to the topmost.
        elements: In the order of the trees.
        is_cut: Whether an application had more elements than are read.
        silent: Processes whose applications did not answer.
    """

    windows: tuple[Window, ...] = ()
    elements: tuple[Element, ...] = ()
    is_cut: bool = False
    silent: tuple[int, ...] = ()
    by_id: Mapping[str, Element] = field(default_factory=dict, repr=False)

    @property
    def active(self) -> Window | None:
        """The window that has the focus."""
        return next((window for window in self.windows if window.is_active), None)

    @property
    def focus(self) -> Element | None:
        """The element that has the focus, in the active window."""
        active = self.active
        found = [each for each in self.elements if "focused" in each.states]
        own = [each for each in found if active is not None and each.window == active.id]
        chosen = own or found
        return chosen[-1] if chosen else None

    def boxes(self) -> dict[str, Box]:
        """Boxes of the elements by id."""
        return {each.id: each.box for each in self.elements}


class Naming:
    """Gives elements their ids: small numbers in order of appearance, never used twice on one desktop.

    Most lines of a tree are those of the look before, so what those said is kept until the next look.
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[int, int], str] = {}
        self._known: dict[tuple[int, str], Element | None] = {}
        self._seen: dict[tuple[int, str], Element | None] = {}

    def element(self, pid: int, line: str) -> Element | None:
        """The element that a line of an application's tree describes; None where it describes none."""
        key = (pid, line)
        found = self._known[key] if key in self._known else _element(line.split("\t"), pid, self)
        self._seen[key] = found
        return found

    def end_look(self) -> None:
        """Forget the lines that were not seen since this was called last."""
        self._known, self._seen = self._seen, {}

    def id_of(self, pid: int, number: int) -> str:
        """The id of an application's element."""
        key = (pid, number)
        if key not in self._ids:
            self._ids[key] = str(len(self._ids) + 1)
        return self._ids[key]


def read_windows(text: str) -> tuple[Window, ...]:
    """The windows of desk's list; lines that are none are left out."""
    windows = []
    for line in text.split("\n"):
        fields = line.split("\t")
        if len(fields) != 9 or not _are_numbers(fields[:6]):
            continue
        number, pid, x, y, width, height = map(int, fields[:6])
        flags = fields[6]
        kind = fields[7].strip()
        windows.append(Window(number, pid, Box(x, y, width, height), fields[8], kind, "a" in flags, "h" in flags))
    return tuple(windows)


def read_screen(windows: tuple[Window, ...], text: str, naming: Naming) -> Screen:
    """The screen of desk's list of windows and the modules' trees.

    Elements whose middle lies under a higher window are left out: they cannot be clicked.
    """
    elements: list[Element] = []
    silent: list[int] = []
    is_cut = False
    pid = 0
    above = _windows_above(windows)
    for line in text.split("\n"):
        if line.startswith("application\t"):
            fields = line.split("\t")
            if len(fields) >= 3 and _are_numbers(fields[1:2]):
                pid = int(fields[1])
                if fields[2] != "answered":
                    silent.append(pid)
        elif line == "cut" or line.startswith("cut\t"):
            is_cut = True
        elif (element := naming.element(pid, line)) is not None:
            if len(elements) >= MAX_ELEMENTS:
                is_cut = True
                break
            if not any(box.holds(*element.box.centre) for box in above.get(element.window, ())):
                elements.append(element)
    naming.end_look()
    by_id = {each.id: each for each in elements}
    return Screen(windows, tuple(by_id.values()), is_cut, tuple(silent), by_id)


def _element(fields: list[str], pid: int, naming: Naming) -> Element | None:
    if len(fields) != 12 or not _are_numbers((fields[0], fields[1], *fields[4:9])):
        return None
    x, y, width, height, window = map(int, fields[4:9])
    states = tuple(STATES[letter] for letter in fields[3] if letter in STATES)
    name, value = _unescaped(fields[9]), _unescaped(fields[10])
    box = Box(x, y, width, height)
    return Element(naming.id_of(pid, int(fields[1])), fields[2], name, value, states, box, window, int(fields[0]), pid)


def _windows_above(windows: tuple[Window, ...]) -> dict[int, list[Box]]:
    shown = [window for window in windows if not window.is_hidden]
    return {window.id: [other.box for other in shown[number + 1 :]] for number, window in enumerate(shown)}


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return text.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")


def _are_numbers(fields: Iterable[str]) -> bool:
    return all(NUMBER.fullmatch(field) for field in fields)
