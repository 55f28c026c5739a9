"""A task of PatchLine-v0: a program with mistakes in it, what it should compute, and the tests that tell the two apart.

The programs come from `grammar`, the mistakes from `mistakes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from agentgym.errors import ConfigError, TaskError
from agentgym.task import Limits, Task
from agentgym_swe.patch_line.grammar import Draft, Stage, draw_draft
from agentgym_swe.patch_line.language import Fix, ProgramError, apply_fix, read_program
from agentgym_swe.patch_line.mistakes import TRAINED, slips_of
from agentgym_swe.patch_line.running import Result, run

TRIES = 3
NUM_SHOWN, NUM_HIDDEN = 6, 6
"""Tests whose outcomes are told to the agent, and those that only decide."""
MAX_MISTAKES = 2
_DRAWS, _SLIPS = 500, 6
"""Programs that are drawn before drawing gives up, and mistakes that are tried in each."""
_MIN_DIFFERENT = 4
"""Least number of different values that the tests of a task expect."""
Arguments = list[Any]


@dataclass(frozen=True)
class Case:
    """A program with mistakes.

    Attributes:
        lines: The program as the agent gets it.
        text: What it is meant to compute.
        fixes: What mends it, in any order.
        kinds: The kind of each mistake.
        draft: The right program.
    """

    lines: tuple[str, ...]
    text: str
    fixes: tuple[Fix, ...]
    kinds: tuple[str, ...]
    draft: Draft


@dataclass(frozen=True)
class Tests:
    """Inputs and what the right program gives for them; the first `NUM_SHOWN` are shown.

    Attributes:
        inputs: Arguments of each call.
        expected: The right value of each.
    """

    inputs: Sequence[Arguments]
    expected: Sequence[Any]

    def results(self, lines: Sequence[str]) -> list[Result]:
        """What a program gives for each input."""
        return [run(lines, arguments) for arguments in self.inputs]

    def passed(self, results: Sequence[Result]) -> list[bool]:
        """Which results are right; an error is not, nor is True where 1 is right."""
        return [
            not result.error and type(result.value) is int and result.value == value
            for result, value in zip(results, self.expected, strict=True)
        ]

    def counts(self, lines: Sequence[str]) -> tuple[int, int]:
        """How many of the shown and of the hidden tests a program passes."""
        passed = self.passed(self.results(lines))
        return sum(passed[:NUM_SHOWN]), sum(passed[NUM_SHOWN:])


def draw_inputs(seed: int) -> list[Arguments]:
    """The inputs of a task: short lists of small numbers, and a number."""
    rng = Random(f"inputs {seed}")
    return [
        [[rng.randint(0, 15) for _ in range(rng.randint(2, 4))], rng.randint(1, 12)]
        for _ in range(NUM_SHOWN + NUM_HIDDEN)
    ]


def make_tests(seed: int, right: Sequence[str]) -> Tests:
    """The tests of a task.

    Raises:
        ProgramError: The right program is none, or fails.
    """
    inputs = draw_inputs(seed)
    results = [run(right, arguments) for arguments in inputs]
    for result in results:
        if result.error or type(result.value) is not int:
            raise ProgramError(f"The program that should be right gives {result}.")
    return Tests(inputs, [result.value for result in results])


def draw_case(
    rng: Random,
    num_stages: int,
    kinds: Sequence[str] = tuple(TRAINED),
    num_mistakes: int = 1,
    accept: Callable[[Stage], bool] = lambda stage: True,
) -> tuple[Case, int]:
    """A program whose mistakes show in its tests, and the seed of these.

    Every single right fix makes more tests pass, so that it is kept whichever comes first.

    Args:
        rng: The randomness.
        num_stages: How many loops the program has, 1 to 3.
        kinds: Kinds of mistakes to draw from.
        num_mistakes: 1 or 2; two stand in different lines.
        accept: Which loops are wanted.

    Raises:
        TaskError: None came out in many draws.
    """
    for _ in range(_DRAWS):
        draft, seed = draw_draft(rng, num_stages, accept), rng.randrange(2**31)
        tests = make_tests(seed, draft.lines)
        if len(set(tests.expected)) < _MIN_DIFFERENT:
            continue
        for _ in range(_SLIPS):
            case = _with_mistakes(rng, draft, [rng.choice(kinds) for _ in range(num_mistakes)])
            if case is not None and is_telling(case, tests):
                return case, seed
    raise TaskError(f"no mistake of the kinds {list(kinds)} shows in {_DRAWS} draws of programs of {num_stages} loops")


def _with_mistakes(rng: Random, draft: Draft, kinds: Sequence[str]) -> Case | None:
    """A program with a mistake of each kind in lines of their own; None where it has no place for them."""
    options = [slips_of(draft.lines, kind) for kind in kinds]
    if not all(options):
        return None
    slips = [rng.choice(each) for each in options]
    if len({slip.line for slip in slips}) < len(slips):
        return None
    lines = list(draft.lines)
    for slip in slips:
        lines = apply_fix(lines, slip)
    fixes = tuple(Fix(slip.line, slip.new, slip.old) for slip in slips)
    return Case(tuple(lines), draft.text, fixes, tuple(kinds), draft)


def is_telling(case: Case, tests: Tests) -> bool:
    """Whether the tests see the mistakes, and each right fix makes more of them pass, of the shown ones too."""
    shown, hidden = tests.counts(case.lines)
    if shown == NUM_SHOWN or hidden == NUM_HIDDEN:
        return False
    if len(case.fixes) == 1:
        return True
    mended = [tests.counts(apply_fix(case.lines, fix)) for fix in case.fixes]
    return all(more > shown and also >= hidden for more, also in mended)


def to_task(case: Case, *, seed: int, task_id: str = "", stratum: str = "") -> Task:
    """The task of a case: statement and program are public, the fixes private; inputs come from the seed."""
    return Task(
        id=task_id or f"patch-line:{seed}",
        seed=seed,
        instruction=case.text,
        stratum=stratum,
        config={"lines": list(case.lines)},
        limits=Limits(max_turns=TRIES),
        private={"fixes": [list(fix) for fix in case.fixes], "kinds": list(case.kinds)},
    )


def read_task(task: Task) -> tuple[list[str], list[Fix], Tests]:
    """The program of a task, the fixes that mend it, and its tests.

    Raises:
        TaskError: It is no task of this environment.
    """
    lines, fixes = task.config.get("lines"), task.private.get("fixes")
    where = f"task {task.id!r} is not a task of PatchLine-v0"
    is_text = isinstance(lines, list) and all(isinstance(line, str) for line in lines)
    if not isinstance(lines, list) or not is_text or not isinstance(fixes, list) or not 0 < len(fixes) <= MAX_MISTAKES:
        raise TaskError(f"{where}: expected lines and one or two fixes, got the config {sorted(task.config)}")
    try:
        read_program(lines)
        right, named = list(lines), []
        for fix in fixes:
            named.append(Fix(*fix))
            right = apply_fix(right, named[-1])
        return lines, named, make_tests(task.seed, right)
    except (ProgramError, TypeError) as error:
        raise TaskError(f"{where}: {error}") from error


def require_level(level: int, mistakes: int) -> None:
    """Refuse options out of range.

    Raises:
        ConfigError: One is.
    """
    if type(level) is not int or not 1 <= level <= 3:
        raise ConfigError(f"level must be 1, 2 or 3, the number of loops of a program: got {level!r}")
    if type(mistakes) is not int or not 1 <= mistakes <= MAX_MISTAKES:
        raise ConfigError(f"mistakes must be 1 or {MAX_MISTAKES}: got {mistakes!r}")
