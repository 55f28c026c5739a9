"""Rule-based players of grid drawing: an instructor that says stroke after stroke, and a drawer that reads strokes.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.describing.grid_drawing.game import strokes_of
from agentgym_dialogue.describing.grid_drawing.strokes import LETTERS, Stroke, read_strokes
from agentgym_dialogue.describing.letter_grid import EMPTY, lines_of


def random_stroke(rng: random.Random, size: int) -> Stroke:
    """A letter in any cell, row or column."""
    row, column = rng.choice([*range(size), None]), rng.randrange(size)
    return Stroke(row, column if row is None or rng.random() < 0.7 else None, rng.choice(LETTERS))


class Instructor:
    """Says the strokes of the target in their order, then that it is done.

    Args:
        task: The task.
        seed: Seed of the strokes that it errs with.
        quality: Share of its strokes that are not random.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        size = task.config["size"]
        strokes = [stroke if rng.random() < quality else random_stroke(rng, size) for stroke in strokes_of(task)]
        self._lines = [stroke.words() for stroke in strokes]

    def act(self, messages: Sequence[Message]) -> str:
        """The next instruction."""
        turn: int = sum(message["role"] == "assistant" for message in messages)
        return self._lines[turn] if turn < len(self._lines) else "done"

    def anchor(self) -> str:
        """Nothing: what it says follows from how many instructions it gave."""
        return ""


class Drawer:
    """Draws the strokes that it reads; where it reads none, the grid stays as it is.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of the strokes that it errs with.
        quality: Share of its turns in which it draws what it reads, not something random.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        self._size: int = task.config["size"]
        self._grid = EMPTY * (self._size * self._size)
        self._quality = quality
        self.rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """The grid."""
        strokes = read_strokes(str(messages[-1]["content"]), self._size)
        if self.rng.random() >= self._quality:
            strokes = [random_stroke(self.rng, self._size)]
        for stroke in strokes:
            self._grid = stroke.on(self._grid, self._size)
        return lines_of(self._grid, self._size)

    def anchor(self) -> str:
        """Nothing: what it draws is in the game's anchor."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {"drawer": Drawer, "instructor": Instructor}
