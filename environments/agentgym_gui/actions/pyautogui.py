"""pyautogui, pyperclip and time.sleep code, read by an `ast` whitelist and never run.

Literals, arithmetic on them and bounded `for … in range(…)` loops are read. Durations and intervals are left out,
because the pointer moves at once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.action import split_reasoning
from agentgym.python_source import in_words
from agentgym_gui.actions.events import (
    ActionError,
    Button,
    Copy,
    Elements,
    Event,
    Frame,
    KeyDown,
    KeyUp,
    Look,
    Move,
    Press,
    Release,
    Scroll,
    Type,
    Wait,
    quoted,
)
from agentgym_gui.actions.gestures import clicks, known_pointer, moved
from agentgym_gui.actions.json_actions import ENDS, FENCE, ended
from agentgym_gui.actions.keys import chord, key_named, pressed
from agentgym_gui.actions.python_calls import MAX_DEPTH, statements, value_of
from agentgym_gui.actions.values import (
    MAX_ACTIONS,
    MAX_CLICKS,
    MAX_EVENTS,
    bounded,
    notches,
    seconds,
    typeable,
    whole_message,
    whole_number,
)

EXAMPLE = "pyautogui.click(640, 400)"
WAIT_S = 1.0
"""How long the word WAIT waits."""
MAX_ROUNDS = 500
"""Most rounds of all loops of a message together."""
_MODULES = ("pyautogui", "pyperclip", "time")
_END = re.compile(rf"(?:{'|'.join(ENDS)})(?:[:.! ].*)?")
"""A block of code that is a word and no code: an answer or a reason may stand behind it."""
_BUTTONS: Mapping[object, Button] = {
    "left": "left",
    "primary": "left",
    1: "left",
    "middle": "middle",
    2: "middle",
    "right": "right",
    "secondary": "right",
    3: "right",
}


def parse(message: object, frame: Frame, elements: Elements) -> tuple[Event, ...]:
    """The events of a message.

    Args:
        message: Code, perhaps in a fenced block; or one of the words WAIT, FAIL and DONE.
        frame: What coordinates mean.
        elements: Not used: this syntax knows no elements.

    Raises:
        ActionError: Something in the code is not on the whitelist; nothing of it is done.
    """
    text = split_reasoning(whole_message(message))[0]
    blocks = FENCE.findall(text) if "```" in text else [text]
    blocks = [block.strip() for block in blocks if block.strip()]
    if len(blocks) > MAX_ACTIONS:
        raise ActionError(f"The message has more than {MAX_ACTIONS} blocks of code. Write one.")
    reader = _Reader(frame)
    for block in blocks:
        if block == "WAIT":
            reader.events.append(Wait(WAIT_S))
        elif _END.fullmatch(block):
            reader.events += ended(block)
        else:
            reader.read(statements(block), {}, 0)
    if not reader.events:
        raise ActionError(f"The message has no action. Write code such as {EXAMPLE}.")
    return bounded(reader.events)


class _Reader:
    """Reads statements into events.

    Args:
        frame: What coordinates mean.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.events: list[Event] = []
        self._modules = {name: name for name in _MODULES}
        self._functions: dict[str, tuple[str, str]] = {}
        self._rounds = 0

    def read(self, body: list[ast.stmt], names: Mapping[str, int], depth: int) -> None:
        """Read statements; `names` are values of loop variables."""
        if depth > MAX_DEPTH:
            raise ActionError(f"Loops are nested deeper than {MAX_DEPTH}. Write the calls themselves.")
        for statement in body:
            match statement:
                case ast.Expr(value=ast.Call() as call):
                    self._call(call, names)
                case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                    pass
                case ast.Import(names=imported):
                    self._import(imported)
                case ast.ImportFrom(module=str() as module, names=imported, level=0) if module in _MODULES:
                    self._functions |= {each.asname or each.name: (module, each.name) for each in imported}
                case ast.For():
                    self._loop(statement, names, depth)
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr="PAUSE" | "FAILSAFE")]) if (
                    self._modules.get(name) == "pyautogui"
                ):
                    value_of(statement.value, names)
                case _:
                    raise ActionError(
                        f"Line {statement.lineno} has {in_words(statement)}, which is not read. "
                        "Write calls of pyautogui, pyperclip.copy and time.sleep, and loops over range."
                    )

    def _import(self, imported: list[ast.alias]) -> None:
        for each in imported:
            if each.name not in _MODULES:
                raise ActionError(f"The module {each.name[:40]} cannot be imported. Use {', '.join(_MODULES)}.")
            self._modules[each.asname or each.name] = each.name

    def _loop(self, loop: ast.For, names: Mapping[str, int], depth: int) -> None:
        match loop:
            case ast.For(
                target=ast.Name(id=variable),
                iter=ast.Call(func=ast.Name(id="range"), args=[_, *_] as bounds, keywords=[]),
                orelse=[],
            ) if len(bounds) <= 3:
                steps = [whole_number(value_of(each, names), "A bound of range", -(10**6), 10**6) for each in bounds]
            case _:
                raise ActionError("Only loops such as 'for i in range(3):' are read.")
        if len(steps) == 3 and steps[2] == 0:
            raise ActionError("The step of range must not be 0.")
        for value in range(*steps):
            self._rounds += 1
            if self._rounds > MAX_ROUNDS or len(self.events) > MAX_EVENTS:
                raise ActionError(
                    f"The loops have more than {MAX_ROUNDS} rounds or {MAX_EVENTS} events. Do less at once."
                )
            self.read(loop.body, {**names, variable: value}, depth + 1)

    def _call(self, call: ast.Call, names: Mapping[str, int]) -> None:
        match call.func:
            case ast.Attribute(value=ast.Name(id=owner), attr=function) if owner in self._modules:
                module = self._modules[owner]
            case ast.Name(id=name) if name in self._functions:
                module, function = self._functions[name]
            case _:
                raise ActionError(
                    f"Only calls of pyautogui, pyperclip.copy and time.sleep are read, such as {EXAMPLE}."
                )
        build = _CALLS.get((module, function))
        if build is None:
            known = ", ".join(sorted(name for owner, name in _CALLS if owner == module))
            raise ActionError(f"{module}.{function[:40]} is not known here. Known: {known}.")
        parameters, make = build
        given = _bound(f"{module}.{function}", call, parameters, names)
        self.events += make(given, self)


