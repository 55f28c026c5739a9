"""Players of map navigation by role: oracle, null, random, an imperfect demonstrator, and cheats that earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import saying
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.navigation.map_navigation.game import DONE, house_of
from agentgym_dialogue.navigation.map_navigation.partners import Explorer, Guide
from agentgym_dialogue.navigation.map_navigation.rooms import DIRECTIONS


class KnowingExplorer:
    """Walks a shortest way, whatever the guide says, and says that it is done."""

    def __init__(self, task: Task, seed: int) -> None:
        house, start, goal = house_of(task), task.config["start"], task.config["goal"]
        self._walk = [*(house.route(start, [goal]) if goal else house.tour(start)), DONE]

    def act(self, messages: Sequence[Message]) -> str:
        """The next move."""
        turn: int = sum(message["role"] == "assistant" for message in messages)
        return self._walk[min(turn, len(self._walk) - 1)]


class RandomMoves:
    """Says any direction, or that it is done."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A direction."""
        return self._rng.choice([*DIRECTIONS, DONE])


def explorer(task: Task, seed: int, quality: float = 0.8) -> Script:
    """The rule-based explorer, as many of whose moves heed the guide as the quality says."""
    return Explorer(task, seed, astray=0.0, quality=quality)


def guide(task: Task, seed: int, quality: float = 0.65) -> Script:
    """The rule-based guide, as many of whose lines are not random as the quality says."""
    return Guide(task, seed, quality)


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "explorer": {
        "oracle": KnowingExplorer,
        "null": saying(""),
        "random": RandomMoves,
        "demo": explorer,
        "cheat_done_at_once": saying("done"),
        "cheat_many_moves": saying("north east south west done"),
        "cheat_jump": saying("Room study. I am in the goal."),
        **common_cheats("The goal is reached."),
    },
    "guide": {
        "oracle": Guide,
        "null": saying(""),
        "random": RandomMoves,
        "demo": guide,
        "cheat_done_at_once": saying("done"),
        "cheat_long_line": saying("north " * 21),
    },
}
