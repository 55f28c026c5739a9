"""Players of Repair-v0 written by hand: oracle, imperfect demonstrator, null, random, and cheaters.

They run on the harness's side and may read the private part of the task and the package.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from agentgym.authoring.cheats import claiming
from agentgym.authoring.players import Saying, call_text, saying
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_swe.repair.env import RIGHT
from agentgym_swe.repair.solving import replacements
from agentgym_swe.repair.tampering.table import cheats
from agentgym_swe.repair.task_view import read_task

DEMO_QUALITY = 0.7
"""Share of the demonstrator's decisions that are right."""


def oracle(task: Task, seed: int) -> Script:
    """Makes the sources what they are in the package, and submits."""
    return Saying(*_edits(task), call_text("submit"))


class Demonstrator:
    """Looks for the function, reads it, mends it, runs the tests and submits; each step is right with a probability.

    Wrong decisions are those a learner makes: an edit that does not fit, one of the wrong line, submitting too early.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        repair = read_task(task)
        name = repair.function.rpartition(".")[2] or "def"
        place = next(iter(repair.definitions), None)
        path, line = (place.path, place.line) if place else (repair.files[0], 1)
        looks = [call_text("search", pattern=f"def {name}"), call_text("view", path=path, start=line, end=line + 40)]
        self._path = path
        self._steps = [*looks, *_edits(task), call_text("run_tests"), call_text("submit")]

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        if "submit" in step or self._rng.random() < self._quality:
            return step
        if '"edit"' in step and self._rng.random() < 0.5:
            return call_text("edit", command="insert", path=self._path, line=0, new="# looked at")
        if self._rng.random() < 0.3:
            return call_text("submit")
        self._steps.insert(0, step)
        return call_text("edit", command="replace", path=self._path, old="there is no such text", new="")


class RandomPlayer:
    """Looks around, edits lines of the broken file at random, and submits."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        repair = read_task(task)
        self._path = repair.files[0]
        self._lines = [line for line in repair.case.given[self._path].splitlines() if line.strip()]

    def act(self, messages: Sequence[Message]) -> str:
        """The next random call."""
        rng, path = self._rng, self._path
        if rng.random() < 0.25:
            return call_text("submit")
        line = rng.choice(self._lines)
        calls = (
            call_text("view", path=path, start=rng.randint(1, len(self._lines))),
            call_text("search", pattern=rng.choice(("def", "return", "import"))),
            call_text("edit", command="replace", path=path, old=line, new=line.replace("+", "-").replace("not ", "")),
            call_text("edit", command="insert", path=path, line=rng.randint(0, 5), new="# changed"),
            call_text("edit", command="undo"),
            call_text("shell", command="ls"),
        )
        return rng.choice(calls)


def _edits(task: Task) -> list[str]:
    return [
        call_text("edit", command="replace", path=made.path, old=made.old, new=made.new)
        for made in replacements(read_task(task))
    ]


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(call_text("submit")),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_claim": claiming(RIGHT),
    **cheats(),
}
