"""Gestures: clicks, drags, long presses and swipes as events.

What a gesture does to an application is the desktop's part.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_gui.actions.events import ActionError, Box, Button, Event, Frame, Move, Press, Release, Wait

Point = tuple[int, int]
LONG_PRESS_S = 1.0
"""How long a long press lasts where nobody says."""
SWIPE_STEPS = 4
"""Moves of a swipe from its start to its end."""


def clicks(button: Button = "left", count: int = 1) -> tuple[Event, ...]:
    """Clicks where the pointer is."""
    return (Press(button), Release(button)) * count


def click(at: Point, button: Button = "left", count: int = 1) -> tuple[Event, ...]:
    """Clicks at a pixel."""
    return (Move(*at), *clicks(button, count))


def drag(path: Sequence[Point], button: Button = "left") -> tuple[Event, ...]:
    """A button pressed at the first pixel and released at the last."""
    first, *others = path
    return (Move(*first), Press(button), *(Move(*each) for each in others), Release(button))


def long_press(at: Point, seconds: float = LONG_PRESS_S) -> tuple[Event, ...]:
    """A finger that stays."""
    return (Move(*at), Press(), Wait(seconds), Release())


def swipe(start: Point, end: Point) -> tuple[Event, ...]:
    """A finger that moves from one pixel to another, in steps."""
    steps = [
        tuple(round(a + (b - a) * number / SWIPE_STEPS) for a, b in zip(start, end, strict=True))
        for number in range(SWIPE_STEPS + 1)
    ]
    return drag([(x, y) for x, y in steps])


def scroll_by_touch(direction: str, within: Box) -> tuple[Event, ...]:
    """The finger's way that shows what lies in a direction: down is a finger that moves up, from the middle."""
    x, y = within.centre
    ends = {
        "down": (x, within.y),
        "up": (x, within.y + within.height - 1),
        "right": (within.x, y),
        "left": (within.x + within.width - 1, y),
    }
    return swipe((x, y), ends[direction])


def pointer_of(events: Sequence[Event], frame: Frame) -> Point | None:
    """Where the pointer is after some events."""
    moves = [event for event in events if isinstance(event, Move)]
    return (moves[-1].x, moves[-1].y) if moves else frame.pointer


def known_pointer(events: Sequence[Event], frame: Frame, what: str) -> Point:
    """Where the pointer is after some events.

    Raises:
        ActionError: Nobody knows.
    """
    found = pointer_of(events, frame)
    if found is None:
        raise ActionError(f"{what} is relative to the pointer, whose place is not known. Move it to a point first.")
    return found


def moved(start: Point, dx: int, dy: int, frame: Frame) -> Point:
    """A pixel beside another.

    Raises:
        ActionError: It is outside the screen.
    """
    x, y = start[0] + dx, start[1] + dy
    if not (0 <= x < frame.width and 0 <= y < frame.height):
        raise ActionError(
            f"A move by ({dx}, {dy}) from ({start[0]}, {start[1]}) leaves the screen of {frame.width}x{frame.height} "
            "pixels. Move less."
        )
    return x, y
