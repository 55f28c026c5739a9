"""Answers to maths problems: near the right one, and the right one written in other forms that are accepted.

A value is right if Python's fractions say that it equals the right number; how the environment reads it plays no part.
A float stands for the decimal that it is written as, since that is what a message holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from agentgym.authoring.players import call_text
from agentgym.task import Task
from agentgym_tools.maths.env import MathsEnv
from agentgym_tools.maths.scripts import SCRIPTS
from benchmarks.verdicts.questions.variants import Subject, Variant

NEARLY = ("off by one", "other sign", "scaled", "other part", "near decimal")
OTHERWISE = ("other form", "as a number")
_WHOLE_FLOATS = 2**53
"""Whole numbers up to this one are floats without an error."""


def variants(task: Task) -> Iterator[Variant]:
    """The variants of a problem's answer."""
    form, written = task.config["form"], task.private["answer"]
    right = Fraction(written)
    for name, given in (*_nearly(right, form), *_otherwise(right, form, written)):
        is_right = _read(str(given)) == right
        yield Variant(name, [call_text("answer", value=given)], is_right, given)


def _nearly(right: Fraction, form: str) -> Iterator[tuple[str, str | int | float]]:
    unit = Fraction(1, 100) if form == "decimal" else Fraction(1)
    yield from (("off by one", _text(number, form)) for number in (right - unit, right + unit))
    yield "other sign", _text(-right, form)
    yield from (("scaled", _text(number, form)) for number in (right * 10, right / 10, right * 100))
    if form == "fraction":
        above, below = right.as_integer_ratio()
        yield from (("off by one", f"{above + step}/{below}") for step in (-1, 1))
        yield from (("off by one", f"{above}/{below + step}") for step in (-1, 1) if below + step)
        yield from (("other part", _text(number, form)) for number in (1 - right, 1 / right))
    else:
        written = _decimal(right)
        yield "near decimal", f"{written}001" if "." in written else f"{written}.001"
    yield "near decimal", math.nextafter(float(right), math.inf)
    yield from (("near decimal", f"{float(right):.{places}f}") for places in (3, 12) if form == "fraction")


def _otherwise(right: Fraction, form: str, written: str) -> Iterator[tuple[str, str | int | float]]:
    above, below = right.as_integer_ratio()
    yield from (("other form", f"{above * by}{sign}{below * by}") for by, sign in ((2, "/"), (3, " / ")))
    yield from (("other form", text) for text in (f"  {written} ", f"+{written}") if right > 0 or text[0] == " ")
    if below == 1:
        yield from (("other form", f"{above}{zeros}") for zeros in ("", ".0", ".00"))
        yield "as a number", above
    if (100_000 % below) == 0 and abs(above) < _WHOLE_FLOATS:
        yield "other form", f"{_decimal(right)}0" if "." in _decimal(right) else f"{_decimal(right)}.0"
        yield from (("as a number", number) for number in (float(right),) if Fraction(repr(number)) == right)


def _read(text: str) -> Fraction:
    above, _, below = text.partition("/")
    return Fraction(above.strip()) / Fraction(below.strip() or 1)


def _text(number: Fraction, form: str) -> str:
    """A number as an agent would write it; not all are of the form that is asked for."""
    return _decimal(number) if form == "decimal" else str(number)


def _decimal(number: Fraction) -> str:
    """A number as a decimal with as many places as it takes, at most five and at least none."""
    text = f"{'-' if number < 0 else ''}{abs(round(number * 100_000)) // 100_000}"
    places = f"{abs(round(number * 100_000)) % 100_000:05}".rstrip("0")
    return f"{text}.{places}" if places else text


MATHS = Subject(lambda: MathsEnv(sandbox="process"), SCRIPTS, NEARLY, OTHERWISE, variants)
