"""Qwen's mobile_use actions, in which AndroidControl's traces are written: `{"action": "click", "coordinate": [1, 2]}`.

Facts are those of the tool's schema and of UI-S1's traces (arXiv:2509.11543).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentgym.message import ToolSchema
from agentgym_gui.actions.androidworld import BACK, HOME
from agentgym_gui.actions.events import (
    ActionError,
    Answer,
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
from agentgym_gui.actions.gestures import LONG_PRESS_S, click, long_press, swipe
from agentgym_gui.actions.json_actions import json_actions, unwrapped
from agentgym_gui.actions.keys import key_named, pressed
from agentgym_gui.actions.values import Fields, bounded

EXAMPLE = '{"action": "click", "coordinate": [640, 400]}'
WAIT_S = 2.0
"""How long `wait` waits where it names no time."""
_SYSTEM = {"back": BACK, "home": HOME, "menu": "Menu", "enter": "Return"}


def parse(message: object, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    """The events of a message.

    Args:
        message: Actions as JSON, bare or in a tool call.
        frame: What coordinates mean.
        elements: Not used: this syntax knows no elements.

    Raises:
        ActionError: The message is no valid action; nothing of it is done.
    """
    events: list[Event] = []
    for item in json_actions(message, EXAMPLE, tools=[TOOL]):
        for action in unwrapped(item, "mobile_use") if isinstance(item, dict) else ():
            events += events_of(action, frame)
    return bounded(events)


def events_of(action: Mapping[str, Any], frame: Frame) -> tuple[Event, ...]:
    """The events of one action.

    Raises:
        ActionError: It is no valid action.
    """
    kind = action.get("action")
    if not isinstance(kind, str) or kind not in _ACTIONS:
        raise ActionError(f"There is no action {quoted(kind)}. Known: {', '.join(_ACTIONS)}.")
    fields = Fields(kind, {name: value for name, value in action.items() if name != "action"})
    events = _ACTIONS[kind](fields, frame)
    fields.refuse_rest()
    return events


def _swipe(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return swipe(fields.point("coordinate", frame), fields.point("coordinate2", frame))


def _terminate(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return (Done(),) if fields.choice("status", ("success", "failure")) == "success" else (Fail(),)


def _button(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return pressed((_SYSTEM[fields.choice("button", tuple(_SYSTEM))],))


_ACTIONS: Mapping[str, Callable[[Fields, Frame], tuple[Event, ...]]] = {
    "key": lambda fields, frame: pressed((key_named(fields.take("text")),)),
    "click": lambda fields, frame: click(fields.point("coordinate", frame)),
    "long_press": lambda fields, frame: long_press(
        fields.point("coordinate", frame), fields.seconds("time", LONG_PRESS_S)
    ),
    "swipe": _swipe,
    "type": lambda fields, frame: (Type(fields.text("text")),),
    "answer": lambda fields, frame: (Answer(fields.text("text")),),
    "system_button": _button,
    "open": lambda fields, frame: (Open(fields.text("text")),),
    "wait": lambda fields, frame: (Wait(fields.seconds("time", WAIT_S)),),
    "terminate": _terminate,
}

TOOL: ToolSchema = {
    "type": "function",
    "function": {
        "name": "mobile_use",
        "description": "The touch screen of the phone.",
        "parameters": {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": list(_ACTIONS), "description": "What to do."},
                "coordinate": {"type": "array", "items": {"type": "number"}, "description": "A point [x, y]."},
                "coordinate2": {"type": "array", "items": {"type": "number"}, "description": "Where a swipe ends."},
                "text": {"type": "string", "description": "Text to type or to answer, a key, or an application."},
                "time": {"type": "number", "description": "Seconds of a wait or of a long press."},
                "button": {"type": "string", "description": "Back, Home, Menu or Enter."},
                "status": {"type": "string", "enum": ["success", "failure"], "description": "How the task ended."},
            },
            "required": ["action"],
        },
    },
}
"""The actions as an OpenAI function schema."""
