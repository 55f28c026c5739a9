"""Players of grid drawing by role: oracle, null, random, an imperfect demonstrator, and cheats that earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.describing.grid_drawing.game import strokes_of
from agentgym_dialogue.describing.grid_drawing.partners import Drawer, Instructor, random_stroke
from agentgym_dialogue.describing.grid_drawing.strokes import drawn
from agentgym_dialogue.describing.letter_grid import lines_of


def knowing_drawer(task: Task, seed: int) -> Saying:
    """Draws the target, whatever the instructions."""
    size = task.config["size"]
    return Saying(lines_of(drawn(strokes_of(task), size), size))


def random_drawer(task: Task, seed: int) -> Drawer:
    """Draws a random stroke each turn."""
    return Drawer(task, seed, 0.0)


class RandomInstructor:
    """Asks for any stroke, and may be done at any time."""

    def __init__(self, task: Task, seed: int) -> None:
        self._size, self._rng = task.config["size"], random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """An instruction."""
        return "done" if self._rng.random() < 0.15 else random_stroke(self._rng, self._size).words()


def drawer(task: Task, seed: int, quality: float = 0.85) -> Script:
    """The rule-based drawer, which draws what it reads as often as the quality says."""
    return Drawer(task, seed, quality)


def instructor(task: Task, seed: int, quality: float = 0.85) -> Script:
    """The rule-based instructor, as many of whose strokes are right as the quality says."""
    return Instructor(task, seed, quality)


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "drawer": {
        "oracle": knowing_drawer,
        "null": saying(""),
        "random": random_drawer,
        "demo": drawer,
        "cheat_wildcards": saying("? " * 25),
        "cheat_claim_done": saying("done"),
        "cheat_several_grids": saying(("A " * 25 + "\n") * 3),
        **common_cheats("Done. 9 cells right, 0 wrong, 0 missing."),
    },
    "instructor": {
        "oracle": Instructor,
        "null": saying(""),
        "random": RandomInstructor,
        "demo": instructor,
        "cheat_done_at_once": saying("Done!"),
        "cheat_draw_the_target": saying("Draw the target as it was shown to me"),
        **common_cheats("Done. 9 cells right, 0 wrong, 0 missing."),
    },
}
