"""Values in actions, checked: texts, numbers, waits, points and elements, and the bounds of one message.

What a value means is up to the syntax that reads it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentgym_gui.actions.events import ActionError, Box, Copy, Elements, Event, Frame, Type, Wait, shown

MAX_MESSAGE = 100_000
"""Longest message, in characters, that is read."""
MAX_TEXT = 10_000
"""Most characters that one message types or copies."""
MAX_WAIT_S = 20.0
"""Longest time that one message waits. With all settling of a message, it stays below a step's usual limit of 60 s."""
MAX_EVENTS = 500
"""Most events of one message."""
MAX_ACTIONS = 100
"""Most actions of one message."""
MAX_NOTCHES = 1000
"""Most notches that one action turns the wheel."""
MAX_CLICKS = 10
"""Most clicks of one action."""

_NAMED_IDS = 20
_MISSING = object()
_ALLOWED_CONTROLS = "\n\t"


class Fields:
    """The fields of one action, taken out one by one; those that nobody took are refused at the end.

    Args:
        action: Name of the action, for messages.
        values: What the model wrote. A field that is null counts as left out.
    """

    def __init__(self, action: str, values: Mapping[str, Any]) -> None:
        self.action = action
        self._values = {str(name): value for name, value in values.items() if value is not None}

    def has(self, name: str) -> bool:
        """Whether the field is still there."""
        return name in self._values

    def take(self, name: str, default: object = _MISSING) -> Any:
        """A field of any kind.

        Raises:
            ActionError: It is missing, and there is no default.
        """
        if name in self._values:
            return self._values.pop(name)
        if default is _MISSING:
            raise ActionError(f"{self.action} needs {name!r}.")
        return default

    def text(self, name: str, default: object = _MISSING) -> str:
        """A text that can be typed."""
        return typeable(self.take(name, default), f"{name!r} of {self.action}")

    def choice(self, name: str, options: Sequence[str], default: object = _MISSING) -> str:
        """One of some words, in small or capital letters."""
        value = self.take(name, default)
        if isinstance(value, str):
            for option in options:
                if value.lower() == option.lower():
                    return option
        raise ActionError(f"{name!r} of {self.action} must be one of {', '.join(options)}; got {shown(value)}.")

    def whole(self, name: str, least: int, most: int, default: object = _MISSING) -> int:
        """A whole number within bounds."""
        return whole_number(self.take(name, default), f"{name!r} of {self.action}", least, most)

    def seconds(self, name: str, default: object = _MISSING) -> float:
        """A time."""
        return seconds(self.take(name, default), f"{name!r} of {self.action}")

    def point(self, name: str, frame: Frame) -> tuple[int, int]:
        """The pixel of a pair such as [640, 400]."""
        return point(self.take(name), f"{name!r} of {self.action}", frame)

    def refuse_rest(self) -> None:
        """Refuse fields that nobody took.

        Raises:
            ActionError: There is one; says which.
        """
        if self._values:
            names = ", ".join(repr(name[:40]) for name in list(self._values)[:5])
            raise ActionError(f"{self.action} has no field {names}. Leave it out.")


def typeable(value: object, what: str) -> str:
    """A text that can be typed, with one kind of line break.

    Raises:
        ActionError: It is no text, is too long, or has a character that nobody can type.
    """
    if not isinstance(value, str):
        raise ActionError(f"{what} must be text, got {shown(value)}.")
    if len(value) > MAX_TEXT:
        raise ActionError(
            f"{what} has {len(value)} characters; at most {MAX_TEXT} are typed in one message. Send less."
        )
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    for character in text:
        if (character < " " and character not in _ALLOWED_CONTROLS) or "\x7f" <= character < "\xa0":
            raise ActionError(
                f"{what} has the control character U+{ord(character):04X}, which no key types. Leave it out."
            )
        if "\ud800" <= character <= "\udfff":
            raise ActionError(f"{what} has half of a surrogate pair, which is no character. Leave it out.")
    return text


