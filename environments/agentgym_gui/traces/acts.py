"""Acts: what a step did, read from its events, so that steps in different syntaxes can be compared.

When two acts agree is in `matching`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agentgym_gui.actions.events import (
    Answer,
    Copy,
    Done,
    Event,
    Fail,
    KeyDown,
    KeyUp,
    Look,
    Move,
    Open,
    Press,
    Release,
    Scroll,
    Type,
    Wait,
    Where,
)
from agentgym_gui.actions.gestures import Point
from agentgym_gui.actions.keys import character_of

Kind = Literal[
    "click", "long_press", "drag", "move", "scroll", "type", "key", "hold", "open", "copy", "wait", "look", "answer",
    "done", "fail",
]  # fmt: skip
_ASIDE = ("wait", "look")
_PASTE = ("Control_L", "v")
_PIECES = re.compile(r"[^\n\t]+|[\n\t]")


@dataclass(frozen=True)
class Act:
    """What a person would say was done.

    Attributes:
        kind: What was done; "hold" is a button or key that stays down or comes up later.
        at: Where; None if nobody says.
        to: Where a drag ends.
        button: The button.
        count: Clicks.
        keys: Keys held meanwhile, or those of a combination.
        text: What was typed, answered or asked for.
        direction: Where scrolling leads: up, down, left or right.
    """

    kind: Kind
    at: Point | None = None
    to: Point | None = None
    button: str = "left"
    count: int = 1
    keys: tuple[str, ...] = ()
    text: str = ""
    direction: str = ""

    def __str__(self) -> str:
        """The act in a few words."""
        at = f" at {self.at}" if self.at else ""
        to = f" to {self.to}" if self.to else ""
        text = f" {self.text!r}" if self.text else ""
        times = f" {self.count} times" if self.count > 1 else ""
        button = f" with the {self.button} button" if self.button != "left" else ""
        held = f"{' ' if self.kind == 'key' else ' with '}{'+'.join(self.keys)}" if self.keys else ""
        way = f" {self.direction}" if self.direction else ""
        return f"{self.kind.replace('_', ' ')}{way}{text}{at}{to}{times}{button}{held}"


def acts_of(events: Sequence[Event], is_touch: bool) -> tuple[Act, ...]:
    """What events did.

    Clicks in a row are one act, and so is text in pieces. A pasted text counts as typed. Waits and looks count only
    where nothing else was done.

    Args:
        events: The events of a message.
        is_touch: Whether a drag is a finger's way to scroll.
    """
    reader = _Reader(events)
    reader.read()
    found = list(_pasted_as_typed(_joined(reader.acts)))
    if is_touch:
        found = [_as_scroll(act) if act.kind == "drag" else act for act in found]
    main = [act for act in found if act.kind not in _ASIDE]
    return tuple(main or found)


class _Reader:
    """Reads events into acts.

    Args:
        events: The events.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self.acts: list[Act] = []
        self._events = events
        self._pointer: Point | None = None
        self._has_moved = self._is_click_row = self._is_chord = False
        self._held: list[str] = []

    def read(self) -> None:
        """Read all events."""
        at = 0
        while at < len(self._events):
            event = self._events[at]
            at += 1
            match event:
                case Move(x, y):
                    self._end_move()
                    self._pointer, self._has_moved, self._is_click_row = (x, y), True, False
                case Press():
                    at = self._press(event, at)
                case Release(button):
                    self._add(Act("hold", self._pointer, button=button, text="up"))
                case Scroll(dx, dy):
                    self._has_moved = False
                    self._add(Act("scroll", self._pointer, direction=_direction(dx, dy)))
                case KeyDown(key):
                    self._held.append(key)
                    self._is_chord = True
                case KeyUp(key):
                    self._key_up(key)
                case _:
                    if not isinstance(event, Wait | Look | Where):
                        self._end_move()
                    for act in _plain(event):
                        self._add(act)
        self._end_move()
        if self._held:
            self._add(Act("hold", text="down"))

    def _press(self, press: Press, at: int) -> int:
        """The act of a button that goes down; returns the index after it comes up."""
        path: list[Point] = []
        waits = False
        for index in range(at, len(self._events)):
            event = self._events[index]
            if event == Release(press.button):
                is_click = not path and not waits
                is_more = is_click and self._is_click_row and self.acts[-1].button == press.button
                self._has_moved = False
                if is_more:
                    self.acts[-1] = replace(self.acts[-1], count=self.acts[-1].count + 1)
                elif path:
                    self._add(Act("drag", self._pointer, path[-1], press.button))
                    self._pointer = path[-1]
                else:
                    self._add(Act("long_press" if waits else "click", self._pointer, button=press.button))
                self._is_click_row = is_click
                return index + 1
            if isinstance(event, Move):
                path.append((event.x, event.y))
            elif isinstance(event, Wait):
                waits = True
            else:
                break
        self._has_moved = False
        self._add(Act("hold", self._pointer, button=press.button, text="down"))
        return at

    def _key_up(self, key: str) -> None:
        if key not in self._held:
            self._add(Act("hold", keys=(key,), text="up"))
            return
        if self._is_chord:
            self._end_move()
            keys, held = tuple(self._held), self._held
            self._held = []
            character = character_of(key) if len(keys) == 1 else ""
            self._add(Act("type", text=character) if character else Act("key", keys=keys))
            self._held = held
        self._held.remove(key)

    def _end_move(self) -> None:
        if self._has_moved:
            self._has_moved = False
            self._add(Act("move", self._pointer))

    def _add(self, act: Act) -> None:
        if self._held and not act.keys:
            act = replace(act, keys=tuple(self._held))
        self.acts.append(act)
        self._is_chord = self._is_click_row = False


def _plain(event: Event) -> Iterator[Act]:
    """The acts of an event that stands for itself."""
    match event:
        case Type(text):
            for piece in _PIECES.findall(text):
                key = {"\n": "Return", "\t": "Tab"}.get(piece)
                yield Act("key", keys=(key,)) if key else Act("type", text=piece)
        case Copy(text):
            yield Act("copy", text=text)
        case Wait():
            yield Act("wait")
        case Look() | Where():
            yield Act("look")
        case Open(name):
            yield Act("open", text=name)
        case Answer(text):
            yield Act("answer", text=text)
        case Done(answer):
            yield Act("done", text=answer)
        case Fail(reason):
            yield Act("fail", text=reason)


def _joined(acts: Sequence[Act]) -> Iterator[Act]:
    """Acts in which pieces of text in a row are one."""
    last: Act | None = None
    for act in acts:
        if last and last.kind == act.kind == "type" and last.keys == act.keys:
            last = replace(last, text=last.text + act.text)
            continue
        if last:
            yield last
        last = act
    if last:
        yield last


def _pasted_as_typed(acts: Iterator[Act]) -> Iterator[Act]:
    """Acts in which a copied text that is pasted at once is typed."""
    copied: Act | None = None
    for act in acts:
        if copied and act.kind == "key" and act.keys == _PASTE:
            yield Act("type", text=copied.text)
            copied = None
            continue
        if copied:
            yield copied
        copied = act if act.kind == "copy" else None
        if not copied:
            yield act
    if copied:
        yield copied


def _as_scroll(drag: Act) -> Act:
    """A finger's way as what it shows: a finger that moves up scrolls down."""
    assert drag.at is not None
    assert drag.to is not None
    return Act("scroll", drag.at, direction=_direction(drag.at[0] - drag.to[0], drag.at[1] - drag.to[1]))


def _direction(dx: int, dy: int) -> str:
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "down" if dy > 0 else "up" if dy < 0 else ""
