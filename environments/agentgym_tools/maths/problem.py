"""A maths problem: how one is drawn, its answer found by two methods, and the task that is made of it.

The kinds of problem are in `kinds`; which problems a split holds is decided in `generate`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from agentgym.errors import TaskError
from agentgym.task import Limits, Task
from agentgym_tools.maths.values import SAYS, Form, is_near_tie, write_value

MAX_TURNS = 8
LEVELS = (1, 2, 3)
_MODULES = ("datetime", "itertools", "math")
_TRIES = 1000
Number = int | Fraction


class Draft(NamedTuple):
    """What a kind draws.

    Attributes:
        texts: Wordings of the question, all of the same meaning; one is chosen.
        words: What stands in the places of the wordings.
        values: Arguments of both methods, plain numbers and lists.
    """

    texts: Sequence[str]
    words: Mapping[str, object]
    values: dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of problem.

    Attributes:
        name: Its name.
        form: The form of its answers.
        draw: Draws a problem of a level, 1 to 3.
        first: Finds the answer.
        second: Finds it by another method, in a function that needs nothing of its module but the standard library, so
            that its source is a program.
        short: Writes an expression that finds the answer of a problem of level 1; None where none is short.
    """

    name: str
    form: Form
    draw: Callable[[Random, int], Draft]
    first: Callable[..., Number]
    second: Callable[..., Number]
    short: Callable[..., str] | None = None


class Problem(NamedTuple):
    """A problem before it is a task.

    Attributes:
        kind: Its kind.
        level: 1 to 3.
        text: The question.
        values: Arguments of the kind's methods.
        answer: What the first method found.
    """

    kind: Kind
    level: int
    text: str
    values: dict[str, Any]
    answer: Number

    @property
    def program(self) -> str:
        """The second method as a program that prints the answer."""
        source = inspect.getsource(self.kind.second)
        imports = "".join(f"import {module}\n" for module in _MODULES if f"{module}." in source)
        imports += "from fractions import Fraction\n" if "Fraction(" in source else ""
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        called = f"{self.kind.second.__name__}({arguments})"
        return f"{imports}{source}\nprint({f'round(float({called}), 2)' if self.kind.form == 'decimal' else called})\n"


def draw_problem(kind: Kind, rng: Random, level: int) -> Problem:
    """A problem whose answer both methods agree on.

    Raises:
        TaskError: They differ, so the kind is wrong; or no draw gave a telling answer.
    """
    problem = draw_candidate(kind, rng, level)
    other = kind.second(**problem.values)
    if other != problem.answer:
        raise TaskError(
            f"the methods of the kind {kind.name!r} differ for {problem.values}: the first gives {problem.answer}, the "
            f"second {other}; expected the same, so one of them has a fault"
        )
    return problem


def draw_candidate(kind: Kind, rng: Random, level: int) -> Problem:
    """A problem with a telling answer, found by the first method alone.

    Telling means: not -1, 0 or 1, no number of the question itself, and no decimal that could be rounded two ways.

    Raises:
        TaskError: None came out in many draws.
    """
    for _ in range(_TRIES):
        draft = kind.draw(rng, level)
        text = rng.choice(draft.texts).format(**draft.words)
        answer = kind.first(**draft.values)
        if is_telling(answer, text, kind.form):
            return Problem(kind, level, text, draft.values, answer)
    raise TaskError(f"the kind {kind.name!r} gave no telling answer at level {level} in {_TRIES} draws")


def is_telling(answer: Number, text: str, form: Form) -> bool:
    """Whether an answer is neither trivial, nor copied from the question, nor rounded by luck."""
    if answer in (-1, 0, 1) or (form == "decimal" and is_near_tie(answer)):
        return False
    return write_value(answer, form).lstrip("-") not in re.findall(r"[0-9]+(?:[./][0-9]+)?", text)


def to_task(problem: Problem, *, seed: int, task_id: str = "", stratum: str = "", is_short: bool = False) -> Task:
    """The task of a problem: the question is public, the answer and a program that finds it are private.

    Args:
        problem: The problem.
        seed: The task's seed.
        task_id: The task's id; one is made of kind, level and seed by default.
        stratum: Its stratum.
        is_short: Whether the program is the kind's short expression.
    """
    kind = problem.kind
    if is_short:
        assert kind.short is not None
        program = f"print({kind.short(**problem.values)})"
    else:
        program = problem.program
    return Task(
        id=task_id or f"maths:{kind.name}-{problem.level}-{seed}",
        seed=seed,
        instruction=f"{problem.text} {SAYS[kind.form]}",
        stratum=stratum,
        config={"form": kind.form, "kind": kind.name, "level": problem.level},
        limits=Limits(max_turns=MAX_TURNS),
        private={"answer": write_value(problem.answer, kind.form), "program": program},
    )


def listed(parts: Sequence[object], last: str = "and") -> str:
    """The parts as a sentence lists them: "a, b and c"."""
    *before, end = map(str, parts)
    return f"{', '.join(before)} {last} {end}" if before else end
