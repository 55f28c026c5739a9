"""Anthropic's computer tool in its three versions: 2024-10-22, 2025-01-24, and 2025-11-24 with zoom.

The versions differ in their actions and in whether clicks take a coordinate. Modifiers of a click are in `text` (2025)
or `key`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from agentgym.message import ToolSchema
from agentgym_gui.actions.events import (
    ActionError,
    Box,
    Button,
    Elements,
    Event,
    Frame,
    Look,
    Move,
    Press,
    Release,
    Scroll,
    Type,
    Wait,
    Where,
    quoted,
    shown,
)
from agentgym_gui.actions.gestures import clicks, drag
from agentgym_gui.actions.json_actions import ENDS, ended, json_actions, unwrapped
from agentgym_gui.actions.keys import combination, held, pressed
from agentgym_gui.actions.values import MAX_NOTCHES, Fields, bounded

Version = Literal["20241022", "20250124", "20251124"]
EXAMPLE = '{"action": "left_click", "coordinate": [640, 400]}'
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_CLICKS: Mapping[str, tuple[Button, int]] = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}
_FIRST = (
    "key",
    "type",
    "mouse_move",
    "left_click",
    "left_click_drag",
    "right_click",
    "middle_click",
    "double_click",
    "screenshot",
    "cursor_position",
)
_SECOND = (*_FIRST, "left_mouse_down", "left_mouse_up", "scroll", "hold_key", "wait", "triple_click")
ACTIONS: Mapping[Version, tuple[str, ...]] = {
    "20241022": _FIRST,
    "20250124": _SECOND,
    "20251124": (*_SECOND, "zoom"),
}
"""The actions of each version."""


def parse(message: object, frame: Frame, elements: Elements, version: Version = "20251124") -> tuple[Event, ...]:
    """The events of a message.

    Args:
        message: Inputs of the tool as JSON, bare or in a tool call; or the word DONE or FAIL.
        frame: What coordinates mean.
        elements: Not used: this syntax knows no elements.
        version: The version of the tool.

    Raises:
        ActionError: The message is no valid action; nothing of it is done.
    """
    events: list[Event] = []
    for item in json_actions(message, EXAMPLE, ENDS, tools=[tool(version)]):
        if isinstance(item, str):
            events += ended(item)
            continue
        for action in unwrapped(item, "computer"):
            events += _events(action, frame, version)
    return bounded(events)


def tool(version: Version) -> ToolSchema:
    """The tool as an OpenAI function schema, for models that do not know it by its type."""
    pair = {"type": "array", "items": {"type": "number"}}
    properties: dict[str, Any] = {
        "action": {"type": "string", "enum": list(ACTIONS[version]), "description": "What to do."},
        "coordinate": {**pair, "description": "A point [x, y]."},
        "text": {"type": "string", "description": "Text to type, keys such as ctrl+s, or keys held during a click."},
    }
    if version != "20241022":
        properties |= {
            "start_coordinate": {**pair, "description": "Where a drag begins."},
            "scroll_direction": {"type": "string", "enum": list(_DIRECTIONS), "description": "Where to scroll."},
            "scroll_amount": {"type": "number", "description": "Notches of the wheel."},
            "duration": {"type": "number", "description": "Seconds to wait or to hold a key."},
            "key": {"type": "string", "description": "Keys held during a click, a drag or scrolling."},
        }
    if version == "20251124":
        properties["region"] = {**pair, "description": "The part [x0, y0, x1, y1] that zoom shows."}
    parameters = {"type": "object", "properties": properties, "required": ["action"]}
    description = "The mouse and the keyboard of the computer, and pictures of its screen."
    return {"type": "function", "function": {"name": "computer", "description": description, "parameters": parameters}}


def definition(version: Version, frame: Frame) -> dict[str, Any]:
    """The tool as Anthropic's API takes it, for a picture of the size that the frame says."""
    width, height = frame.limits
    sent = {"type": f"computer_{version}", "name": "computer", "display_width_px": width + 1}
    return {**sent, "display_height_px": height + 1, **({"enable_zoom": True} if version == "20251124" else {})}


def _events(action: Mapping[str, Any], frame: Frame, version: Version) -> tuple[Event, ...]:
    kind = action.get("action")
    if not isinstance(kind, str) or kind not in ACTIONS[version]:
        raise ActionError(
            f"There is no action {quoted(kind)} in computer_{version}. Known: {', '.join(ACTIONS[version])}."
        )
    fields = Fields(kind, {name: value for name, value in action.items() if name != "action"})
    events = _click(fields, frame, version) if kind in _CLICKS else _OTHERS[kind](fields, frame)
    fields.refuse_rest()
    return events


def _click(fields: Fields, frame: Frame, version: Version) -> tuple[Event, ...]:
    if version == "20241022" and fields.has("coordinate"):
        raise ActionError(f"{fields.action} takes no coordinate in computer_20241022. Use mouse_move first.")
    at = (Move(*fields.point("coordinate", frame)),) if fields.has("coordinate") else ()
    return (*at, *held(_modifiers(fields, version), clicks(*_CLICKS[fields.action])))


def _modifiers(fields: Fields, version: Version = "20250124") -> tuple[str, ...]:
    if version == "20241022":
        return ()
    names = fields.take("key", None) or fields.take("text", None)
    return combination(names) if names else ()


def _drag(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    end = fields.point("coordinate", frame)
    if fields.has("start_coordinate"):
        return held(_modifiers(fields), drag([fields.point("start_coordinate", frame), end]))
    return (Press(), Move(*end), Release())


def _scroll(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    at = (Move(*fields.point("coordinate", frame)),) if fields.has("coordinate") else ()
    dx, dy = _DIRECTIONS[fields.choice("scroll_direction", tuple(_DIRECTIONS))]
    amount = fields.whole("scroll_amount", 0, MAX_NOTCHES)
    return (*at, *held(_modifiers(fields), (Scroll(dx * amount, dy * amount),)))


def _keys(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    parts = fields.text("text").split() or [" "]
    return tuple(event for part in parts for event in pressed(combination(part)))


def _hold(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return held(combination(fields.text("text")), (Wait(fields.seconds("duration")),))


def _zoom(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    region = fields.take("region")
    if not isinstance(region, list) or len(region) != 4:
        raise ActionError(f"'region' of zoom must be four numbers [x0, y0, x1, y1], got {shown(region)}.")
    left, top = frame.to_pixel(region[0], region[1])
    right, bottom = frame.to_pixel(region[2], region[3])
    if right <= left or bottom <= top:
        raise ActionError("'region' of zoom must go from its upper left corner to its lower right one.")
    return (Look(Box(left, top, right - left + 1, bottom - top + 1)),)


_OTHERS: Mapping[str, Callable[[Fields, Frame], tuple[Event, ...]]] = {
    "key": _keys,
    "type": lambda fields, frame: (Type(fields.text("text")),),
    "mouse_move": lambda fields, frame: (Move(*fields.point("coordinate", frame)),),
    "left_click_drag": _drag,
    "screenshot": lambda fields, frame: (Look(),),
    "cursor_position": lambda fields, frame: (Where(),),
    "left_mouse_down": lambda fields, frame: (*_maybe_at(fields, frame), Press()),
    "left_mouse_up": lambda fields, frame: (*_maybe_at(fields, frame), Release()),
    "scroll": _scroll,
    "hold_key": _hold,
    "wait": lambda fields, frame: (Wait(fields.seconds("duration")),),
    "zoom": _zoom,
}


def _maybe_at(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return (Move(*fields.point("coordinate", frame)),) if fields.has("coordinate") else ()
