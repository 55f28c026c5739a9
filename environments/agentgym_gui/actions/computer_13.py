"""OSWorld's computer_13: `{"action_type": "CLICK", "x": 640, "y": 400}`, and the words WAIT, FAIL and DONE.

Facts are those of OSWorld (arXiv:2404.07972): positive `dy` scrolls up, and missing coordinates mean the pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentgym_gui.actions.events import (
    BUTTONS,
    ActionError,
    Button,
    Done,
    Elements,
    Event,
    Fail,
    Frame,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    Type,
    Wait,
    quoted,
    shown,
)
from agentgym_gui.actions.gestures import clicks
from agentgym_gui.actions.json_actions import ENDS, ended, json_actions
from agentgym_gui.actions.keys import chord, key_named, pressed
from agentgym_gui.actions.values import MAX_CLICKS, Fields, bounded, notches

EXAMPLE = '{"action_type": "CLICK", "x": 640, "y": 400}'
WORDS = ("WAIT", *ENDS)
WAIT_S = 1.0
"""How long WAIT waits: a step settles by itself, so that it need not be longer."""
_DURATIONS = ("duration", "duration_s")


def parse(message: object, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    """The events of a message.

    Args:
        message: JSON objects with `action_type`, their parameters beside it or in `parameters`; or one of the words.
        frame: What coordinates mean.
        elements: Not used: this syntax knows no elements.

    Raises:
        ActionError: The message is no valid action; nothing of it is done.
    """
    events: list[Event] = []
    for action in json_actions(message, EXAMPLE, WORDS):
        if isinstance(action, str):
            events += ended(action) or (Wait(WAIT_S),)
        else:
            events += _events(action, frame)
    return bounded(events)


def _events(action: Mapping[str, object], frame: Frame) -> tuple[Event, ...]:
    kind = action.get("action_type")
    build = _ACTIONS.get(kind.upper()) if isinstance(kind, str) else None
    if build is None:
        raise ActionError(f"There is no action_type {quoted(kind)}. Known: {', '.join(_ACTIONS)}.")
    rest = {name: value for name, value in action.items() if name not in ("action_type", "note")}
    inner = rest.pop("parameters", None)
    if inner is not None:
        if not isinstance(inner, dict):
            raise ActionError(f'"parameters" must be an object, got {shown(inner)}.')
        rest |= inner
    fields = Fields(str(kind), rest)
    for name in _DURATIONS if kind != "WAIT" else ():
        fields.take(name, None)  # the pointer moves at once
    events = build(fields, frame)
    fields.refuse_rest()
    return events


def _at(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    """A move to the coordinates; none where both are missing."""
    if not fields.has("x") and not fields.has("y"):
        return ()
    return (Move(*frame.to_pixel(fields.take("x"), fields.take("y"))),)


def _button(fields: Fields) -> Button:
    found = fields.choice("button", BUTTONS, "left")
    return next(button for button in BUTTONS if button == found)


def _click(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    count = fields.whole("num_clicks", 1, MAX_CLICKS, 1)
    return (*_at(fields, frame), *clicks(_button(fields), count))


def _move(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return (Move(*frame.to_pixel(fields.take("x"), fields.take("y"))),)


def _drag(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return (Press(), *_move(fields, frame), Release())


def _scroll(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    dx, dy = (notches(fields.take(name, 0), f"{name!r} of SCROLL") for name in ("dx", "dy"))
    return (*_at(fields, frame), Scroll(dx, -dy))


def _hotkey(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    keys = fields.take("keys")
    if not isinstance(keys, list):
        raise ActionError(f'\'keys\' of HOTKEY must be a list such as ["ctrl", "s"], got {shown(keys)}.')
    return pressed(chord(keys))


def _words(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return (Type(fields.text("text")),)


_ACTIONS: Mapping[str, Callable[[Fields, Frame], tuple[Event, ...]]] = {
    "MOVE_TO": _move,
    "CLICK": _click,
    "MOUSE_DOWN": lambda fields, frame: (Press(_button(fields)),),
    "MOUSE_UP": lambda fields, frame: (Release(_button(fields)),),
    "RIGHT_CLICK": lambda fields, frame: (*_at(fields, frame), *clicks("right")),
    "DOUBLE_CLICK": lambda fields, frame: (*_at(fields, frame), *clicks("left", 2)),
    "DRAG_TO": _drag,
    "SCROLL": _scroll,
    "TYPING": _words,
    "PRESS": lambda fields, frame: pressed((key_named(fields.take("key")),)),
    "KEY_DOWN": lambda fields, frame: (KeyDown(key_named(fields.take("key"))),),
    "KEY_UP": lambda fields, frame: (KeyUp(key_named(fields.take("key"))),),
    "HOTKEY": _hotkey,
    "WAIT": lambda fields, frame: (Wait(fields.seconds("duration_s", WAIT_S)),),
    "FAIL": lambda fields, frame: (Fail(),),
    "DONE": lambda fields, frame: (Done(),),
}
