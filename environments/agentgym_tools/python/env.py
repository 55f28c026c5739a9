"""Python-v0: small programming and arithmetic tasks, solved with a stateful interpreter in a sandbox.

The interpreter is in `interpreter`, the running of submissions in `judging`, the problems in `kinds`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib import import_module
from typing import Any, get_args

from agentgym.env import EnvReply
from agentgym.errors import ConfigError, SandboxError, SandboxLostError, TaskError
from agentgym.message import Message, user
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.task import Task
from agentgym.tools import said, tool
from agentgym_tools.python.interpreter_env import MAX_CODE, InterpreterEnv
from agentgym_tools.python.judging import Verdict, run_tests
from agentgym_tools.python.problem import ANSWER, FUNCTION, Family, call, draw_problem, to_task

TESTS_LIMIT_S = 5.0

RIGHT, WRONG = "Right.", "Wrong."


class PythonEnv(InterpreterEnv):
    """Solve a small programming or arithmetic task by running Python and submitting a function or an answer.

    Observation:
        The first message states the problem, with examples if a function is asked for. Code is answered by what it
        wrote, with a traceback if it failed, and without the middle beyond 4,000 bytes. A submission is answered by the
        first public test that it fails, or by `Right.` or `Wrong.`

    Action:
        Calls of run_python(code) and submit(solution), at most 8 in a message, carried out in order. Code is stopped
        after 5 s and keeps its variables if possible. After `exit()`, a crash or code that cannot be stopped, the
        interpreter starts again, and the answer says so.
    Reward:
        success: 1 for the right answer, or a function that passes all hidden tests; else 0. progress: the share of
        hidden tests passed, once they were run; its weight is 0 by default. format: -0.1 for a message without a valid
        call.
    Termination:
        A submitted answer; a submitted function that passes the public tests, which are its examples; the third
        invalid message. A function that fails a public test may be submitted again.
    Truncation:
        After 8 turns, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        One at a time: image agentgym/python, no network, 1 CPU, 256 MiB, 64 processes. Hidden tests never enter the
        agent's sandbox. A submission is called in a fresh one, on inputs only, and its results are compared outside.
    Source and licence:
        Written for agentgym, Apache-2.0; its tasks are generated, CC0-1.0.

    Example:
        run_python(code="print(17 * 4 + 3)") -> 71; submit(solution="71") -> Right.

    Args:
        family: Family of tasks made from a seed, such as "strings"; None draws one that the train split has.
        level: Their difficulty, 1 to 3; None draws 1 or 2.
        progress_weight: Weight of the progress component.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
    """

    invalid_value = -0.1

    def __init__(
        self,
        family: str | None = None,
        level: int | None = None,
        progress_weight: float = 0.0,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if family is not None and family not in get_args(Family):
            raise ConfigError(f"family must be one of {', '.join(get_args(Family))}: got {family!r}")
        if level is not None and level not in (1, 2, 3):
            raise ConfigError(f"level must be 1, 2 or 3: got {level!r}")
        if progress_weight < 0:
            raise ConfigError(f"progress_weight must not be negative: got {progress_weight!r}")
        self._family, self._level = family, level
        self.reward_weights = {**self.reward_weights, "progress": progress_weight}
        self._best = 0.0

    def make_task(self, seed: int) -> Task:
        """A task drawn from the seed."""
        rng = random.Random(f"python {seed}")
        family = self._family or rng.choice(get_args(Family)[:-1])
        level = self._level or rng.randint(1, 2)
        kinds = import_module(f"agentgym_tools.python.kinds.{family}").KINDS
        problem, expected = draw_problem(kinds, rng, level)
        return to_task(problem, expected, seed=seed, family=family, level=level)

    def set_up(self, task: Task) -> Sequence[Message]:
        """State the problem; the interpreter starts with the first code."""
        form = task.config.get("form")
        needed = {FUNCTION: ("function", "public"), ANSWER: ()}.get(str(form))
        private = {FUNCTION: "hidden", ANSWER: "answer"}.get(str(form))
        if needed is None or private not in task.private or not all(key in task.config for key in needed):
            raise TaskError(
                f"task {task.id!r} is not a task of Python-v0: its config has {sorted(task.config)}, form {form!r}"
            )
        self._best = 0.0
        return [user(task.instruction)]

    @tool
    def submit(self, solution: str) -> EnvReply:
        """Submit the solution.

        Args:
            solution: The program that defines the function asked for; or the answer, where a number is asked for.
        """
        assert self.task is not None
        return self._judge_answer(solution) if self.task.config["form"] == ANSWER else self._judge_function(solution)

    def progress(self) -> float | None:
        """Share of the public tests that the best submission passed."""
        return None if self.task is None else self._best

    def _judge_answer(self, solution: str) -> EnvReply:
        assert self.task is not None
        is_right = _normalised(solution) == self.task.private["answer"]
        self._best = max(self._best, float(is_right))
        events = [self.event("success", float(is_right)), self.event("progress", float(is_right))]
        return EnvReply([user(RIGHT if is_right else WRONG)], events, terminated=True, success=is_right)

    def _judge_function(self, solution: str) -> EnvReply:
        """Public tests in the agent's sandbox, with feedback; then, once, hidden ones in a fresh sandbox."""
        assert self.task is not None
        name, public = self.task.config["function"], self.task.config["public"]
        if len(solution) > MAX_CODE:
            return said(f"The program has {len(solution)} characters; at most {MAX_CODE} are run.")
        try:
            verdicts = run_tests(self.sandbox, solution, name, public, TESTS_LIMIT_S)
        except SandboxLostError:
            raise
        except SandboxError:
            return said(self._why_not_started(name))
        self._best = max(self._best, sum(verdict.passed for verdict in verdicts) / len(verdicts))
        for number, (verdict, (arguments, expected)) in enumerate(zip(verdicts, public, strict=True), start=1):
            if not verdict.passed:
                called = f"{call(name, arguments)} {verdict.said}, expected {expected!r}."
                return said(f"Public test {number} of {len(public)} fails: {called}")
        hidden = self._judge_hidden(solution, name)
        num_passed = sum(verdict.passed for verdict in hidden)
        is_right = num_passed == len(hidden)
        detail = {"passed": num_passed, "tests": len(hidden)}
        events = [
            self.event("success", float(is_right), source="verifier"),
            self.event("progress", num_passed / len(hidden), source="verifier", detail=detail),
        ]
        text = RIGHT if is_right else f"{WRONG} {len(hidden) - num_passed} of {len(hidden)} hidden tests fail."
        return EnvReply([user(text)], events, terminated=True, success=is_right)

    def _judge_hidden(self, solution: str, name: str) -> list[Verdict]:
        """The hidden tests in a fresh sandbox.

        A program can only end its sandbox by taking all of its memory, and the kernel tells of that. At the limit of
        processes its own forks fail, and the sandbox's runner goes on, which is there already. A program that takes all
        memory twice, while an empty one in between does not, has failed the tests. A sandbox that is lost in any other
        way, or in which the judge does not start, is a failure of infrastructure: nothing of it says that the program
        did it. It is tried once more before the episode ends without a score.
        """
        try:
            return self._in_fresh_sandbox(solution, name)
        except SandboxError:
            self._in_fresh_sandbox("", name)
        try:
            return self._in_fresh_sandbox(solution, name)
        except SandboxLostError as error:
            if not error.is_for_memory:
                raise
            return [Verdict(False, "its sandbox ran out of memory")] * len(self._hidden)

    def _in_fresh_sandbox(self, code: str, name: str) -> list[Verdict]:
        with self.fresh_sandbox() as sandbox:
            return run_tests(sandbox, code, name, self._hidden, TESTS_LIMIT_S)

    @property
    def _hidden(self) -> list[Any]:
        assert self.task is not None
        tests: list[Any] = self.task.private["hidden"]
        return tests

    def _why_not_started(self, name: str) -> str:
        """Why the public tests gave nothing, where that is the agent's doing.

        Raises:
            SandboxError: It is not: no program can be started, and no code of the agent's ran yet.
        """
        try:
            run_tests(self.sandbox, "", name, [], TESTS_LIMIT_S)
        except SandboxLostError:
            raise
        except SandboxError:
            if not self.has_run:
                raise
            return "The tests could not be started: what your code left running takes up all there is."
        return "The tests were killed by your program."


def _normalised(answer: str) -> str:
    """A whole number in plain digits; other text as it is."""
    text = answer.strip()
    try:
        return str(int(text)) if len(text) < 400 else text
    except ValueError:
        return text
