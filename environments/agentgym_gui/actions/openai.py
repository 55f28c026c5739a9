"""OpenAI's computer actions: `{"type": "click", "button": "left", "x": 640, "y": 400}`.

Facts are those of the Responses API: scrolling is in pixels, `wheel` is the middle button, and most actions may name
keys that are held.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.message import ToolSchema
from agentgym_gui.actions.events import (
    ActionError,
    Button,
    Elements,
    Event,
    Frame,
    Look,
    Move,
    Scroll,
    Type,
    Wait,
    quoted,
    shown,
)
from agentgym_gui.actions.gestures import clicks, drag
from agentgym_gui.actions.json_actions import ENDS, ended, json_actions, unwrapped
from agentgym_gui.actions.keys import chord, held, pressed
from agentgym_gui.actions.values import MAX_NOTCHES, Fields, bounded, number

EXAMPLE = '{"type": "click", "button": "left", "x": 640, "y": 400}'
PIXELS_A_NOTCH = 100
"""How many pixels of `scroll_x` and `scroll_y` are a notch of the wheel."""
WAIT_S = 1.0
"""How long `wait` waits."""
MAX_PATH = 200
"""Most points of a drag."""
_BUTTONS: Mapping[str, Button] = {
    "left": "left",
    "right": "right",
    "wheel": "middle",
    "middle": "middle",
    "back": "back",
    "forward": "forward",
}


def parse(message: object, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    """The events of a message.

    Args:
        message: Actions as JSON, bare, in a `computer_call` or in a tool call; or the word DONE or FAIL.
        frame: What coordinates mean.
        elements: Not used: this syntax knows no elements.

    Raises:
        ActionError: The message is no valid action; nothing of it is done.
    """
    events: list[Event] = []
    for item in json_actions(message, EXAMPLE, ENDS, tools=[TOOL]):
        if isinstance(item, str):
            events += ended(item)
            continue
        for action in unwrapped(item, "computer"):
            events += _events(action, frame)
    return bounded(events)


def _events(action: Mapping[str, Any], frame: Frame) -> tuple[Event, ...]:
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in _ACTIONS:
        raise ActionError(f"There is no action type {quoted(kind)}. Known: {', '.join(_ACTIONS)}.")
    fields = Fields(kind, {name: value for name, value in action.items() if name != "type"})
    events = _ACTIONS[kind](fields, frame)
    if fields.has("keys"):
        events = held(_keys(fields), events)
    fields.refuse_rest()
    return events


def _keys(fields: Fields) -> tuple[str, ...]:
    keys = fields.take("keys")
    if not isinstance(keys, list):
        raise ActionError(f'\'keys\' of {fields.action} must be a list such as ["CTRL", "S"], got {shown(keys)}.')
    return chord(keys) if keys else ()


def _at(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return (Move(*frame.to_pixel(fields.take("x"), fields.take("y"))),)


def _click(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    button = _BUTTONS[fields.choice("button", tuple(_BUTTONS), "left")]
    return (*_at(fields, frame), *clicks(button))


def _scroll(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    most = MAX_NOTCHES * PIXELS_A_NOTCH
    found = [number(fields.take(name, 0), f"{name!r} of scroll", -most, most) for name in ("scroll_x", "scroll_y")]
    dx, dy = (int(math.copysign(math.ceil(abs(pixels) / PIXELS_A_NOTCH), pixels)) for pixels in found)
    return (*_at(fields, frame), Scroll(dx, dy))


def _drag(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    path = fields.take("path")
    if not isinstance(path, list) or not 2 <= len(path) <= MAX_PATH:
        raise ActionError(f"'path' of drag must be from 2 to {MAX_PATH} points, got {shown(path)}.")
    pixels = []
    for each in path:
        x, y = (each.get("x"), each.get("y")) if isinstance(each, dict) else _pair(each)
        pixels.append(frame.to_pixel(x, y))
    return drag(pixels)


def _pair(value: object) -> tuple[object, object]:
    if isinstance(value, list) and len(value) == 2:
        return value[0], value[1]
    raise ActionError(f'A point of a path is {{"x": 640, "y": 400}}, got {shown(value)}.')


def _keypress(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    keys = _keys(fields)
    if not keys:
        raise ActionError("'keys' of keypress must name a key.")
    return pressed(keys)


_ACTIONS: Mapping[str, Callable[[Fields, Frame], tuple[Event, ...]]] = {
    "click": _click,
    "double_click": lambda fields, frame: (*_at(fields, frame), *clicks("left", 2)),
    "drag": _drag,
    "keypress": _keypress,
    "move": _at,
    "screenshot": lambda fields, frame: (Look(),),
    "scroll": _scroll,
    "type": lambda fields, frame: (Type(fields.text("text")),),
    "wait": lambda fields, frame: (Wait(WAIT_S),),
}

TOOL: ToolSchema = {
    "type": "function",
    "function": {
        "name": "computer",
        "description": "The mouse and the keyboard of the computer, and pictures of its screen.",
        "parameters": {
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": list(_ACTIONS), "description": "What to do."},
                "button": {"type": "string", "enum": list(_BUTTONS), "description": "The button of a click."},
                "x": {"type": "number", "description": "Column of the point."},
                "y": {"type": "number", "description": "Row of the point."},
                "keys": {"type": "array", "items": {"type": "string"}, "description": "Keys to press or to hold."},
                "path": {"type": "array", "items": {"type": "object"}, "description": "The points of a drag."},
                "scroll_x": {"type": "number", "description": "Pixels to the right."},
                "scroll_y": {"type": "number", "description": "Pixels down."},
                "text": {"type": "string", "description": "Text to type."},
            },
            "required": ["type"],
        },
    },
}
"""The actions as an OpenAI function schema, for models that are no computer-use models."""
