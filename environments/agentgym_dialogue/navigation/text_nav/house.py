"""A house of rooms, doors, furniture and objects: how one is made from a seed, and what commands do in it.

What the agent is asked to do is in `goals`; reading its messages is in `env`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

DIRECTIONS: Mapping[str, tuple[int, int]] = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
OPPOSITE: Mapping[str, str] = {"north": "south", "south": "north", "east": "west", "west": "east"}
ROOMS = ("hall", "kitchen", "bedroom", "bathroom", "office", "cellar", "attic", "garden")
CONTAINERS = ("box", "fridge", "chest", "drawer", "cupboard")
SURFACES = ("table", "shelf", "desk", "bench")
OBJECTS = ("apple", "book", "cup", "key", "ball", "lamp", "coin", "hat", "pen", "spoon")
HAND = "hand"
"""Where an object is that the agent holds."""
DOOR_SHARE = 0.35
"""Share of the ways between two rooms that a closed door bars at first."""

Way = frozenset[str]
"""The two rooms that a way joins."""


class House(NamedTuple):
    """A house as an episode begins in it. The ways between rooms form a tree; all furniture is one of a kind.

    Attributes:
        start: The room where the agent is.
        exits: For each room the room that lies in each direction.
        doors: The ways that a closed door bars.
        furniture: The room of each piece; containers are closed.
        objects: The piece of furniture in or on which each object lies.
    """

    start: str
    exits: Mapping[str, Mapping[str, str]]
    doors: frozenset[Way]
    furniture: Mapping[str, str]
    objects: Mapping[str, str]

    def room_of(self, thing: str) -> str:
        """The room of an object at first, or of a piece of furniture."""
        return self.furniture[self.objects.get(thing, thing)]


class Command(NamedTuple):
    """Something to do.

    Attributes:
        verb: "go", "open", "close", "take" or "put".
        thing: A direction to go or with a door to open; a container to open or close; an object to take or put.
        place: Where to put it.
    """

    verb: str
    thing: str
    place: str = ""

    def __str__(self) -> str:
        if self.verb == "put":
            return f"put {self.thing} {'in' if self.place in CONTAINERS else 'on'} {self.place}"
        if self.verb == "open" and self.thing in DIRECTIONS:
            return f"open {self.thing} door"
        return f"{self.verb} {self.thing}"


@lru_cache(maxsize=4096)
def make_house(seed: int, num_rooms: int) -> House:
    """A house from a seed: the same for ever.

    Args:
        seed: Of all draws.
        num_rooms: 2 to 8.
    """
    rng = random.Random(seed)
    rooms = rng.sample(ROOMS, num_rooms)
    exits = _joined(rooms, rng)
    ways = [frozenset((room, other)) for room in rooms for other in exits[room].values() if room < other]
    doors = frozenset(way for way in ways if rng.random() < DOOR_SHARE)
    pieces = rng.sample((*CONTAINERS, *SURFACES), min(num_rooms + 2, len(CONTAINERS) + len(SURFACES)))
    homes = [*rooms, *rng.choices(rooms, k=len(pieces))]
    furniture = dict(zip(pieces, homes, strict=False))
    objects = {thing: rng.choice(pieces) for thing in rng.sample(OBJECTS, num_rooms + 1)}
    return House(rng.choice(rooms), exits, doors, furniture, objects)


def _joined(rooms: list[str], rng: random.Random) -> Mapping[str, Mapping[str, str]]:
    """Rooms laid on a grid, each new one beside one that lies there."""
    cells = {(0, 0): rooms[0]}
    exits: dict[str, dict[str, str]] = {room: {} for room in rooms}
    for room in rooms[1:]:
        free = [
            (cell, direction)
            for cell in cells
            for direction, (i, j) in DIRECTIONS.items()
            if (cell[0] + i, cell[1] + j) not in cells
        ]
        cell, direction = rng.choice(free)
        i, j = DIRECTIONS[direction]
        cells[cell[0] + i, cell[1] + j] = room
        exits[cells[cell]][direction] = room
        exits[room][OPPOSITE[direction]] = cells[cell]
    return exits


class HouseState:
    """A house in the middle of an episode.

    Attributes:
        house: How it was at first.
        room: Where the agent is.
        closed: The containers that are closed.
        barred: The ways that a closed door bars.
        places: Where each object is: a piece of furniture, or `HAND`.
    """

    __slots__ = ("barred", "closed", "house", "places", "room")

    def __init__(self, house: House) -> None:
        self.house = house
        self.room = house.start
        self.closed = {piece for piece in house.furniture if piece in CONTAINERS}
        self.barred = set(house.doors)
        self.places = dict(house.objects)

    def copy(self) -> HouseState:
        """An independent state of the same house."""
        twin = HouseState.__new__(HouseState)
        twin.house, twin.room = self.house, self.room
        twin.closed, twin.barred, twin.places = set(self.closed), set(self.barred), dict(self.places)
        return twin

    def key(self) -> str:
        """All that differs between states of one house."""
        barred = sorted("-".join(sorted(way)) for way in self.barred)
        things = [f"{thing}:{place}" for thing, place in sorted(self.places.items())]
        return f"{self.room}; {' '.join(sorted(self.closed))}; {' '.join(barred)}; {' '.join(things)}"

    def held(self) -> list[str]:
        """What the agent holds."""
        return [thing for thing, place in self.places.items() if place == HAND]

    def pieces_here(self) -> list[str]:
        """The furniture of the room."""
        return [piece for piece, room in self.house.furniture.items() if room == self.room]

    def do(self, command: Command) -> str:
        """Carry out a command, or change nothing.

        Returns:
            "" when it was carried out, else why it cannot be.
        """
        verb, thing, place = command
        if verb == "go" or thing in DIRECTIONS:
            return self._pass(verb, thing)
        if verb == "put":
            return self._put(thing, place)
        if verb == "take":
            return self._take(thing)
        if self.house.furniture.get(thing) != self.room or thing not in CONTAINERS:
            return f"No {thing} to {verb} here."
        if (thing in self.closed) == (verb == "close"):
            return f"The {thing} is {'closed' if verb == 'close' else 'open'}."
        (self.closed.discard if verb == "open" else self.closed.add)(thing)
        return ""

    def commands(self) -> list[Command]:
        """All commands that can be carried out now."""
        found = []
        for direction, other in self.house.exits[self.room].items():
            is_barred = frozenset((self.room, other)) in self.barred
            found.append(Command("open" if is_barred else "go", direction))
        here = self.pieces_here()
        held = self.held()
        for piece in here:
            if piece in CONTAINERS:
                found.append(Command("open" if piece in self.closed else "close", piece))
            if piece not in self.closed:
                found += [Command("take", thing) for thing, place in self.places.items() if place == piece]
                found += [Command("put", thing, piece) for thing in held]
        return found

    def view(self, is_full: bool) -> str:
        """What is seen: exits and furniture; fully observed also the rooms' names and what is held."""
        exits = []
        for direction, other in self.house.exits[self.room].items():
            is_barred = frozenset((self.room, other)) in self.barred
            seen = f"{direction} door closed" if is_barred else direction
            exits.append(f"{seen} to {other}" if is_full else seen)
        things = [f"{piece} ({self._inside(piece)})" for piece in self.pieces_here()]
        text = f"Exits: {', '.join(exits)}. Here: {', '.join(things) or 'nothing'}."
        return f"Room: {self.room}. {text} You hold: {', '.join(self.held()) or 'nothing'}." if is_full else text

    def _inside(self, piece: str) -> str:
        if piece in self.closed:
            return "closed"
        return ", ".join(thing for thing, place in self.places.items() if place == piece) or "empty"

    def _pass(self, verb: str, direction: str) -> str:
        other = self.house.exits[self.room].get(direction)
        if other is None:
            return f"No exit {direction}."
        way = frozenset((self.room, other))
        if verb == "go":
            if way in self.barred:
                return "The door is closed."
            self.room = other
            return ""
        if way not in self.barred:
            return "No closed door there."
        self.barred.discard(way)
        return ""

    def _take(self, thing: str) -> str:
        place = self.places.get(thing, "")
        if place == HAND:
            return f"You hold the {thing}."
        if self.house.furniture.get(place) != self.room or place in self.closed:
            return f"No {thing} to take here."
        self.places[thing] = HAND
        return ""

    def _put(self, thing: str, place: str) -> str:
        if self.places.get(thing) != HAND:
            return f"You do not hold the {thing}."
        if self.house.furniture.get(place) != self.room:
            return f"No {place} here."
        if place in self.closed:
            return f"The {place} is closed."
        self.places[thing] = place
        return ""
