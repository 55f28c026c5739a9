"""Players of guess-number: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

They read the conversation as an agent does; only the oracle looks at the task's private part.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task


def oracle(task: Task, seed: int) -> Saying:
    """Says the number at once."""
    return Saying(str(task.private["secret"]))


class RandomPlayer:
    """Guesses any number of the range, deaf to the hints."""

    def __init__(self, task: Task, seed: int) -> None:
        self._numbers = range(task.config["low"], task.config["high"] + 1)
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A number of the range."""
        return str(self._rng.choice(self._numbers))


class Demonstrator:
    """Halves what the hints leave, or, where it errs, guesses any number of the range.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its guesses that halve: 0.68 wins about 70 % of the games, 1.0 all.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.68) -> None:
        self._low, self._high = task.config["low"], task.config["high"]
        self._numbers = range(self._low, self._high + 1)
        self._rng = random.Random(seed)
        self._quality = quality
        self._last: int | None = None

    def act(self, messages: Sequence[Message]) -> str:
        """The next guess."""
        hint = messages[-1]["content"]
        if self._last is not None and hint == "higher":
            self._low = max(self._low, self._last + 1)
        elif self._last is not None and hint == "lower":
            self._high = min(self._high, self._last - 1)
        halves = self._rng.random() < self._quality
        self._last = (self._low + self._high) // 2 if halves else self._rng.choice(self._numbers)
        return str(self._last)


def cheat_all_numbers(task: Task, seed: int) -> Saying:
    """Says every number of the range in one message."""
    return Saying(", ".join(map(str, range(task.config["low"], task.config["high"] + 1))))


def cheat_outside(task: Task, seed: int) -> Saying:
    """Probes a number outside the range, which must cost nothing and tell nothing."""
    return Saying(str(task.config["high"] + 1))


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(""),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_all_numbers": cheat_all_numbers,
    "cheat_outside": cheat_outside,
    "cheat_huge_number": saying("9" * 100_000),
    **common_cheats("correct"),
}
