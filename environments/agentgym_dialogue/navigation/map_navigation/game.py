"""Map navigation: an explorer, who sees the room it is in, and a guide, who has the map and hears where it is.

Players are in `partners` and `scripts`, rooms and routes in `rooms`, the suites' tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.navigation.map_navigation.rooms import DIRECTIONS, House, Room, draw_rooms
from agentgym_dialogue.plain_line import plain_line

KINDS = ("goto", "explore")
DONE = "done"
MAX_INVALID = 2
MAX_WORDS = 20
"""Most words of one line of the guide."""
MAX_CHARS = 300
"""Longest message, in characters, that is read for a move."""
MIN_DISTANCE = 2
"""Fewest moves to the goal."""

_MOVE = re.compile(rf"\b({'|'.join(DIRECTIONS)}|{DONE})\b")


def navigation_task(task_id: str, seed: int, rooms: Sequence[Room], goal: str = "", **fields: Any) -> Task:
    """The task of going to a room, or, without one, of seeing all; `fields` are further ones of the task.

    Args:
        task_id: The task's id.
        seed: Its seed.
        rooms: The rooms; the first is where the explorer starts.
        goal: The room to go to; "" to see every room.
        fields: Further fields of the task.
    """
    house, start = House(rooms), rooms[0].name
    shortest = len(house.route(start, [goal]) if goal else house.tour(start))
    moves = 2 * shortest + 2
    return Task(
        task_id,
        seed,
        "Find the way with a guide.",
        config={"start": start, "goal": goal, "shortest": shortest, "moves": moves},
        private={"rooms": [list(room) for room in rooms]},
        limits=_limits(moves),
        **fields,
    )


@cache
def _limits(moves: int) -> Limits:
    return Limits(max_turns=moves + MAX_INVALID + 2, max_invalid=MAX_INVALID)


def draw(rng: random.Random, kind: str, num_rooms: int) -> tuple[list[Room], str]:
    """Random rooms, and the one to go to, at least two moves away; "" where all are to be seen."""
    while True:
        rooms = draw_rooms(rng, num_rooms)
        if kind == "explore":
            return rooms, ""
        house, start = House(rooms), rooms[0].name
        far = [room.name for room in rooms if len(house.route(start, [room.name])) >= MIN_DISTANCE]
        if far:
            return rooms, rng.choice(far)


def house_of(task: Task) -> House:
    """The house of a task."""
    return House([Room(*room) for room in task.private["rooms"]])


class MapNavigationGame(GameEnv):
    """Find the way through rooms with the help of a guide, or guide an explorer by the map.

    Observation:
        Text. The guide sees the map, the goal, and after each move where the explorer is. The explorer reads the goal,
        each line of the guide, and its room with the exits (`Room hall. Exits north, east.`). Both read the end: `The
        goal is reached.`, `All rooms are seen.`, `Not there yet.` or `No moves left.`
    Action:
        Guide: a line in English letters, at most 20 words and 300 characters. Explorer: a message with exactly one of
        `north`, `south`, `east`, `west` and `done`. Anything else is invalid. A direction without an exit costs a move.
    Reward:
        `success`: 1 for both when the explorer says `done` in the goal, or when every room was seen. `format`: 0 for an
        invalid message.
    Termination:
        The explorer says `done`, the moves are used up (twice the shortest way plus two), or a role sent more invalid
        messages than the task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. The score is 0 without success, else the length of the shortest way divided by that of
        the way taken.
    Sandbox:
        None.
    Source and licence:
        After the map navigation games of clembench (Chalamalasetti et al. 2023, arXiv 2305.13455, and its map world),
        written for this project, Apache-2.0; the tasks of dialogue/map-navigation are generated, CC0-1.0. Differs from
        clembench: a guide knows the map and speaks before each move, messages need no prefix and no JSON, and the score
        counts moves.

    Example:
        guide: `Map: hall: north kitchen. … The explorer is in the hall and must go to the study.` /
        `north, then east` / `Explorer in the kitchen.` / `go on` / `Explorer in the study.` / `done` /
        `The goal is reached.`
        explorer: `Go to the study and say done there. … Guide: north, then east. Room hall. Exits north.` / `north` /
        `Guide: go on. Room kitchen. Exits south, east.` / `east` / `Guide: done. Room study. …` / `done`

    Args:
        kind: What tasks made from a seed ask for: "goto" or "explore".
        num_rooms: How many rooms they have, 4 to 8.

    Raises:
        ConfigError: There is no such kind, or the number is out of its range.
    """

    roles = ("explorer", "guide")
    disclosed = {"guide": ("rooms",)}

    def __init__(self, kind: str = "goto", num_rooms: int = 6) -> None:
        super().__init__()
        if kind not in KINDS or not 4 <= num_rooms <= 8:
            raise ConfigError(
                f"map navigation got kind={kind!r} and num_rooms={num_rooms}; expected {' or '.join(KINDS)}, and 4 to "
                "8 rooms"
            )
        self.kind, self.num_rooms = kind, num_rooms
        self._house = House([])
        self._room, self._goal = "", ""
        self._seen: set[str] = set()
        self._moves = self._max_moves = self._shortest = 0
        self._line = ""

    def make_task(self, seed: int) -> Task:
        """Random rooms."""
        return navigation_task(f"map-navigation:{seed}", seed, *draw(random.Random(seed), self.kind, self.num_rooms))

    def begin(self, task: Task) -> Inbox:
        """Give the guide the map, and tell both what is asked for."""
        try:
            self._room, self._goal = task.config["start"], task.config["goal"]
            self._shortest, self._max_moves = task.config["shortest"], task.config["moves"]
            self._house = house_of(task)
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; map navigation needs start, goal, shortest and moves in config, "
                "rooms in private"
            ) from None
        if self._room not in self._house.ways or self._goal not in ("", *self._house.ways):
            raise TaskError(f"task {task.id!r}: the start or the goal is not one of the rooms")
        self._seen = {self._room}
        self._moves = 0
        self._line = ""
        self.acting_role = "guide"
        asked = f"go to the {self._goal}" if self._goal else "see every room"
        there = "say done there" if self._goal else "then say done"
        plan = f"Map: {self._house.described()} The explorer is in the {self._room} and must {asked}. Lead it."
        rules = f"{asked.capitalize()} and {there}. Each turn say north, south, east, west or done."
        return {"guide": [user(plan)], "explorer": [user(f"{rules} {self._max_moves} moves.")]}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand on a line of the guide, or move the explorer."""
        if role == "explorer":
            return self._go(action.content)
        self._line = plain_line(action.content, "a line", MAX_WORDS, MAX_CHARS)
        self.acting_role = "explorer"
        exits = ", ".join(self._house.ways[self._room])
        return GameReply({"explorer": [user(f"Guide: {self._line}"), user(f"Room {self._room}. Exits {exits}.")]})

    def grade(self) -> GameReply:
        """The explorer never said that it was done."""
        return self._end(False, "No moves left.")

    def progress(self, role: str) -> float:
        """Share of the rooms seen, or how much nearer the goal is than at the start."""
        if not self._goal:
            return len(self._seen) / len(self._house.ways)
        left = len(self._house.route(self._room, [self._goal]))
        return max(0.0, 1 - left / self._shortest)

    def anchor(self) -> str:
        """Where the explorer is, what it saw, the guide's line, moves and invalid messages so far."""
        seen = "" if self._goal else f", seen {sorted(self._seen)}"
        return f"{self.acting_role} {self._room}{seen}, {self._moves} moves, {self._line!r}, {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _go(self, content: str) -> GameReply:
        named = set(_MOVE.findall(content.lower())) if len(content) <= MAX_CHARS else set()
        if len(named) != 1:
            raise ActionSyntaxError("Say one of north, south, east, west or done.")
        move = named.pop()
        if move == DONE:
            is_there = self._room == self._goal if self._goal else len(self._seen) == len(self._house.ways)
            won = "The goal is reached." if self._goal else "All rooms are seen."
            return self._end(is_there, won if is_there else "Not there yet.")
        self._moves += 1
        is_way = move in self._house.ways[self._room]
        self._room = self._house.ways[self._room].get(move, self._room)
        self._seen.add(self._room)
        if self._moves > self._max_moves:
            return self.grade()
        self.acting_role = "guide"
        inbox = {"guide": [user(f"Explorer in the {self._room}.")]}
        return GameReply(inbox if is_way else {**inbox, "explorer": [user(f"There is no way {move}.")]})

    def _end(self, is_success: bool, text: str) -> GameReply:
        score = self._shortest / max(self._moves, self._shortest) if is_success else 0.0
        return GameReply(
            {role: [user(text)] for role in self.roles},
            [self.event(role, "success", float(is_success)) for role in self.roles],
            is_over=True,
            successes=dict.fromkeys(self.roles, is_success),
            scores=dict.fromkeys(self.roles, score),
        )
