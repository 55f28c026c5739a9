"""Rooms in places of a grid, each with ways to those beside it; drawn from a seed, and the shortest routes in them.

What is to be done in them is the affair of `game`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agentgym_dialogue.navigation.shortest_path import distances_from

_NAMES = """
attic balcony bathroom bedroom cellar chapel closet corridor dining-room gallery garage garden hall kitchen laundry
library lounge nursery office pantry porch study terrace workshop
"""
NAMES = tuple(_NAMES.split())
DIRECTIONS: Mapping[str, tuple[int, int]] = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}
SIDE = 4
"""Places along each side of the grid."""


class Room(NamedTuple):
    """A room: its name and its place, from the west and from the north."""

    name: str
    x: int
    y: int


class House:
    """Rooms and the ways between them.

    Args:
        rooms: The rooms; those in neighbouring places are connected.
    """

    def __init__(self, rooms: Sequence[Room]) -> None:
        at = {(room.x, room.y): room.name for room in rooms}
        self.ways: dict[str, dict[str, str]] = {
            room.name: {
                direction: at[place]
                for direction, (dx, dy) in DIRECTIONS.items()
                if (place := (room.x + dx, room.y + dy)) in at
            }
            for room in rooms
        }
        """By room and direction the room where one comes to."""

    def described(self) -> str:
        """The map in words: `hall: north kitchen, east study.` and so on."""
        lines = (
            f"{name}: {', '.join(f'{direction} {room}' for direction, room in ways.items())}."
            for name, ways in self.ways.items()
        )
        return " ".join(lines)

    def route(self, start: str, goals: Sequence[str]) -> list[str]:
        """Directions of a shortest way to the nearest of some rooms."""
        distances = distances_from(start, lambda room: self.ways[room].values())
        room = min(goals, key=lambda goal: distances[goal])
        found: list[str] = []
        while room != start:
            back = min(self.ways[room].values(), key=lambda other: distances[other])
            found.append(next(direction for direction, other in self.ways[back].items() if other == room))
            room = back
        return found[::-1]

    def tour(self, start: str) -> list[str]:
        """Directions of a shortest walk that sees every room."""
        index = {name: 1 << number for number, name in enumerate(self.ways)}
        everything = (1 << len(index)) - 1
        frontier: list[tuple[str, int]] = [(start, index[start])]
        came: dict[tuple[str, int], tuple[tuple[str, int], str] | None] = {frontier[0]: None}
        for state in frontier:  # which grows: breadth first
            room, seen = state
            if seen == everything:
                return _walk_to(state, came)
            for direction, other in self.ways[room].items():
                further = (other, seen | index[other])
                if further not in came:
                    came[further] = (state, direction)
                    frontier.append(further)
        raise ValueError(f"not every room can be reached from {start!r}")


def _walk_to(state: tuple[str, int], came: Mapping[tuple[str, int], tuple[tuple[str, int], str] | None]) -> list[str]:
    found: list[str] = []
    while (step := came[state]) is not None:
        state, direction = step
        found.append(direction)
    return found[::-1]


def draw_rooms(rng: random.Random, count: int) -> list[Room]:
    """Random connected rooms with random names; the first is where one starts."""
    places = [(rng.randrange(SIDE), rng.randrange(SIDE))]
    while len(places) < count:
        x, y = rng.choice(places)
        dx, dy = rng.choice(list(DIRECTIONS.values()))
        place = (x + dx, y + dy)
        if place not in places and all(0 <= along < SIDE for along in place):
            places.append(place)
    rng.shuffle(places)
    return [Room(name, x, y) for name, (x, y) in zip(rng.sample(NAMES, count), places, strict=True)]
