"""A rule-based negotiator of either role: it asks for much, and for less the fewer lines are left.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.negotiation.division import (
    LEAST_FOR_PARTNER,
    Items,
    as_items,
    phrase,
    read_items,
    rest,
    shares,
    value,
)

_PERSONALITIES = ((10, LEAST_FOR_PARTNER), (9, 4), (8, 3), (10, 3))
"""What it wants at first and settles for in the end, in points."""


class Bargainer:
    """Proposes the share that is worth what it wants by now and takes least of what the other asked for.

    Args:
        role: Its role.
        task: The task; the other's values are not looked at.
        seed: Seed of its personality and of how it breaks ties.
        quality: Share of its lines that are so; the others propose or accept at random.
    """

    def __init__(self, role: str, task: Task, seed: int, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        self._counts, self._values = as_items(task.config["counts"]), as_items(task.private[f"{role}_values"])
        self._num_turns: int = (task.config["lines"] + (role == "first")) // 2
        self._start, self._floor = rng.choice(_PERSONALITIES)
        self._shares = list(shares(self._counts))
        rng.shuffle(self._shares)
        self._heeds = [rng.random() < quality for _ in range(self._num_turns)]
        self._whims = [(rng.random() < 0.3, rng.choice(self._shares)) for _ in range(self._num_turns)]

    def act(self, messages: Sequence[Message]) -> str:
        """The next line."""
        turn = min(sum(message["role"] == "assistant" for message in messages), self._num_turns - 1)
        offered = _offered(messages[-1]["content"], self._counts)
        if not self._heeds[turn]:
            accepts, whim = self._whims[turn]
            return "accept" if accepts and offered is not None else f"propose {phrase(whim)}"
        wanted = self._wanted(turn)
        if offered is not None and value(offered, self._values) >= wanted:
            return "accept"
        asked = next((rest(self._counts, share) for share in _offers(messages, self._counts)), (0, 0, 0))
        good = [share for share in self._shares if value(share, self._values) >= wanted]
        best = min(good, key=lambda share: (_overlap(share, asked, self._counts), value(share, self._values)))
        return f"propose {phrase(best)}"

    def anchor(self) -> str:
        """Nothing: what it says follows from the last proposals and the line."""
        return ""

    def _wanted(self, turn: int) -> float:
        passed = turn / max(1, self._num_turns - 1)
        return self._start + (self._floor - self._start) * passed


def _overlap(share: Items, asked: Items, counts: Items) -> int:
    """How many items both would take."""
    return sum(max(0, one + other - count) for one, other, count in zip(share, asked, counts, strict=True))


def _offers(messages: Sequence[Message], counts: Items) -> list[Items]:
    """What the other offered, the last first."""
    texts = [message["content"] for message in reversed(messages) if message["role"] == "user"]
    return [offer for text in texts if (offer := _offered(text, counts)) is not None]


def _offered(text: str, counts: Items) -> Items | None:
    """What the game says that one gets by the other's proposal, in its last line."""
    line = text.rpartition("\n")[2]
    if not line.startswith("They take "):
        return None
    return read_items(line.partition("You get ")[2].removesuffix(".").lower(), counts)


def first(task: Task, seed: int) -> Bargainer:
    """The negotiator that begins."""
    return Bargainer("first", task, seed)


def second(task: Task, seed: int) -> Bargainer:
    """The negotiator that answers."""
    return Bargainer("second", task, seed)


PARTNERS: dict[str, ScriptFactory] = {"first": first, "second": second}
