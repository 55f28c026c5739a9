"""Players of BabyAI: minigrid's own bot as oracle and demonstrator, null, random, and cheats.

The bot plays a copy of the level beside the real one; the others say what may be said.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from minigrid.utils.baby_ai_bot import BabyAIBot

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import at_quality, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.adapted.babyai.env import ACTIONS, BabyAIEnv

NUM_MOVES = 3
"""Turning and going: the actions by which the demonstrator errs, as the bot cannot undo all others."""


class Demonstrator:
    """Does what the bot advises, or, where it errs, makes any move.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its actions that the bot advised.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.5) -> None:
        twin = BabyAIEnv()
        twin.reset(options={"task": task})
        self._env = twin.env
        self._bot: Any = BabyAIBot(self._env)  # type: ignore[no-untyped-call]
        self._rng = random.Random(seed)
        self._quality = quality
        self._last: Any = None

    def act(self, messages: Sequence[Message]) -> str:
        """The next action."""
        raw: Any = self._env.unwrapped
        advised = self._bot.replan(self._last)
        errs = self._rng.random() >= self._quality
        self._last = raw.actions(self._rng.randrange(NUM_MOVES)) if errs else advised
        self._env.step(self._last)
        return ACTIONS[int(self._last)]


class RandomPlayer:
    """Says any action but done."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """An action."""
        return self._rng.choice(ACTIONS[:-1])


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": at_quality(Demonstrator, 1.0),
    "null": saying(""),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_every_action": saying(" ".join(ACTIONS)),
    "cheat_teleport": saying("I stand before it. go to the goal"),
    **common_cheats("Mission fulfilled."),
}
