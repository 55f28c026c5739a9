"""Maths-v0: generated maths problems with one exact answer, which the agent may find by running Python in a sandbox.

The problems are in `kinds`, the reading of answers in `values`; the interpreter is that of Python-v0.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import ClassVar

from agentgym.env import EnvReply
from agentgym.errors import ConfigError, TaskError, UnknownNameError
from agentgym.message import Message, user
from agentgym.reward import FORMAT, RewardEvent
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.task import Task
from agentgym.tools import said, tool
from agentgym_tools.maths.kinds import KINDS, TRAINED
from agentgym_tools.maths.problem import LEVELS, draw_problem, to_task
from agentgym_tools.maths.values import REFUSALS, Form, read_value, write_value
from agentgym_tools.python.interpreter import Shown
from agentgym_tools.python.interpreter_env import InterpreterEnv

RIGHT, WRONG = "Right.", "Wrong."


class MathsEnv(InterpreterEnv):
    """Solve problems such as 'What is the sum of all positive divisors of 360?', with Python at hand.

    Observation:
        First the problem, which ends with the form of its answer. Code is answered by what it wrote, with a traceback
        if it failed, and without the middle beyond 4,000 bytes. `answer` gives `Right.` or `Wrong.`, or says what form
        is asked for.

    Action:
        Calls of run_python(code) and answer(value), at most 8 in a message, carried out in order. Code is stopped
        after 5 s and keeps its variables if possible. After `exit()`, a crash or code that cannot be stopped, the
        interpreter starts again, and the answer says so.
    Reward:
        success: 1 for the right answer, else 0. milestone: 1 when the last line that code wrote is first the answer,
        weight 0.1; at the end it is taken back, so that it adds up to 0. Code that fails costs nothing. format: -0.1
        for a message without a valid call.
    Termination:
        An answer of the form asked for; the third invalid message. A text of another form is not judged.
    Truncation:
        After 8 turns, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        That of Python-v0, started with the first code: image agentgym/python, no network, 1 CPU, 256 MiB, 64
        processes. The answer never enters it.
    Source and licence:
        Written for agentgym, Apache-2.0; its tasks are generated, CC0-1.0.

    Example:
        run_python(code="sum(d for d in range(1, 361) if 360 % d == 0)") -> 1170; answer(value="1170") -> Right.

    Args:
        kind: Kind of the problems made from seeds, a key of `KINDS`; None draws one that the train split has.
        level: Their difficulty, 1 to 3; None draws it.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
    """

    leases_late: ClassVar[bool] = True
    reward_weights: Mapping[str, float] = {"success": 1.0, "milestone": 0.1, FORMAT: 1.0}
    invalid_value = -0.1

    def __init__(
        self,
        kind: str | None = None,
        level: int | None = None,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if kind is not None and kind not in KINDS:
            raise UnknownNameError("kind", kind, KINDS)
        if level is not None and level not in LEVELS:
            raise ConfigError(f"level must be 1, 2 or 3: got {level!r}")
        self._kind, self._level = kind, level
        self._is_found = False

    def make_task(self, seed: int) -> Task:
        """A problem drawn from the seed."""
        rng = random.Random(f"maths {seed}")
        kind = KINDS[self._kind or rng.choice(TRAINED)]
        return to_task(draw_problem(kind, rng, self._level or rng.choice(LEVELS)), seed=seed)

    def set_up(self, task: Task) -> Sequence[Message]:
        """State the problem."""
        form, answer = task.config.get("form"), task.private.get("answer")
        if form not in REFUSALS or not isinstance(answer, str) or read_value(answer, form) is None:
            raise TaskError(
                f"task {task.id!r} is not a task of Maths-v0: expected a form of {', '.join(REFUSALS)} and an answer "
                f"of that form, got the form {form!r} and the config {sorted(task.config)}"
            )
        self._is_found = False
        return [user(task.instruction)]

    def judge_run(self, shown: Shown) -> Sequence[RewardEvent]:
        """The milestone, if the last line is the answer for the first time."""
        lines = shown.output.rstrip().rsplit("\n", 1)
        value = read_value(lines[-1], "fraction")
        if self._is_found or value is None or write_value(value, self._form) != self._expected:
            return ()
        self._is_found = True
        return [self.event("milestone", 1.0, source="shaping")]

    @tool
    def answer(self, value: str | float) -> EnvReply:
        """Answer the problem. The first answer of the right form counts.

        Args:
            value: A number in digits, in the form that the problem asks for, such as 42, 3/7 or 12.50.
        """
        number = read_value(value, self._form)
        if number is None:
            return said(REFUSALS[self._form])
        is_right = number == read_value(self._expected, self._form)
        events = [self.event("success", float(is_right)), *self._closing_events()]
        return EnvReply([user(RIGHT if is_right else WRONG)], events, terminated=True, success=is_right)

    def grade(self) -> EnvReply:
        """A cut episode has failed; its milestone is taken back like that of any other."""
        return EnvReply(events=self._closing_events(), success=False)

    def progress(self) -> float | None:
        """1 once code has written the answer as its last line, else 0."""
        return None if self.task is None else float(self._is_found)

    @property
    def _form(self) -> Form:
        assert self.task is not None
        form: Form = self.task.config["form"]
        return form

    @property
    def _expected(self) -> str:
        assert self.task is not None
        answer: str = self.task.private["answer"]
        return answer

    def _closing_events(self) -> list[RewardEvent]:
        if not self._is_found:
            return []
        return [self.event("milestone", -1.0, source="shaping", detail={"why": "the potential ends at 0"})]
