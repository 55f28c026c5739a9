"""Players of FrozenLake, Taxi and Blackjack: oracle, null, random, an imperfect demonstrator, and cheats.

Oracle and demonstrator look ahead in a copy of the environment; the others say what may be said.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import at_quality, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.adapted.toy_text.env import GAMES
from agentgym_dialogue.adapted.toy_text.search import started, winning_actions


class Demonstrator:
    """Takes a shortest way to win, or, where it errs, any action.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its actions that are not drawn at random.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.8) -> None:
        self._names = GAMES[task.config["game"]].view.actions
        self._env = started(task)
        self._rng = random.Random(seed)
        self._quality = quality
        self._plan: tuple[int, ...] = ()

    def act(self, messages: Sequence[Message]) -> str:
        """The name of the next action."""
        if self._rng.random() < self._quality:
            self._plan = self._plan or winning_actions(self._env) or (0,)
            action, *rest = self._plan
        else:
            action, rest = self._rng.randrange(len(self._names)), []
        self._plan = tuple(rest)
        self._env.step(action)
        return self._names[action]


class RandomPlayer:
    """Says any action."""

    def __init__(self, task: Task, seed: int) -> None:
        self._names = GAMES[task.config["game"]].view.actions
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """The name of an action."""
        return self._rng.choice(self._names)


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": at_quality(Demonstrator, 1.0),
    "null": saying(""),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_every_action": saying("left down right up south north east west pickup dropoff stick hit"),
    "cheat_number": saying("4"),
    "cheat_huge_message": saying("right " * 100_000),
    **common_cheats("You are at the goal. The hand is won."),
}