def _bound(what: str, call: ast.Call, parameters: tuple[str, ...], names: Mapping[str, int]) -> dict[str, Any]:
    """The arguments of a call by name; those of `*keys` are a list."""
    values = [value_of(each, names) for each in call.args]
    if parameters and parameters[0].startswith("*"):
        given: dict[str, Any] = {parameters[0][1:]: values}
        parameters = parameters[1:]
    else:
        if len(values) > len(parameters):
            raise ActionError(f"{what} takes at most {len(parameters)} arguments, got {len(values)}.")
        given = dict(zip(parameters, values, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in given or keyword.arg not in (*parameters, *_IGNORED):
            raise ActionError(f"{what} takes {', '.join(parameters) or 'no arguments'}; got {keyword.arg or '**'}.")
        given[keyword.arg] = value_of(keyword.value, names) if keyword.arg != "tween" else None
    return given


_IGNORED = ("duration", "interval", "tween", "logScreenshot", "_pause")
_Given = Mapping[str, Any]


def _at(given: _Given, reader: _Reader) -> tuple[Event, ...]:
    """A move to x and y, either of which may be left out."""
    x, y = given.get("x"), given.get("y")
    if isinstance(x, list) and len(x) == 2 and y is None:
        x, y = x
    if isinstance(x, str) and y is None:
        raise ActionError(f"Nothing is found by its picture here. Give coordinates, such as {EXAMPLE}.")
    if x is None and y is None:
        return ()
    if x is None or y is None:
        here = reader.frame.from_pixel(*known_pointer(reader.events, reader.frame, "A move along one axis"))
        x, y = (here[0] if x is None else x), (here[1] if y is None else y)
    return (Move(*reader.frame.to_pixel(x, y)),)


def _by(given: _Given, reader: _Reader) -> tuple[Event, ...]:
    x, y = given.get("xOffset", 0) or 0, given.get("yOffset", 0) or 0
    if isinstance(x, list) and len(x) == 2:
        x, y = x
    size = max(reader.frame.width, reader.frame.height)
    dx, dy = (whole_number(each, "An offset in pixels", -size, size) for each in (x, y))
    start = known_pointer(reader.events, reader.frame, "A relative move")
    return (Move(*moved(start, dx, dy, reader.frame)),)


def _button(given: _Given, default: Button = "left") -> Button:
    value = given.get("button", default)
    key = value.lower() if isinstance(value, str) else value
    if isinstance(key, bool) or not isinstance(key, str | int) or key not in _BUTTONS:
        raise ActionError(f"There is no button {quoted(value)}. Known: left, middle, right.")
    return _BUTTONS[key]


def _clicks(default_button: Button = "left", count: int = 1) -> Callable[[_Given, _Reader], tuple[Event, ...]]:
    def make(given: _Given, reader: _Reader) -> tuple[Event, ...]:
        number = whole_number(given.get("clicks", count), "'clicks'", 1, MAX_CLICKS)
        return (*_at(given, reader), *clicks(_button(given, default_button), number))

    return make


def _drag(way: Callable[[_Given, _Reader], tuple[Event, ...]]) -> Callable[[_Given, _Reader], tuple[Event, ...]]:
    def make(given: _Given, reader: _Reader) -> tuple[Event, ...]:
        moves, button = way(given, reader), _button(given)
        if not moves:
            raise ActionError("A drag needs a point to go to.")
        return (Press(button), *moves, Release(button)) if given.get("mouseDownUp", True) else moves

    return make


def _scroll(dx: int, dy: int) -> Callable[[_Given, _Reader], tuple[Event, ...]]:
    def make(given: _Given, reader: _Reader) -> tuple[Event, ...]:
        amount = notches(given.get("clicks"), "'clicks' of a scroll")
        return (*_at(given, reader), Scroll(dx * amount, dy * amount))

    return make


def _write(given: _Given, reader: _Reader) -> tuple[Event, ...]:
    message = given.get("message")
    if isinstance(message, list):
        return tuple(event for key in message for event in pressed((key_named(key),)))
    return (Type(typeable(message, "The text to write")),)


def _press(given: _Given, reader: _Reader) -> tuple[Event, ...]:
    keys = given.get("keys")
    times = whole_number(given.get("presses", 1), "'presses'", 0, MAX_EVENTS)
    names = [key_named(key) for key in (keys if isinstance(keys, list) else [keys])]
    return tuple(event for name in names for event in pressed((name,))) * times


def _hotkey(given: _Given, reader: _Reader) -> tuple[Event, ...]:
    keys = given["args"]
    return pressed(chord(keys[0] if len(keys) == 1 and isinstance(keys[0], list) else keys))


def _sleep(given: _Given, reader: _Reader) -> tuple[Event, ...]:
    return (Wait(seconds(given.get("secs"), "The time to sleep")),)


_Make = Callable[[_Given, _Reader], tuple[Event, ...]]
_POINT = ("x", "y")
_CALLS: Mapping[tuple[str, str], tuple[tuple[str, ...], _Make]] = {
    **{("pyautogui", name): ((*_POINT, "duration", "tween"), _at) for name in ("moveTo",)},
    **{("pyautogui", name): (("xOffset", "yOffset", "duration", "tween"), _by) for name in ("move", "moveRel")},
    ("pyautogui", "click"): ((*_POINT, "clicks", "interval", "button", "duration", "tween"), _clicks()),
    ("pyautogui", "leftClick"): ((*_POINT, "interval", "duration", "tween"), _clicks()),
    ("pyautogui", "rightClick"): ((*_POINT, "interval", "duration", "tween"), _clicks("right")),
    ("pyautogui", "middleClick"): ((*_POINT, "interval", "duration", "tween"), _clicks("middle")),
    ("pyautogui", "doubleClick"): ((*_POINT, "interval", "button", "duration", "tween"), _clicks("left", 2)),
    ("pyautogui", "tripleClick"): ((*_POINT, "interval", "button", "duration", "tween"), _clicks("left", 3)),
    ("pyautogui", "mouseDown"): (
        (*_POINT, "button", "duration", "tween"),
        lambda given, reader: (*_at(given, reader), Press(_button(given))),
    ),
    ("pyautogui", "mouseUp"): (
        (*_POINT, "button", "duration", "tween"),
        lambda given, reader: (*_at(given, reader), Release(_button(given))),
    ),
    ("pyautogui", "dragTo"): ((*_POINT, "duration", "tween", "button", "mouseDownUp"), _drag(_at)),
    **{
        ("pyautogui", name): (("xOffset", "yOffset", "duration", "tween", "button", "mouseDownUp"), _drag(_by))
        for name in ("drag", "dragRel")
    },
    **{("pyautogui", name): (("clicks", *_POINT), _scroll(0, -1)) for name in ("scroll", "vscroll")},
    ("pyautogui", "hscroll"): (("clicks", *_POINT), _scroll(1, 0)),
    **{("pyautogui", name): (("message", "interval"), _write) for name in ("write", "typewrite")},
    ("pyautogui", "press"): (("keys", "presses", "interval"), _press),
    ("pyautogui", "hotkey"): (("*args", "interval"), _hotkey),
    ("pyautogui", "keyDown"): (("key",), lambda given, reader: (KeyDown(key_named(given.get("key"))),)),
    ("pyautogui", "keyUp"): (("key",), lambda given, reader: (KeyUp(key_named(given.get("key"))),)),
    ("pyautogui", "screenshot"): ((), lambda given, reader: (Look(),)),
    ("pyautogui", "sleep"): (("secs",), _sleep),
    ("time", "sleep"): (("secs",), _sleep),
    ("pyperclip", "copy"): (
        ("text",),
        lambda given, reader: (Copy(typeable(given.get("text"), "The text to copy")),),
    ),
}