def number(value: object, what: str, least: float, most: float) -> float:
    """A number within bounds; true, false, text and NaN are none.

    Raises:
        ActionError: It is no number, or outside the bounds.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ActionError(f"{what} must be a number, got {shown(value)}.")
    if not least <= value <= most:
        raise ActionError(f"{what} must be from {least:g} to {most:g}, got {shown(value)}.")
    return float(value)


def whole_number(value: object, what: str, least: int, most: int) -> int:
    """A whole number within bounds; 3.0 counts as one.

    Raises:
        ActionError: It is no whole number, or outside the bounds.
    """
    found = number(value, what, least, most)
    if found != int(found):
        raise ActionError(f"{what} must be a whole number, got {shown(value)}.")
    return int(found)


def seconds(value: object, what: str) -> float:
    """A time to wait.

    Raises:
        ActionError: It is no number, below 0 or too long.
    """
    return number(value, what, 0.0, MAX_WAIT_S)


def notches(value: object, what: str) -> int:
    """How far the wheel turns; fractions are rounded away from 0, so that a little is not nothing.

    Raises:
        ActionError: It is no number, or too far.
    """
    found = number(value, what, -MAX_NOTCHES, MAX_NOTCHES)
    return math.ceil(found) if found > 0 else math.floor(found)


def point(value: object, what: str, frame: Frame) -> tuple[int, int]:
    """The pixel of a pair such as [640, 400].

    Raises:
        ActionError: It is no pair of numbers, or outside the screen.
    """
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ActionError(f"{what} must be a pair of numbers such as [640, 400], got {shown(value)}.")
    return frame.to_pixel(value[0], value[1])


def box_of(element: object, frame: Frame, elements: Elements) -> Box:
    """The part of an element that is on the screen.

    Raises:
        ActionError: No element has that id now, or none of it is on the screen.
    """
    if isinstance(element, bool) or not isinstance(element, str | int):
        raise ActionError(f"An element is named by its id, got {shown(element)}.")
    if isinstance(element, int) and not 0 <= element < 10**9:
        raise ActionError(f"There is no element {shown(element)}.")
    found = elements.get(str(element))
    if found is None:
        ids = ", ".join(list(elements)[:_NAMED_IDS])
        more = f" and {len(elements) - _NAMED_IDS} more" if len(elements) > _NAMED_IDS else ""
        raise ActionError(
            f"There is no element {str(element)[:40]!r} on the screen now; it may be closed, hidden or scrolled away. "
            f"Elements now: {ids or 'none'}{more}. Use an id of the last observation."
        )
    visible = found.within(frame.width, frame.height)
    if visible is None:
        raise ActionError(f"Element {str(element)[:40]!r} is outside the screen. Scroll it into view first.")
    return visible


def bounded(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events of one message, if they are not too many, too long or too slow.

    Raises:
        ActionError: They are; says by how much. Nothing of the message is sent then.
    """
    found: list[Event] = []
    waited, num_characters = 0.0, 0
    for event in events:
        found.append(event)
        if len(found) > MAX_EVENTS:
            raise ActionError(f"The message asks for more than {MAX_EVENTS} events. Send fewer actions at once.")
        if isinstance(event, Wait):
            waited += event.seconds
        elif isinstance(event, Type | Copy):
            num_characters += len(event.text)
    if waited > MAX_WAIT_S:
        raise ActionError(f"The message waits {waited:g} s in all; at most {MAX_WAIT_S:g} s are waited. Wait less.")
    if num_characters > MAX_TEXT:
        raise ActionError(f"The message types {num_characters} characters; at most {MAX_TEXT} are typed. Type less.")
    return tuple(found)


def whole_message(message: object) -> str:
    """A message that is short enough to be read.

    Raises:
        ActionError: It is no text, or too long.
    """
    if not isinstance(message, str):
        raise ActionError(f"A message is text, got {shown(message)}.")
    if len(message) > MAX_MESSAGE:
        raise ActionError(f"The message has {len(message)} characters; at most {MAX_MESSAGE} are read. Write less.")
    return message
