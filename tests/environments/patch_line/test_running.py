from __future__ import annotations

import random
from typing import Any

import pytest

from agentgym_swe.patch_line.language import VOCABULARY, Fix, ProgramError, apply_fix, read_program, tokens_of
from agentgym_swe.patch_line.problem import draw_case, draw_inputs
from agentgym_swe.patch_line.running import MAX_STEPS, Result, run


def by_python(lines: list[str], arguments: list[Any]) -> Result:
    """What Python itself makes of a program of ours."""
    scope: dict[str, Any] = {}
    exec("\n".join(lines), scope)  # drawn by the grammar, one token of the vocabulary replaced
    try:
        return Result(scope["f"](*arguments))
    except NameError:
        return Result(error="NameError")
    except (TypeError, ZeroDivisionError) as error:
        return Result(error=type(error).__name__)


def test_programs_give_what_python_gives_right_wrong_or_broken() -> None:
    rng = random.Random(5)
    errors, compared = set(), 0
    for _ in range(30):
        case, seed = draw_case(rng, rng.randint(1, 3), num_mistakes=rng.randint(1, 2))
        variants = [list(case.lines), list(case.draft.lines)]
        for _ in range(10):
            number = rng.randrange(len(case.lines))
            old = rng.choice(tokens_of(case.lines[number]))
            try:
                changed = apply_fix(case.lines, Fix(number + 1, old, rng.choice(VOCABULARY)))
                read_program(changed)
            except ProgramError:
                continue
            variants.append(changed)
        for lines in variants:
            for arguments in draw_inputs(seed)[:4]:
                result = run(lines, arguments)
                if result.error not in ("OverflowError", "MemoryError"):
                    assert result == by_python(lines, arguments), lines
                    errors.add(result.error)
                    compared += 1
    assert compared > 400
    assert {"", "NameError", "TypeError"} <= errors


@pytest.mark.parametrize(
    "line",
    [
        "    return a.b", "    return f(a)", "    while n: p = 1", "    import os", "    return lambda: 1",
        "    return [1]", "    return a[0]", "    return -n ** n", "    x, y = a", "    return 'a'", "    p: n",
        "    del p", "\treturn p",
    ],
)  # fmt: skip
def test_anything_beyond_the_small_language_is_refused(line: str) -> None:
    with pytest.raises(ProgramError):
        read_program(["def f(a, n):", line])


def test_programs_that_would_run_long_or_grow_are_stopped() -> None:
    loops = [f"{'    ' * depth}for x in a:" for depth in range(1, 8)]
    assert run(["def f(a, n):", *loops, "    " * 8 + "p = 1"], [[1] * 8, 1]).error == "TimeoutError"
    assert run(["def f(a, n):", "    return a * n"], [[1], 10**9]).error == "MemoryError"
    square = ["def f(a, n):", "    for x in a:", "        n = n * n", "    return n"]
    assert run(square, [[1] * 60, 9]).error == "OverflowError"
    assert MAX_STEPS < 10_000


def test_both_operands_and_short_circuits_are_as_in_python() -> None:
    assert run(["def f(a, n):", "    return n and a"], [[], 0]) == Result(0)
    assert run(["def f(a, n):", "    return n or q"], [[], 3]) == Result(3)
    assert run(["def f(a, n):", "    return 1 < n < 5 != n"], [[], 3]) == Result(True)
    assert run(["def f(a, n):", "    return n // 2 - n % 3 * 2"], [[], 7]) == Result(1)
