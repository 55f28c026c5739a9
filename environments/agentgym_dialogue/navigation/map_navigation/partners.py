"""Rule-based players: a guide that says some moves ahead, and an explorer that follows, but goes astray at times.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.navigation.map_navigation.game import DONE, house_of
from agentgym_dialogue.navigation.map_navigation.rooms import DIRECTIONS

AHEAD = 3
"""Most moves that the rule-based guide says at once."""
ASTRAY, MAX_ASTRAY = 0.1, 2
"""Share of the rule-based explorer's moves that go anywhere, and most of them in a game."""
GO_ON = "go on"

_DIRECTION = re.compile(rf"\b({'|'.join(DIRECTIONS)})\b")
_ROOM = re.compile(r"Explorer in the ([a-z-]+)\.")
_EXITS = re.compile(r"Exits ([a-z, ]+)\.$")


class Guide:
    """Says the next moves of a shortest way to the goal or the nearest unseen room, then that to go on, till it is off.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its lines that are not a random direction.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        self._house, self._goal, self._room = house_of(task), task.config["goal"], task.config["start"]
        self._seen = {self._room}
        self._ahead: list[str] = []
        self._quality = quality
        self.rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """The next line."""
        found = _ROOM.search(messages[-1]["content"])
        if found:
            self._follow(found[1])
        if self.rng.random() >= self._quality:
            self._ahead = []
            return self.rng.choice([*DIRECTIONS, DONE])
        goals = [self._goal] if self._goal else [room for room in self._house.ways if room not in self._seen]
        if not goals or self._room == self._goal:
            return DONE
        if self._ahead:
            return GO_ON
        self._ahead = self._house.route(self._room, goals)[:AHEAD]
        return ", then ".join(self._ahead)

    def _follow(self, room: str) -> None:
        expected = self._house.ways[self._room].get(self._ahead[0]) if self._ahead else None
        self._ahead = self._ahead[1:] if room == expected else []
        self._room = room
        self._seen.add(room)

    def anchor(self) -> str:
        """What it said that is still to be walked, from which room."""
        return f"{self._room} {self._ahead}"


class Explorer:
    """Walks what the guide said last, step by step, and anywhere where it said nothing; goes astray at times.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of where it goes astray.
        astray: Share of its moves that go anywhere.
        quality: Share of its other moves that heed the guide; those that do not may also be `done`.
    """

    def __init__(self, task: Task, seed: int, astray: float = ASTRAY, quality: float = 1.0) -> None:
        self._ahead: list[str] = []
        self._astray, self._quality = astray, quality
        self._num_astray = 0
        self.rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """The next move."""
        texts = [message["content"] for message in messages if message["role"] == "user"]
        line = next(text for text in reversed(texts) if text.startswith("Guide: ")).lower()
        exits: list[str] = _EXITS.findall(texts[-1])[0].split(", ")
        named = _DIRECTION.findall(line)
        if named:
            self._ahead = named
        errs = self.rng.random() >= self._quality
        if errs:
            return self.rng.choice([*exits, DONE])
        if self.rng.random() < self._astray and self._num_astray < MAX_ASTRAY:
            self._num_astray += 1
            return self.rng.choice(exits)
        if DONE in line and not named:
            return DONE
        if not self._ahead:
            return self.rng.choice(exits)
        move, self._ahead = self._ahead[0], self._ahead[1:]
        return move

    def anchor(self) -> str:
        """What it has still to walk, and the state of its draws."""
        return f"{self._ahead} {self._num_astray} {hash(self.rng.getstate())}"


PARTNERS: dict[str, ScriptFactory] = {"explorer": Explorer, "guide": Guide}
