"""Oracles of pages that want a point set or a line drawn with the mouse."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, solves
from agentgym_web.reading import Node, Reading

Point = tuple[float, float]
MAX_CALLS = 8
SHIFT = 2
"""How far right and below of a click these pages draw its point, in pixels."""
RADIUS = 20
NUM_CORNERS = 20


@solves("circle-center")
def mark_center(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The middle of the circle."""
    return set_point(seen, seen.all("circle")[0].at)


@solves("find-midpoint")
def mark_midpoint(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The point half-way between two."""
    first, second = (circle.at for circle in seen.all("circle"))
    return set_point(seen, ((first[0] + second[0]) / 2, (first[1] + second[1]) / 2))


@solves("bisect-angle")
def bisect(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A point on the line that halves the angle at the blue circle."""
    corner, first, second = _colored(seen, "blue")
    ones = [_toward(corner, other) for other in (first, second)]
    ways = [(ones[0][0] + ones[1][0], ones[0][1] + ones[1][1])]
    if math.hypot(*ways[0]) < 0.1:
        ways = [(-ones[0][1], ones[0][0]), (ones[0][1], -ones[0][0])]
    return set_point(seen, _farthest(seen, corner, ways))


@solves("right-angle")
def draw_right_angle(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A point at a right angle to the line at the blue circle."""
    corner, other = _colored(seen, "blue")
    x, y = _toward(corner, other)
    return set_point(seen, _farthest(seen, corner, [(-y, x), (y, -x)]))


def set_point(seen: Reading, point: Point) -> str:
    """The calls that set a point and submit it."""
    x, y = point
    return lines(do("mouse_click", round(x) - SHIFT, round(y) - SHIFT), click(seen.find("button", "Submit")))


def _colored(seen: Reading, color: str) -> list[Point]:
    """The places of the circles, first the one of a colour."""
    circles = sorted(seen.all("circle"), key=lambda circle: circle.properties.get("color") != color)
    return [circle.at for circle in circles]


def _toward(start: Point, goal: Point) -> Point:
    length = math.dist(start, goal)
    return (goal[0] - start[0]) / length, (goal[1] - start[1]) / length


def bounds(drawing: Node, margin: int = 4) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a drawing, inside a margin."""
    (x, y), (width, height) = drawing.at, drawing.size
    return x - width / 2 + margin, y - height / 2 + margin, x + width / 2 - margin, y + height / 2 - margin


def _farthest(seen: Reading, start: Point, ways: list[Point]) -> Point:
    """The point of the drawing that is farthest from a start in one of some directions."""
    left, top, right, bottom = bounds(seen.all("svg")[0])
    best = start
    for x, y in ways:
        room = [150.0]
        room += [((right if x > 0 else left) - start[0]) / x] if abs(x) > 1e-6 else []
        room += [((bottom if y > 0 else top) - start[1]) / y] if abs(y) > 1e-6 else []
        point = start[0] + x * min(room), start[1] + y * min(room)
        best = max(best, point, key=lambda each: math.dist(start, each))
    return best


@solves("draw-line")
def draw_line(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A straight line through a dot."""
    x, y = seen.all("circle")[0].at
    left, top, right, bottom = bounds(seen.all("svg")[0])
    if "horizontal" in instruction:
        drag = do("mouse_drag_and_drop", max(left, x - 40), y, min(right, x + 40), y)
    else:
        drag = do("mouse_drag_and_drop", x, max(top, y - 40), x, min(bottom, y + 40))
    return lines(drag, click(seen.find("button", "Submit")))


@solves("draw-circle")
def draw_circle(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A circle around a dot, corner by corner."""

    def calls() -> list[str]:
        x, y = seen.all("circle")[0].at
        angles = [2 * math.pi * number / NUM_CORNERS for number in range(NUM_CORNERS + 1)]
        corners = [(round(x + RADIUS * math.cos(angle)), round(y + RADIUS * math.sin(angle))) for angle in angles]
        moves = [do("mouse_move", *corner) for corner in corners]
        return [do("mouse_down", *corners[0]), *moves, do("mouse_up", *corners[-1]), click(seen.find("button"))]

    return in_parts(memory, calls)


def in_parts(memory: dict[str, Any], make: Callable[[], list[str]]) -> str:
    """The next of the calls that were planned at the first turn, as many as a message may have."""
    if "plan" not in memory:
        memory["plan"] = make()
    plan = memory["plan"]
    now, memory["plan"] = plan[:MAX_CALLS], plan[MAX_CALLS:]
    return lines(*now) if now else NOTHING
