"""Players of Grounding-v0: an oracle that knows the box, an imperfect one, and others that know nothing of it."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from agentgym.authoring.cheats import claiming
from agentgym.authoring.players import at_quality, call_text, saying
from agentgym.message import Message, content_text
from agentgym.policy import ScriptFactory
from agentgym.task import Task

DEMO_QUALITY = 0.8
"""Share of right answers of the demonstrator."""
_SIZE = re.compile(r"The picture has (\d+)x(\d+) pixels")


class Knowing:
    """Answers with the box, each time with a probability; else it points anywhere.

    Args:
        task: The task; its private part has the box.
        seed: Seed of its choices.
        quality: Share of right answers.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._knows = "box" in task.private
        self._box = task.private.get("box")
        self._rng, self._quality = random.Random(seed), quality

    def act(self, messages: Sequence[Message]) -> str:
        """The answer."""
        if self._knows and self._rng.random() < self._quality:
            if self._box is None:
                return call_text("absent")
            x, y, width, height = self._box
            return call_text("box", left=x, top=y, right=x + width - 1, bottom=y + height - 1)
        width, height = _size(messages)
        return call_text("point", x=self._rng.randrange(width), y=self._rng.randrange(height))


class WholeScreen:
    """Answers with a box around everything."""

    def act(self, messages: Sequence[Message]) -> str:
        """The answer."""
        width, height = _size(messages)
        return call_text("box", left=0, top=0, right=width - 1, bottom=height - 1)


def _giant(task: Task, seed: int) -> WholeScreen:
    return WholeScreen()


def _size(messages: Sequence[Message]) -> tuple[int, int]:
    found = _SIZE.findall("\n".join(content_text(message) for message in messages))
    return (int(found[-1][0]), int(found[-1][1])) if found else (1280, 800)


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": at_quality(Knowing, 1.0),
    "null": saying(call_text("point", x=0, y=0)),
    "random": at_quality(Knowing, 0.0),
    "demo": Knowing,
    "giant_box": _giant,
    "always_absent": saying(call_text("absent")),
    "cheat_claim": claiming("The episode has ended."),
    "cheat_two_answers": saying(call_text("point", x=300, y=300) + call_text("point", x=640, y=400)),
    "cheat_outside": saying(call_text("box", left=-1e6, top=-1e6, right=1e6, bottom=1e6)),
}
"""The players by name."""
