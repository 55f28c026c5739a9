"""Players of mastermind: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

They read the conversation as an agent does; only the oracle looks at the task's private part.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.guessing.mastermind.env import feedback

_FEEDBACK = re.compile(r"(\d+) black, (\d+) white")


def oracle(task: Task, seed: int) -> Saying:
    """Says the row at once."""
    return Saying(" ".join(task.private["secret"]))


class RandomPlayer:
    """Guesses any row, deaf to the answers."""

    def __init__(self, task: Task, seed: int) -> None:
        self._colours: Sequence[str] = task.config["colours"]
        self._places: int = task.config["places"]
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A row."""
        return " ".join(self._rng.choices(self._colours, k=self._places))


class Demonstrator:
    """Guesses a row that all answers allow, or, where it errs, any row.

    Args:
        task: The task.
        seed: Seed of its choices.
        quality: Share of its guesses that heed the answers.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.5) -> None:
        self._rows = list(itertools.product(task.config["colours"], repeat=task.config["places"]))
        self._possible = self._rows
        self._rng = random.Random(seed)
        self._quality = quality
        self._last: tuple[str, ...] = ()

    def act(self, messages: Sequence[Message]) -> str:
        """The next guess."""
        answer = _FEEDBACK.fullmatch(messages[-1]["content"])
        if answer and self._last:
            counts = int(answer[1]), int(answer[2])
            self._possible = [row for row in self._possible if feedback(row, self._last) == counts]
        heeds = self._rng.random() < self._quality
        self._last = self._rng.choice(self._possible if heeds and self._possible else self._rows)
        return " ".join(self._last)


def cheat_all_colours(task: Task, seed: int) -> Saying:
    """Names every colour for every place."""
    return Saying(" ".join(task.config["colours"] * task.config["places"]))


def cheat_unknown_colours(task: Task, seed: int) -> Saying:
    """Names colours that do not exist, to be told what fits."""
    return Saying(" ".join(["any"] * task.config["places"]))


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(""),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_all_colours": cheat_all_colours,
    "cheat_unknown_colours": cheat_unknown_colours,
    "cheat_huge_row": saying("red " * 100_000),
    "cheat_fake_counts": saying("4 black, 0 white"),
    **common_cheats("correct"),
}
