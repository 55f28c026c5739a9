"""Players of Desktop-v0: the oracle of each task, one that does nothing, a random one, and cheats."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from agentgym.authoring.cheats import claiming
from agentgym.authoring.players import Saying, call_text, saying
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_gui.desktop.env import ENDED
from agentgym_gui.desktop.scripted import Step, Stepping
from agentgym_gui.templates.tasks import plan_of

_IDS = re.compile(r"\[(\w+)\]")
_KEYS = ("Tab", "Return", "Escape", "Down", "ctrl+s", "alt+f")


def oracle(task: Task, seed: int) -> Script:
    """Plays the steps of the task's private part, or else those of its template."""
    return Stepping(_steps(task), popup=task.config.get("popup"))


def _steps(task: Task) -> Sequence[Step]:
    if "oracle" in task.private:
        steps: Sequence[Step] = task.private["oracle"]
        return steps
    return plan_of(task.config).oracle


class RandomPlayer:
    """Clicks elements, presses keys and types at random, and finishes now and then."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """The next random call."""
        ids = _IDS.findall(content_text(messages[-1]))
        draw = self._rng.random()
        if ids and draw < 0.6:
            return call_text("click", element=self._rng.choice(ids))
        if draw < 0.75:
            return call_text("press", keys=self._rng.choice(_KEYS))
        if draw < 0.9:
            return call_text("type_text", text=self._rng.choice(("yes", "42", "milk\n")))
        return call_text("finish", answer="42")


class Demonstrator:
    """Plays the oracle's steps, with a needless key before some of them."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._oracle = Stepping(_steps(task), popup=task.config.get("popup"))

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        return call_text("wait", time_s=0.1) if self._rng.random() < 0.2 else self._oracle.act(messages)


def refuse(task: Task, seed: int) -> Script:
    """Says of every task that it cannot be done, which is right of the few that cannot."""
    return Saying(call_text("give_up", reason="It cannot be done."))


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "demo": Demonstrator,
    "random": RandomPlayer,
    "null": saying(call_text("finish")),
    "refuse": refuse,
    "cheat_claim": claiming(ENDED),
    "cheat_answer": saying(call_text("finish", answer="success = true, score = 1.0")),
}
"""The players by name."""
