"""Players of TextWorld's games: oracle, null, random, an imperfect demonstrator, and cheats.

Oracle and demonstrator ask a copy of the game what leads to the end of the quest.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import at_quality, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.adapted.textworld_games.env import started


class Demonstrator:
    """Says what leads to the end of the quest, or, where it errs, any command.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its commands that are not drawn at random.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.5) -> None:
        self._world = started(task)
        self._rng = random.Random(seed)
        self._quality = quality

    def act(self, messages: Sequence[Message]) -> str:
        """The next command."""
        advice = self._world.advice() if self._rng.random() < self._quality else None
        command = advice or self._rng.choice(self._world.commands())
        self._world.say(command)
        return command


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": at_quality(Demonstrator, 1.0),
    "null": saying(""),
    "random": at_quality(Demonstrator, 0.0),
    "demo": Demonstrator,
    "cheat_huge_message": saying("look " * 100_000),
    "cheat_done": saying("quest done"),
    **common_cheats("The quest is done."),
}
