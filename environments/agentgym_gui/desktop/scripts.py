"""Players of Desktop-v0: the oracle of each task, one that does nothing, a random one, and cheats."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.authoring.cheats import claiming
from agentgym.authoring.players import Saying, call_text, saying
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_gui.desktop.env import ENDED
from agentgym_gui.desktop.scripted import Step, Stepping, find
from agentgym_gui.templates.tasks import plan_of

HASTY_CARE: Mapping[str, float] = {"click": 0.5, "type_text": 0.8, "finish": 0.8}
"""Share of steps of a kind that the hasty player takes with care; all others are."""
_IDS = re.compile(r"\[(\w+)\]")
_ELEMENTS = re.compile(r"\[(\w+)\] ([a-z ]*[a-z])")
_WINDOW = re.compile(r"^\*?(?:window|popup)\b", re.MULTILINE)
_EDITED = re.compile(r'\] text = "(.*)"')
_NUMBERS = re.compile(r"[0-9]+")
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


class Hasty:
    """Plays the oracle's steps, but chooses in haste, every now and then, what it clicks, types as an entry or answers.

    It then takes any element in front of the same kind, any entry of the text that it edits, and any number on the
    screen. Where an element is not there, because another was clicked before, it clicks what is in front. Those who
    clone it learn to copy from what they see, and have yet to learn what to choose.

    Args:
        task: The task.
        seed: Seed of what is taken in haste.
    """

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._steps = list(_steps(task))

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        if not self._steps:
            return call_text("finish")
        step = self._steps.pop(0)
        screen = content_text(messages[-1])
        is_hasty = self._rng.random() >= HASTY_CARE.get(step["tool"], 1.0)
        arguments = dict(step["arguments"])
        if "element" in step:
            arguments["element"] = self._element(screen, step["element"], is_hasty=is_hasty)
        elif is_hasty:
            arguments |= self._in_haste(screen, arguments)
        return call_text(step["tool"], **arguments)

    def _element(self, screen: str, wanted: Mapping[str, Any], *, is_hasty: bool) -> str:
        found = find(screen, **wanted)
        if found is not None and not is_hasty:
            return found
        front = "".join(_WINDOW.split(screen, maxsplit=2)[1:2])
        others = [number for number, role in _ELEMENTS.findall(front) if wanted["role"] in ("", role)]
        shown: list[str] = others or _IDS.findall(screen) or ["0"]  # an empty screen: a click that is explained
        return self._rng.choice(shown)

    def _in_haste(self, screen: str, arguments: Mapping[str, Any]) -> dict[str, str]:
        """Another entry in place of a typed line, another number in place of an answer."""
        if "answer" in arguments:
            return {"answer": self._rng.choice(_NUMBERS.findall(screen) or [arguments["answer"]])}
        edited = _EDITED.search(screen)
        typed = arguments.get("text", "")
        if edited is None or not typed.startswith("\n"):
            return {}
        return {"text": "\n" + self._rng.choice(edited[1].split("\\n"))}


def refuse(task: Task, seed: int) -> Script:
    """Says of every task that it cannot be done, which is right of the few that cannot."""
    return Saying(call_text("give_up", reason="It cannot be done."))


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "demo": Demonstrator,
    "hasty": Hasty,
    "random": RandomPlayer,
    "null": saying(call_text("finish")),
    "refuse": refuse,
    "cheat_claim": claiming(ENDED),
    "cheat_answer": saying(call_text("finish", answer="success = true, score = 1.0")),
}
"""The players by name."""
