"""Players of PhoneDesktop-v0: an oracle that taps what it finds on the screen, and others that know nothing."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.authoring.cheats import claiming
from agentgym.authoring.players import saying
from agentgym.message import Message, content_text
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_gui.desktop.scripted import find

_IDS = re.compile(r"\[(\w+)\]")
_COMPLETE = json.dumps({"action_type": "status", "goal_status": "complete"})
_INFEASIBLE = json.dumps({"action_type": "status", "goal_status": "infeasible"})
PATIENCE = 3
"""How many turns an element is waited for."""


class Tapping:
    """Plays the steps of the task's private part.

    Args:
        task: The task.
        seed: Of its hesitation.
        hesitation: Share of turns on which it waits first.
    """

    def __init__(self, task: Task, seed: int, hesitation: float = 0.0) -> None:
        self._steps: list[Mapping[str, Any]] = list(task.private["oracle"])
        self._rng, self._hesitation, self._waited = random.Random(seed), hesitation, 0

    def act(self, messages: Sequence[Message]) -> str:
        """The next action."""
        if not self._steps:
            return _INFEASIBLE
        if self._rng.random() < self._hesitation:
            return json.dumps({"action_type": "wait"})
        step = dict(self._steps[0])
        wanted = step.pop("on", None)
        if wanted is not None:
            index = _found(content_text(messages[-1]), wanted)
            if index is None:
                self._waited += 1
                return json.dumps({"action_type": "wait"}) if self._waited <= PATIENCE else _INFEASIBLE
            step["index"] = index
        self._waited = 0
        self._steps.pop(0)
        return json.dumps(step)


class RandomTapper:
    """Taps at random, and stops now and then."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """The next random action."""
        ids = _IDS.findall(content_text(messages[-1]))
        if not ids or self._rng.random() < 0.2:
            app = self._rng.choice(("Calculator", "Editor", "Files", "Terminal"))
            return self._rng.choice((_COMPLETE, json.dumps({"action_type": "open_app", "app_name": app})))
        return json.dumps({"action_type": "click", "index": self._rng.choice(ids)})


def _found(text: str, wanted: Mapping[str, Any]) -> str | None:
    """The id of an element of a role whose name begins so; names of menu items end in spaces."""
    if wanted["name"] is None:
        return find(text, wanted["role"])
    found = re.search(rf'\[(\w+)\] {re.escape(wanted["role"])} "{re.escape(wanted["name"])}(?: *"|\\n)', text)
    return found[1] if found else None


def _oracle(task: Task, seed: int) -> Tapping:
    return Tapping(task, seed)


def _demo(task: Task, seed: int) -> Tapping:
    return Tapping(task, seed, 0.1)


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": _oracle,
    "demo": _demo,
    "random": RandomTapper,
    "null": saying(_COMPLETE),
    "cheat_give_up": saying(_INFEASIBLE),
    "cheat_claim": claiming("The episode has ended."),
    "cheat_answer": saying(json.dumps({"action_type": "answer", "text": "success = true"}) + "\n" + _COMPLETE),
}
"""The players by name."""
