"""Requests for the calculator alone."""

from __future__ import annotations

from fractions import Fraction

from agentgym_tools.workbench.cases import Case, View, tell
from agentgym_tools.workbench.sets.calculator import UNITS
from agentgym_tools.workbench.sets.expressions import shown, value_of
from agentgym_tools.workbench.template import ANSWER, Facts, Pick, Template, UndrawableError
from agentgym_tools.worlds.calls import Call

MAX_DECIMALS = 4


def _result(value: Fraction, call: Call) -> Case:
    """A value that a call shows; one that it would have to round is not asked for."""
    text = shown(value)
    if Fraction(text) != value or (len(text.partition(".")[2]) > MAX_DECIMALS):
        raise UndrawableError
    return tell(int(text) if "." not in text else text, [call], [("result", text)])


def _expression(pick: Pick) -> Facts:
    a, b, c, d = (pick.number(2, 60) for _ in range(4))
    forms = (
        f"({a} + {b}) * {c} - {d}",
        f"{a} * {b} + {c} * {d}",
        f"{a} ^ 2 + {b} * {c}",
        f"{a * 10} - {b} * ({c} - {d})",
    )
    return {"expression": pick.one(forms)}


def _calculate(view: View, facts: Facts) -> Case:
    return _result(value_of(facts["expression"]), Call("calculate", facts))


def _list(pick: Pick) -> Facts:
    return {"numbers": ", ".join(str(pick.number(10, 400)) for _ in range(pick.number(4, 8)))}


def _numbers(facts: Facts) -> list[int]:
    return [int(part) for part in facts["numbers"].split(", ")]


def _mean(view: View, facts: Facts) -> Case:
    numbers = _numbers(facts)
    return _result(Fraction(sum(numbers), len(numbers)), Call("mean_of", {"numbers": numbers}))


def _median(view: View, facts: Facts) -> Case:
    numbers = sorted(_numbers(facts))
    middle = len(numbers) // 2
    value = Fraction(numbers[middle] + numbers[~middle], 2)
    return _result(value, Call("median_of", {"numbers": _numbers(facts)}))


def _change(view: View, facts: Facts) -> Case:
    return _result(Fraction((facts["new"] - facts["old"]) * 100, facts["old"]), Call("percent_change", facts))


def _unit(pick: Pick) -> Facts:
    unit, other = pick.rng.sample(sorted(UNITS), 2)
    if UNITS[unit][0] != UNITS[other][0]:
        raise UndrawableError
    return {"number": pick.number(2, 500), "unit": unit, "other": other}


def _convert(view: View, facts: Facts) -> Case:
    value = facts["number"] * UNITS[facts["unit"]][1] / UNITS[facts["other"]][1]
    return _result(value, Call("convert_unit", facts))


def _percent(view: View, facts: Facts) -> Case:
    return _result(Fraction(facts["percent"] * facts["number"], 100), Call("percent_of", facts))


def _on(view: View) -> int:
    """The whole number that was answered before."""
    if not isinstance(view.answer, int):
        raise UndrawableError
    return view.answer


def _times(view: View, facts: Facts) -> Case:
    return _result(Fraction(_on(view) * facts["factor"]), Call("multiply", {"a": _on(view), "b": facts["factor"]}))


def _percent_of_answer(view: View, facts: Facts) -> Case:
    call = Call("percent_of", {"percent": facts["percent"], "number": _on(view)})
    return _result(Fraction(facts["percent"] * _on(view), 100), call)


CALCULATOR = "calculator"
TEMPLATES = (
    Template(
        *("calculate", CALCULATOR),
        ("What is {expression}?", "Work out {expression}."),
        _expression,
        _calculate,
    ),
    Template(
        *("mean", CALCULATOR),
        ("What is the mean of {numbers}?", "Work out the mean of these numbers: {numbers}."),
        _list,
        _mean,
    ),
    Template(
        *("median", CALCULATOR),
        ("What is the median of {numbers}?", "Find the median of these numbers: {numbers}."),
        _list,
        _median,
    ),
    Template(
        *("percent_change", CALCULATOR),
        ("By how many percent is {new} more than {old}?", "Something rises from {old} to {new}: by how many percent?"),
        lambda pick: {"old": pick.one((20, 40, 50, 80, 125, 200)), "new": pick.number(201, 900)},
        _change,
    ),
    Template(
        *("convert_unit", CALCULATOR),
        (
            "How many {other} are {number} {unit}? The units are called as in the calculator.",
            "Convert {number} {unit} to {other}.",
        ),
        _unit,
        _convert,
    ),
    Template(
        *("percent", CALCULATOR),
        ("What is {percent} percent of {number}?", "Work out {percent} percent of {number}."),
        lambda pick: {"percent": pick.number(2, 95), "number": pick.number(20, 9000)},
        _percent,
    ),
    Template(
        *("times", CALCULATOR),
        ("What is that number times {factor}?", "Multiply the number that you have just told me by {factor}."),
        lambda pick: {"factor": pick.number(3, 99)},
        _times,
        after=ANSWER,
    ),
    Template(
        *("percent_of_answer", CALCULATOR),
        (
            "And what is {percent} percent of that?",
            "How much is {percent} percent of the number that you have just told me?",
        ),
        lambda pick: {"percent": pick.one((5, 10, 15, 20, 25, 40, 75))},
        _percent_of_answer,
        after=ANSWER,
    ),
)
"""All requests for the calculator."""
