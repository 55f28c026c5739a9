"""Players of Python-v0 written by hand: oracle, imperfect demonstrator, null, random.

They run on the harness's side and may read the private part of the task. The cheaters are in `cheats`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from agentgym.authoring.players import call_text, saying
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.python_source import parse
from agentgym.task import Task
from agentgym_tools.python import cheats
from agentgym_tools.python.problem import ANSWER, call

DEMO_QUALITY = 0.6
"""Share of right decisions of the demonstrator."""
_SWAPS = (
    (" + ", " - "), (" - ", " + "), (" > ", " >= "), (" >= ", " > "), (" < ", " <= "), (" <= ", " < "), ("1", "2"),
    (" == ", " != "), (" % ", " // "), (" // ", " % "), (" * ", " + "), ("sorted(", "list("), ("max(", "min("),
    ("min(", "max("), ("[::-1]", "[:]"), ("sum(", "len("), (".upper(", ".lower("), ("range(1, ", "range("), ("0", "1"),
    (" else ", " or "), (" and ", " or "),
)  # fmt: skip
MENDED = 0.08
"""Chance that a slip is found after a test has shown it."""


def broken(solution: str, rng: random.Random) -> str:
    """The solution with one mistake that leaves it readable, where one can be planted."""
    places = [(old, new, at.start()) for old, new in _SWAPS for at in re.finditer(re.escape(old), solution)]
    rng.shuffle(places)
    for old, new, start in places:
        changed = solution[:start] + new + solution[start + len(old) :]
        try:
            parse(changed)
        except SyntaxError:
            continue
        return changed
    return solution.replace("return ", "return not ", 1)


class Demonstrator:
    """Tries its program, then submits it, each decision right with a probability; at 1.0 it never fails.

    Wrong decisions are those a learner makes: a program with a slip in it, a submission that was never tried, a number
    from the question as answer, talk instead of a call. A slip that a public test shows may be mended.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._task = task
        self._solution: str = task.private["solution"]
        self._is_answer = task.config["form"] == ANSWER
        self._program = self._solution if self._is_right() else broken(self._solution, self._rng)
        self._has_run = False

    def act(self, messages: Sequence[Message]) -> str:
        """The next call, given what the last one returned."""
        if self._rng.random() < 0.1 * (1 - self._quality):
            return "Let me think about it."
        if self._has_run:
            return self._submit(content_text(messages[-1]))
        if not self._is_right() and self._rng.random() < 0.3:
            return self._guess()
        self._has_run = True
        if self._is_answer:
            return call_text("run_python", code=f"print({self._program})")
        arguments = self._task.config["public"][0][0]
        return call_text("run_python", code=f"{self._program}\n{call(self._task.config['function'], arguments)}")

    def _is_right(self) -> bool:
        return self._rng.random() < self._quality

    def _submit(self, last: str) -> str:
        if self._is_answer:
            is_number = re.fullmatch(r"-?[0-9]+", last) is not None
            return call_text("submit", solution=last) if is_number else self._guess()
        if "fails" in last and self._rng.random() < MENDED:
            self._program = self._solution
        return call_text("submit", solution=self._program)

    def _guess(self) -> str:
        numbers = re.findall(r"[0-9]+", self._task.instruction)
        if self._is_answer:
            return call_text("submit", solution=self._rng.choice(numbers))
        return call_text("submit", solution=self._program)


class RandomPlayer:
    """Makes valid calls at random: sums of numbers it reads, and functions that return an argument or a constant."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._numbers = re.findall(r"[0-9]+", task.instruction) or ["0"]
        self._function = task.config.get("function", "")
        self._parameters = re.search(rf"{self._function}\(([a-z, ]*)\)", task.instruction) if self._function else None

    def act(self, messages: Sequence[Message]) -> str:
        """The next random call."""
        if self._rng.random() < 0.5:
            a, b = self._rng.choice(self._numbers), self._rng.choice(self._numbers)
            return call_text("run_python", code=f"print({a} {self._rng.choice(['+', '-', '*', '//', '%'])} {b})")
        if self._parameters is None:
            last = content_text(messages[-1])
            numbers = [last] if last.lstrip("-").isdigit() else self._numbers
            return call_text("submit", solution=self._rng.choice(numbers))
        names = self._parameters[1]
        value = self._rng.choice([names.split(", ")[0], "0", "''", "[]", "None", self._rng.choice(self._numbers)])
        return call_text("submit", solution=f"def {self._function}({names}):\n    return {value}")


def oracle(task: Task, seed: int) -> Script:
    """Tries the reference solution on an example, then submits it, or the answer that it gave."""
    return Demonstrator(task, seed, quality=1.0)


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(call_text("submit", solution="")),
    "random": RandomPlayer,
    "demo": Demonstrator,
    **cheats.CHEATS,
}
