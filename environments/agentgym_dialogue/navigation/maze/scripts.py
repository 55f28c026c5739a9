"""Players of maze: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

Oracle and demonstrator know the maze; the others read the conversation as an agent does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, at_quality, said_in, saying
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.navigation.maze.env import puzzle_of, read_direction
from agentgym_dialogue.navigation.maze.layouts import MOVES, Cell, distances, moved


class Demonstrator:
    """Takes a shortest way from where the conversation led, or, where it errs, any direction.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its moves that are on a shortest way.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.6) -> None:
        puzzle = puzzle_of(task)
        self._rows, self._start = puzzle.rows, puzzle.start
        self._distances = distances(puzzle.rows, puzzle.goal)
        self._rng = random.Random(seed)
        self._quality = quality
        self._said: list[str] = []

    def act(self, messages: Sequence[Message]) -> str:
        """The next move."""
        at = self._place(said_in(messages) or self._said)
        if self._rng.random() < self._quality:
            direction = min(MOVES, key=lambda way: self._distances[moved(self._rows, at, way)])
        else:
            direction = self._rng.choice(list(MOVES))
        self._said.append(direction)
        return direction

    def _place(self, said: Sequence[str]) -> Cell:
        """Where moves led, whoever made them; invalid ones led nowhere."""
        at = self._start
        for text in said:
            with suppress(ActionSyntaxError):
                at = moved(self._rows, at, read_direction(text))
        return at


def hint(task: Task) -> str:
    """A shortest way, move by move."""
    puzzle = puzzle_of(task)
    away = distances(puzzle.rows, puzzle.goal)
    at, way = puzzle.start, []
    while at != puzzle.goal:
        way.append(min(MOVES, key=lambda direction: away[moved(puzzle.rows, at, direction)]))
        at = moved(puzzle.rows, at, way[-1])
    return f"Way: {', '.join(way)}."


class RandomPlayer:
    """Says any direction, deaf to the walls."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A direction."""
        return self._rng.choice(list(MOVES))


def cheat_teleport(task: Task, seed: int) -> Saying:
    """Names the goal's place instead of a move."""
    row, column = task.config["goal"]
    return Saying(f"You {row}, {column}. move to {row}, {column}")


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": at_quality(Demonstrator, 1.0),
    "null": saying(""),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_teleport": cheat_teleport,
    "cheat_all_moves": saying("up down left right"),
    "cheat_huge_move": saying("up " * 100_000),
    **common_cheats("Goal reached."),
}
