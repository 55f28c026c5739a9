"""AndroidWorld's JSON actions as touch gestures: `{"action_type": "click", "index": 3}`.

Facts are those of AndroidWorld (arXiv:2405.14573): scrolling down moves the finger up, a swipe is its inverse, and
`input_text` clicks, types and presses Enter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentgym_gui.actions.events import (
    ActionError,
    Answer,
    Box,
    Done,
    Elements,
    Event,
    Fail,
    Frame,
    Open,
    Type,
    Wait,
    quoted,
)
from agentgym_gui.actions.gestures import Point, click, long_press, scroll_by_touch, swipe
from agentgym_gui.actions.json_actions import json_actions
from agentgym_gui.actions.keys import pressed
from agentgym_gui.actions.values import Fields, bounded, box_of

EXAMPLE = '{"action_type": "click", "index": 3}'
WAIT_S = 1.0
"""How long `wait` waits."""
_DIRECTIONS = ("up", "down", "left", "right")
HOME, BACK = "XF86HomePage", "XF86Back"
"""The keys that lead home and back."""


def parse(message: object, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    """The events of a message.

    Args:
        message: JSON objects with `action_type`, perhaps after `Reason: …` and `Action:`.
        frame: What coordinates mean.
        elements: The elements that `index` names.

    Raises:
        ActionError: The message is no valid action; nothing of it is done.
    """
    events: list[Event] = []
    for action in json_actions(message, EXAMPLE):
        events += _events(action if isinstance(action, dict) else {}, frame, elements)
    return bounded(events)


def _events(action: Mapping[str, Any], frame: Frame, elements: Elements) -> tuple[Event, ...]:
    kind = action.get("action_type")
    if not isinstance(kind, str) or kind not in _ACTIONS:
        raise ActionError(f"There is no action_type {quoted(kind)}. Known: {', '.join(_ACTIONS)}.")
    fields = Fields(kind, {name: value for name, value in action.items() if name != "action_type"})
    events = _ACTIONS[kind](fields, frame, elements)
    fields.refuse_rest()
    return events


def _place(fields: Fields, frame: Frame, elements: Elements) -> Point:
    if fields.has("index"):
        if fields.has("x") or fields.has("y"):
            raise ActionError(f"{fields.action} takes an index or x and y, not both.")
        return box_of(fields.take("index"), frame, elements).centre
    return frame.to_pixel(fields.take("x"), fields.take("y"))


def _input_text(fields: Fields, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    text = fields.text("text")
    clears = fields.take("clear_text", False)
    has_place = any(fields.has(name) for name in ("index", "x", "y"))
    at = click(_place(fields, frame, elements)) if has_place else ()
    cleared = (*pressed(("Control_L", "a")), *pressed(("BackSpace",))) if clears is True else ()
    return (*at, *cleared, Type(text), *pressed(("Return",)))


def _scroll(fields: Fields, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    direction = fields.choice("direction", _DIRECTIONS)
    whole = Box(0, 0, frame.width, frame.height)
    within = box_of(fields.take("index"), frame, elements) if fields.has("index") else whole
    return scroll_by_touch(direction, within)


def _swipe(fields: Fields, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    direction = fields.choice("direction", _DIRECTIONS)
    x, y, right, bottom = frame.width // 2, frame.height // 2, frame.width - 1, frame.height - 1
    ways: Mapping[str, tuple[Point, Point]] = {
        "down": ((x, 0), (x, bottom)),
        "up": ((x, bottom), (x, 0)),
        "left": ((0, y), (right, y)),
        "right": ((right, y), (0, y)),
    }
    return swipe(*ways[direction])


def _status(fields: Fields, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    status = fields.choice("goal_status", ("complete", "infeasible"))
    return (Done(),) if status == "complete" else (Fail(),)


_ACTIONS: Mapping[str, Callable[[Fields, Frame, Elements], tuple[Event, ...]]] = {
    "click": lambda fields, frame, elements: click(_place(fields, frame, elements)),
    "double_tap": lambda fields, frame, elements: click(_place(fields, frame, elements), "left", 2),
    "long_press": lambda fields, frame, elements: long_press(_place(fields, frame, elements)),
    "scroll": _scroll,
    "swipe": _swipe,
    "input_text": _input_text,
    "keyboard_enter": lambda fields, frame, elements: pressed(("Return",)),
    "navigate_home": lambda fields, frame, elements: pressed((HOME,)),
    "navigate_back": lambda fields, frame, elements: pressed((BACK,)),
    "open_app": lambda fields, frame, elements: (Open(fields.text("app_name")),),
    "wait": lambda fields, frame, elements: (Wait(WAIT_S),),
    "status": _status,
    "answer": lambda fields, frame, elements: (Answer(fields.text("text")),),
}
