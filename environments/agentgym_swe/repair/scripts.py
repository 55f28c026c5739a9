"""Players of Repair-v0 written by hand: oracle, imperfect demonstrator, null, random, and cheaters.

They run on the harness's side and may read the private part of the task and the package.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from agentgym.authoring.cheats import claiming
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_swe.acts import SUBMIT, Act, Doing, Player, doing, insert, replace, run_tests, search, shell, undo, view
from agentgym_swe.repair.env import RIGHT
from agentgym_swe.repair.solving import replacements
from agentgym_swe.repair.tampering.table import cheats
from agentgym_swe.repair.task_view import read_task

DEMO_QUALITY = 0.7
"""Share of the demonstrator's decisions that are right."""


def oracle(task: Task, seed: int) -> Script:
    """Makes the sources what they are in the package, and submits."""
    return Doing(*_edits(task), SUBMIT)


class Demonstrator(Player):
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
        looks = [search(f"def {name}"), view(path, line, line + 40)]
        self._path = path
        self._steps = [*looks, *_edits(task), run_tests(repair.layer.python_path), SUBMIT]

    def decide(self) -> Act:
        """The next act."""
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        if step == SUBMIT or self._rng.random() < self._quality:
            return step
        if step.tool == "edit" and self._rng.random() < 0.5:
            return insert(self._path, 0, "# looked at")
        if self._rng.random() < 0.3:
            return SUBMIT
        self._steps.insert(0, step)
        return replace(self._path, "there is no such text", "")


class RandomPlayer(Player):
    """Looks around, edits lines of the broken file at random, and submits."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        repair = read_task(task)
        self._path = repair.files[0]
        self._lines = [line for line in repair.case.given[self._path].splitlines() if line.strip()]

    def decide(self) -> Act:
        """The next random act."""
        rng, path = self._rng, self._path
        if rng.random() < 0.25:
            return SUBMIT
        line = rng.choice(self._lines)
        calls = (
            view(path, rng.randint(1, len(self._lines))),
            search(rng.choice(("def", "return", "import"))),
            replace(path, line, line.replace("+", "-").replace("not ", "")),
            insert(path, rng.randint(0, 5), "# changed"),
            undo(),
            shell("ls"),
        )
        return rng.choice(calls)


def _edits(task: Task) -> list[Act]:
    return [replace(*made) for made in replacements(read_task(task))]


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": doing(SUBMIT),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_claim": claiming(RIGHT),
    **cheats(),
}
