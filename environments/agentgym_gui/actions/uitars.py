"""UI-TARS's text: `Thought: …` and `Action: click(start_box='(640,400)')`, for computers and phones.

Points are written in several ways: `(x,y)`, `[x1, y1, x2, y2]` (its middle), `<point>x y</point>`, and each of them
between box tokens.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.action import split_reasoning
from agentgym_gui.actions.events import (
    ActionError,
    Done,
    Elements,
    Event,
    Fail,
    Frame,
    KeyDown,
    KeyUp,
    Move,
    Open,
    Scroll,
    Type,
    Wait,
    shown,
)
from agentgym_gui.actions.gestures import click, drag, long_press
from agentgym_gui.actions.keys import chord, combination, key_named, pressed
from agentgym_gui.actions.python_calls import statements, value_of
from agentgym_gui.actions.values import MAX_ACTIONS, Fields, bounded, typeable, whole_message

EXAMPLE = "Action: click(start_box='(640,400)')"
WAIT_S = 5.0
"""How long `wait` waits, as UI-TARS is told."""
NOTCHES = 5
"""How far `scroll` scrolls."""
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_TAGS = re.compile(r"<\|box_(?:start|end)\|>|</?(?:point|bbox)>")
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_CALL = re.compile(r"\s*(\w+)\((.*)\)\s*", re.DOTALL)
_QUOTED = re.compile(r"\s*content\s*=\s*(['\"])(.*)\1\s*", re.DOTALL)
_NEXT = re.compile(r"(?<=\))\s*\n+(?=\s*\w+\()")
_ESCAPES = {"n": "\n", "t": "\t", "'": "'", '"': '"', "\\": "\\"}
_SYNONYMS = {"point": "start_box", "start_point": "start_box", "end_point": "end_box", "hotkey": "key", "press": "key"}


def parse(message: object, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    """The events of a message.

    Args:
        message: A thought and actions, several on lines of their own.
        frame: What coordinates mean; UI-TARS has a grid of 1000, or pixels of the sent picture.
        elements: Not used: this syntax knows no elements.

    Raises:
        ActionError: The message is no valid action; nothing of it is done.
    """
    text = split_reasoning(whole_message(message))[0]
    body = text.rsplit("Action:", 1)[-1].strip() if "Action:" in text else text.strip()
    body = body.removeprefix("```").removesuffix("```").strip()
    sources = [each for each in _NEXT.split(body) if each.strip()]
    if len(sources) > MAX_ACTIONS:
        raise ActionError(f"The message has more than {MAX_ACTIONS} actions. Send fewer at once.")
    if not sources:
        raise ActionError(f"The message has no action. Write one as {EXAMPLE}.")
    return bounded(event for source in sources for event in _events(source, frame))


def _events(source: str, frame: Frame) -> tuple[Event, ...]:
    name, values = _call(source)
    build = _ACTIONS.get(name)
    if build is None:
        raise ActionError(f"There is no action {name[:40]!r}. Known: {', '.join(_ACTIONS)}.")
    fields = Fields(name, {_SYNONYMS.get(key, key): value for key, value in values.items()})
    events = build(fields, frame)
    fields.refuse_rest()
    return events


def _call(source: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a call; quotes inside `content` need no backslash, since models forget it."""
    match = _CALL.fullmatch(source)
    if match is None:
        raise ActionError(f"{shown(source)} is no action. Write one as {EXAMPLE}.")
    name, inside = match.groups()
    quoted = _QUOTED.fullmatch(inside)
    if quoted:
        return name, {"content": re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), quoted[2])}
    body = statements(source.strip())
    match body:
        case [ast.Expr(value=ast.Call(func=ast.Name(), args=[], keywords=keywords))]:
            names = [keyword.arg for keyword in keywords]
            if None in names or len(set(names)) < len(names):
                raise ActionError(f"{name[:40]} got ** or an argument twice. Give each argument once, by name.")
            return name, {str(each.arg): value_of(each.value, {}) for each in keywords}
    raise ActionError(f"An action is a call whose arguments have names, such as {EXAMPLE}.")


def _point(fields: Fields, name: str, frame: Frame) -> tuple[int, int]:
    """The pixel that a point or the middle of a box names."""
    value = fields.take(name)
    if isinstance(value, list):
        numbers: list[Any] = value
    else:
        if not isinstance(value, str) or len(value) > 200:
            raise ActionError(f"{name!r} of {fields.action} must be a point such as '(640,400)', got {shown(value)}.")
        bare = _TAGS.sub(" ", value)
        numbers = [float(each) for each in _NUMBER.findall(bare)]
        if re.sub(r"[\s,()\[\]]", "", _NUMBER.sub("", bare)):
            numbers = []
    if len(numbers) not in (2, 4):
        raise ActionError(f"{name!r} of {fields.action} must be a point such as '(640,400)', got {shown(value)}.")
    for at in range(0, len(numbers), 2):
        frame.to_pixel(numbers[at], numbers[at + 1])
    return frame.to_pixel((numbers[0] + numbers[-2]) / 2, (numbers[1] + numbers[-1]) / 2)


def _keys(fields: Fields) -> tuple[str, ...]:
    text = fields.text("key")
    return combination(text) if "+" in text else chord(text.split() or [text])


def _scroll(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    at = (Move(*_point(fields, "start_box", frame)),) if fields.has("start_box") else ()
    dx, dy = _DIRECTIONS[fields.choice("direction", tuple(_DIRECTIONS))]
    return (*at, Scroll(dx * NOTCHES, dy * NOTCHES))


def _drag(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return drag([_point(fields, "start_box", frame), _point(fields, "end_box", frame)])


def _finished(fields: Fields, frame: Frame) -> tuple[Event, ...]:
    return (Done(typeable(fields.take("content", ""), "'content' of finished")),)


_ACTIONS: Mapping[str, Callable[[Fields, Frame], tuple[Event, ...]]] = {
    "click": lambda fields, frame: click(_point(fields, "start_box", frame)),
    "left_double": lambda fields, frame: click(_point(fields, "start_box", frame), "left", 2),
    "right_single": lambda fields, frame: click(_point(fields, "start_box", frame), "right"),
    "hover": lambda fields, frame: (Move(*_point(fields, "start_box", frame)),),
    "drag": _drag,
    "select": _drag,
    "hotkey": lambda fields, frame: pressed(_keys(fields)),
    "press": lambda fields, frame: (KeyDown(key_named(fields.take("key"))),),
    "keydown": lambda fields, frame: (KeyDown(key_named(fields.take("key"))),),
    "release": lambda fields, frame: (KeyUp(key_named(fields.take("key"))),),
    "keyup": lambda fields, frame: (KeyUp(key_named(fields.take("key"))),),
    "type": lambda fields, frame: (Type(fields.text("content")),),
    "scroll": _scroll,
    "wait": lambda fields, frame: (Wait(WAIT_S),),
    "finished": _finished,
    "call_user": lambda fields, frame: (Fail(),),
    "long_press": lambda fields, frame: long_press(_point(fields, "start_box", frame)),
    "open_app": lambda fields, frame: (Open(fields.text("app_name")),),
    "press_home": lambda fields, frame: pressed(("XF86HomePage",)),
    "press_back": lambda fields, frame: pressed(("XF86Back",)),
}
