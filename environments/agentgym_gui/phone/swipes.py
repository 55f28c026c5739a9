"""Swipes as turns of the wheel, for windows that know no touch."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_gui.actions.events import Event, Move, Press, Release, Scroll

PIXELS_A_NOTCH = 60
"""How far a finger moves for each notch of the wheel."""


def without_touch(events: Sequence[Event]) -> tuple[Event, ...]:
    """Events in which drags of the left button are turns of the wheel at their start, for windows that know no touch.

    A finger that moves up by `PIXELS_A_NOTCH` pixels is a notch down. Short drags and long presses stay as they are.
    """
    result: list[Event] = []
    at = 0
    while at < len(events):
        end = _end_of_drag(events, at)
        path = [event for event in events[at:end] if isinstance(event, Move)]
        dx = -_notches(path[-1].x - path[0].x) if path else 0
        dy = -_notches(path[-1].y - path[0].y) if path else 0
        if dx or dy:
            result += [path[0], Scroll(dx, dy)]
            at = end
        else:
            result.append(events[at])
            at += 1
    return tuple(result)


def _end_of_drag(events: Sequence[Event], start: int) -> int:
    """The index after a Move, Press, Move …, Release that begins at an index; the index itself if none does."""
    if not isinstance(events[start], Move) or events[start + 1 : start + 2] != (Press(),):
        return start
    for index in range(start + 2, len(events)):
        if events[index] == Release():
            return index + 1 if index > start + 2 else start
        if not isinstance(events[index], Move):
            return start
    return start


def _notches(pixels: int) -> int:
    return int(pixels / PIXELS_A_NOTCH)
