"""Events as commands of desk: sent in one request, with the screen settled wherever the next event depends on it.

What messages become events is in `agentgym_gui.actions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agentgym_gui.actions.events import Copy, Event, KeyDown, KeyUp, Move, Press, Release, Scroll, Type, Wait

BUTTONS = {"left": 1, "middle": 2, "right": 3, "back": 8, "forward": 9}
TEXT_PIECE = 4000
"""Most characters of a text that one command types."""
SPARE_KEY_S = 0.1
"""Most time for a character that needs a spare key. Applications read the keys again after each batch."""
_LAST_WITH_KEY = "~"
_UP, _DOWN, _LEFT, _RIGHT = 4, 5, 6, 7


@dataclass(frozen=True)
class Patience:
    """When a screen counts as settled."""

    cap_ms: int = 3000
    """How long it is waited for at most."""
    horizon_ms: int = 300
    """A timer that is due later than this is no reason to wait."""
    quiet_ms: int = 100
    """How long nothing may be drawn where an application cannot be asked."""

    @property
    def line(self) -> str:
        """The command."""
        return f"settle {self.cap_ms} {self.horizon_ms} {self.quiet_ms}"


def command_lines(events: Iterable[Event], patience: Patience) -> Iterator[str]:
    """The commands of events; settling comes before what depends on what was done.

    That is before the pointer goes elsewhere, before a text and before a new combination of keys, unless a button or
    key is held: a click that moves the focus, followed at once by typing, loses the text.
    """
    held: set[str] = set()
    pointer: Move | None = None
    has_acted = False
    for event in events:
        depends = isinstance(event, Move | Type | KeyDown | Scroll)
        if has_acted and depends and not held:
            yield patience.line
            has_acted = False
        if isinstance(event, Move):
            if held & BUTTONS.keys():
                yield from _dragged(pointer, event, patience)
            pointer = event
        yield from _lines(event)
        match event:
            case Press(name) | KeyDown(name):
                held.add(name)
            case Release(name) | KeyUp(name):
                held.discard(name)
        has_acted = has_acted or not isinstance(event, Move | Wait)


def _dragged(start: Move | None, end: Move, patience: Patience) -> Iterator[str]:
    """The way of a held button before its end: a pointer that jumps is no drag to applications."""
    if start is not None:
        for part in (1, 2, 3):
            yield f"move {start.x + (end.x - start.x) * part // 4} {start.y + (end.y - start.y) * part // 4}"
            if part == 1:
                yield patience.line


def waiting_s(events: Iterable[Event]) -> float:
    """Seconds that events wait by themselves."""
    return sum(event.seconds for event in events if isinstance(event, Wait))


def typing_s(events: Iterable[Event]) -> float:
    """Seconds that the texts of events may take beyond what every message may."""
    texts = [event.text for event in events if isinstance(event, Type)]
    return SPARE_KEY_S * sum(letter > _LAST_WITH_KEY for text in texts for letter in text)


def _lines(event: Event) -> Iterator[str]:
    match event:
        case Move(x, y):
            yield f"move {x} {y}"
        case Press(button):
            yield f"button {BUTTONS[button]} 1"
        case Release(button):
            yield f"button {BUTTONS[button]} 0"
        case Scroll(dx, dy):
            yield from _notches(_DOWN if dy > 0 else _UP, abs(dy))
            yield from _notches(_RIGHT if dx > 0 else _LEFT, abs(dx))
        case KeyDown(key):
            yield f"key 1 {key}"
        case KeyUp(key):
            yield f"key 0 {key}"
        case Type(text):
            for at in range(0, len(text), TEXT_PIECE):
                yield from _with_codes("text", text[at : at + TEXT_PIECE])
        case Copy(text):
            yield from _with_codes("copy", text)
        case Wait(seconds):
            yield f"wait {round(seconds * 1000)}"


def _with_codes(command: str, text: str) -> Iterator[str]:
    numbers = codes(text)
    if numbers:
        yield f"{command} {numbers}"


def codes(text: str) -> str:
    """A text as the numbers of its characters; halves of surrogate pairs and what is no character are left out."""
    return " ".join(str(ord(letter)) for letter in text if not 0xD800 <= ord(letter) < 0xE000 and ord(letter) > 0)


def _notches(button: int, count: int) -> Iterator[str]:
    for _ in range(count):
        yield f"button {button} 1"
        yield f"button {button} 0"
