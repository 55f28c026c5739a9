"""PatchLine-v0: a short program computes something else than it should; the agent replaces single wrong tokens.

What programs may hold is in `language`, how they are run in `running`, how tasks are made in `problem`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal, Self, get_args

from agentgym.env import EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message, user
from agentgym.reward import FORMAT, RewardEvent
from agentgym.task import Task
from agentgym.tools import ToolEnv, tool
from agentgym_swe.patch_line.language import Fix, ProgramError, apply_fix, linked, marked, numbered
from agentgym_swe.patch_line.problem import NUM_SHOWN, Tests, draw_case, read_task, require_level, to_task
from agentgym_swe.patch_line.running import Result

RIGHT = "Right."
KEPT, TAKEN_BACK = "Kept.", "Taken back."
HIDDEN_FAIL = "A hidden test fails."
Feedback = Literal["tests", "verdict"]
Places = Literal["none", "program", "both"]


class PatchLineEnv(ToolEnv):
    """Mend a program of 5 to 20 lines in which one or two tokens are wrong, within three tries.

    Observation:
        First what the program is meant to compute, and its numbered lines. A fix is answered by whether it was kept,
        how many of six tests pass, and the first that fails: the call, what it gave and what was expected.

    Action:
        One call of fix(line, old, new) a message: the token `old`, which must stand once in the line, becomes `new`.
        `new` is an operator, a comparison, `and`, `or`, one of the names a, n, x, y, p, q, r, or a number up to 20. A
        fix is kept if more tests pass, hidden ones included; else it is taken back.
    Reward:
        success: 1 once all 12 tests pass, else 0. passing: the change in the share of tests that pass, which sums up to
        what was gained; applies: 1 for each fix that could be made; line: 1 for each that names a line with a mistake.
        These three have the weight `parts_weight`, 0 by default; only `passing` cannot be farmed. format: -0.1 for a
        message without a valid call.
    Termination:
        All tests pass; the third invalid message.
    Truncation:
        After 3 turns, each of them a try, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        None. Programs are of a small part of Python without loops that could be endless; they are read, checked node by
        node, and computed by functions of this package. Nothing that an agent writes reaches Python's `exec`.
    Source and licence:
        Written for agentgym, Apache-2.0; its tasks are generated, CC0-1.0.

    Example:
        fix(line=5, old="+", new="-") -> Right.

    Args:
        level: How many loops the programs made from seeds have, 1 to 3; None draws it.
        mistakes: How many tokens are wrong in them, 1 or 2; None draws it.
        feedback: What a fix is answered by. tests: as above; verdict: whether it was kept, and no more.
        places: Where places are shown, so that a small model can go through the program token by token. program: each
            token of the program has its place before it, as in `#1 p = #2 5`; both: so has each word of the statement
            that says which token stands there, as in `@1 p starts at @2 0`; none: no places.
        parts_weight: Weight of the components passing, applies and line.
        render_mode: As in Gymnasium.
    """

    max_calls = 1
    invalid_value = -0.1

    def __init__(
        self,
        level: int | None = None,
        mistakes: int | None = None,
        feedback: Feedback = "tests",
        places: Places = "none",
        parts_weight: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        require_level(1 if level is None else level, 1 if mistakes is None else mistakes)
        if feedback not in get_args(Feedback):
            raise ConfigError(f"feedback must be tests or verdict: got {feedback!r}")
        if places not in get_args(Places):
            raise ConfigError(f"places must be none, program or both: got {places!r}")
        if not 0 <= parts_weight <= 1:
            raise ConfigError(f"parts_weight must be from 0 to 1: got {parts_weight!r}")
        self._level, self._mistakes, self._feedback, self._places = level, mistakes, feedback, places
        parts = {"passing": parts_weight, "applies": parts_weight, "line": parts_weight}
        self.reward_weights = {"success": 1.0, **parts, FORMAT: 1.0}
        self._tests = Tests((), ())
        self._lines: list[str] = []
        self._wrong_lines: frozenset[int] = frozenset()
        self._results: list[Result] = []
        self._passed: list[bool] = []

    def make_task(self, seed: int) -> Task:
        """A task drawn from the seed, with mistakes of the kinds that training shows."""
        rng = random.Random(f"patch-line {seed}")
        level = self._level or rng.choice((1, 1, 2, 3))
        mistakes = self._mistakes or rng.choice((1, 1, 1, 2))
        case, inputs_seed = draw_case(rng, level, num_mistakes=mistakes)
        return to_task(case, seed=inputs_seed, task_id=f"patch-line:{seed}-{level}-{mistakes}")

    def begin(self, task: Task) -> Sequence[Message]:
        """State what is meant, and show the program."""
        lines, fixes, self._tests = read_task(task)
        self._wrong_lines = frozenset(fix.line for fix in fixes)
        self._take(lines, self._tests.results(lines))
        return [user(self._shown(task, lines))]

    @tool
    def fix(self, line: int, old: str | int, new: str | int) -> EnvReply:
        """Replace one token of the program and run its tests; the fix is kept if more of them pass.

        Args:
            line: Number of the line.
            old: The token that stands there.
            new: The token that is to stand there.
        """
        wanted = Fix(line, str(old), str(new))
        try:
            lines = apply_fix(self._lines, wanted)
        except ProgramError as error:
            return self._replied(str(error), [])
        events = [self.event("applies", 1.0)]
        if line in self._wrong_lines:
            events.append(self.event("line", 1.0))
        try:
            results = self._tests.results(lines)
        except ProgramError as error:
            return self._replied(f"{TAKEN_BACK} {error}", events)
        passed = self._tests.passed(results)
        gained = sum(passed) - sum(self._passed)
        words = TAKEN_BACK if gained <= 0 else KEPT
        if self._feedback == "tests":
            words = f"{words} {self._told(passed, results)}"
        if gained > 0:
            events.append(self.event("passing", gained / len(passed), source="verifier"))
            self._take(lines, results)
        return self._replied(words, events)

    def grade(self) -> EnvReply:
        """Not mended in time."""
        return EnvReply(events=[self.event("success", 0.0, source="verifier")], success=False)

    def anchor(self) -> str | None:
        """The task, the program as it is, and invalid messages so far."""
        if self.task is None:
            return None
        return f"{self.task.content_hash} {self.books.phase} {self.num_invalid} {self._lines}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing is random after the start."""
        return self.fork_by_copy(seed, self._tests)

    def progress(self) -> float | None:
        """Share of the tests that pass."""
        return sum(self._passed) / len(self._passed) if self._passed else None

    def _shown(self, task: Task, lines: list[str]) -> str:
        """The statement and the program, with places where they are wanted."""
        program = numbered(lines if self._places == "none" else marked(lines))
        if self._places != "both":
            return f"{task.instruction}\n{program}"
        try:
            return f"{linked(task.instruction, lines)}\n{program}"
        except ProgramError as error:
            raise TaskError(f"task {task.id!r} cannot be shown with places='both': {error}") from error

    def _take(self, lines: list[str], results: list[Result]) -> None:
        self._lines, self._results, self._passed = lines, results, self._tests.passed(results)

    def _replied(self, words: str, events: list[RewardEvent]) -> EnvReply:
        if not all(self._passed):
            return EnvReply([user(words)], events)
        events.append(self.event("success", 1.0, source="verifier"))
        return EnvReply([user(RIGHT)], events, terminated=True, success=True)

    def _told(self, passed: Sequence[bool], results: Sequence[Result]) -> str:
        """How many of the shown tests pass, and the first that fails."""
        shown = list(passed[:NUM_SHOWN])
        if all(shown):
            return HIDDEN_FAIL
        first = shown.index(False)
        arguments = ", ".join(map(repr, self._tests.inputs[first]))
        gave, expected = str(results[first])[:60], self._tests.expected[first]
        return f"{sum(shown)} of {NUM_SHOWN} pass. f({arguments}) gave {gave}, expected {expected}."
