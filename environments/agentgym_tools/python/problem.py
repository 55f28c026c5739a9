"""A problem of Python-v0: a statement, a reference solution and inputs, and the task that is made of them.

The kinds of problem are in `kinds`; which problems a split holds is decided in `generate`.
"""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from agentgym.errors import TaskError
from agentgym.task import Limits, Task

NUM_PUBLIC = 2
MAX_TURNS = 8
MAX_SHARE = 0.7
"""Largest share of a problem's tests that may expect the same value: more, and a constant would pass too often."""
FUNCTION, ANSWER = "function", "answer"


@dataclass(frozen=True)
class Problem:
    """A problem before it is a task.

    Attributes:
        kind: Which template it was made by.
        text: For a function, what follows "Write a function f(x) that"; for an answer, the whole question.
        body: Body of the reference function; for an answer, an expression whose value it is.
        name: Name of the function; "" where an answer is asked for.
        parameters: Names of its parameters.
        inputs: Arguments of each test, the first ones public.
    """

    kind: str
    text: str
    body: str
    name: str = ""
    parameters: tuple[str, ...] = ()
    inputs: Sequence[Sequence[Any]] = field(default=())

    @property
    def solution(self) -> str:
        """The reference solution as a program; for an answer, an expression."""
        if not self.name:
            return self.body
        return f"def {self.name}({', '.join(self.parameters)}):\n{textwrap.indent(self.body, '    ')}\n"

    def expected(self) -> list[Any]:
        """What the reference returns for each input, in JSON types; for an answer, its one value."""
        namespace: dict[str, Any] = {}
        if not self.name:
            return [eval(self.body, namespace)]  # noqa: S307 - our own expression
        exec(self.solution, namespace)  # noqa: S102 - our own program
        function = namespace[self.name]
        copies = json.loads(json.dumps([list(arguments) for arguments in self.inputs]))
        return [json.loads(json.dumps(function(*arguments))) for arguments in copies]


Kind = Callable[[Random, int], Problem]
"""Draws a problem at a difficulty, 1 to 3."""
Family = Literal["arithmetic", "numbers", "strings", "lists", "parsing", "algorithms", "tables", "unseen_kinds"]


def is_telling(problem: Problem, expected: Sequence[Any]) -> bool:
    """Whether the tests tell right from wrong: different inputs, and no constant that passes most of them."""
    if not problem.name:
        return True
    inputs = [json.dumps(arguments) for arguments in problem.inputs]
    commonest = Counter(json.dumps(value) for value in expected).most_common(1)[0][1]
    public = {json.dumps(value) for value in expected[:NUM_PUBLIC]}
    return len(set(inputs)) == len(inputs) and commonest <= MAX_SHARE * len(inputs) and len(public) > 1


def draw_problem(family: Sequence[Kind], rng: Random, level: int) -> tuple[Problem, list[Any]]:
    """A problem of a family whose tests tell right from wrong, and what they expect.

    Raises:
        TaskError: None came out in many draws.
    """
    for _ in range(200):
        problem = rng.choice(family)(rng, level)
        expected = problem.expected()
        if is_telling(problem, expected):
            return problem, expected
    raise TaskError(f"the kinds {[kind.__name__ for kind in family]} give no telling tests at level {level}")


def to_task(
    problem: Problem,
    expected: Sequence[Any],
    *,
    seed: int,
    family: str,
    level: int,
    task_id: str = "",
    stratum: str = "",
) -> Task:
    """The task of a problem: statement and examples are public, the hidden tests and the solution private."""
    config: dict[str, Any] = {"form": FUNCTION if problem.name else ANSWER, "family": family, "kind": problem.kind}
    config["level"] = level
    tests = [[list(arguments), value] for arguments, value in zip(problem.inputs, expected, strict=False)]
    if problem.name:
        config |= {"function": problem.name, "public": tests[:NUM_PUBLIC]}
        private = {"solution": problem.solution, "hidden": tests[NUM_PUBLIC:]}
        instruction = _function_text(problem, tests[:NUM_PUBLIC])
    else:
        private = {"solution": problem.solution, "answer": str(expected[0])}
        instruction = problem.text
    return Task(
        id=task_id or f"python:{family}-{level}-{seed}",
        seed=seed,
        instruction=instruction,
        stratum=stratum,
        config=config,
        limits=Limits(max_turns=MAX_TURNS),
        private=private,
    )


def _function_text(problem: Problem, tests: Sequence[Any]) -> str:
    examples = "\n".join(example(problem.name, arguments, value) for arguments, value in tests)
    return f"Write a function {problem.name}({', '.join(problem.parameters)}) that {problem.text}\n{examples}"


def example(name: str, arguments: Sequence[Any], value: Any) -> str:
    """A test as an equation."""
    return f"{call(name, arguments)} == {value!r}"


def call(name: str, arguments: Sequence[Any]) -> str:
    """A call as Python writes it."""
    return f"{name}({', '.join(map(repr, arguments))})"
