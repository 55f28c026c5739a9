"""Answers as values: how a text is read as a number of the form asked for, and compared without being evaluated.

What is asked and why the answer is right is the work of `problem` and `kinds`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal

Form = Literal["integer", "fraction", "decimal"]
PLACES = 2
"""Decimals of an answer of the form "decimal"."""
MAX_LENGTH = 400

SAYS: dict[Form, str] = {
    "integer": "Answer with a whole number.",
    "fraction": "Answer with an exact fraction such as 3/7, or a whole number.",
    "decimal": "Round only the result, to two decimals, as in 12.50.",
}
"""What a question says of the form of its answer."""
REFUSALS: dict[Form, str] = {
    "integer": "The answer must be a whole number in digits, such as 42. It was not judged.",
    "fraction": "The answer must be a fraction such as 3/7, or a whole number. It was not judged.",
    "decimal": "The answer must be a number with at most two decimals, such as 12.50. It was not judged.",
}
"""What a text that is no number of the form is answered by."""

_NUMBER = re.compile(r"([+-]?[0-9]+)(?:\.([0-9]+)|\s*/\s*([0-9]+))?")


def read_value(value: str | float, form: Form) -> Fraction | None:
    """The number that an answer states; None if it states none of the form.

    Args:
        value: Digits, a fraction such as "3/7", or a decimal such as "12.50"; or a number.
        form: "integer" and "decimal" refuse a number that is not whole, or has more than two decimals; "fraction"
            takes any exact number, in lowest terms or not.
    """
    number = _read_exactly(value)
    if number is None or form == "fraction":
        return number
    unit = 1 if form == "integer" else 10**PLACES
    return number if (number * unit).denominator == 1 else None


def write_value(number: Fraction | int, form: Form) -> str:
    """The number as a right answer gives it; a decimal is rounded."""
    return f"{round(Fraction(number) * 10**PLACES) / 10**PLACES:.{PLACES}f}" if form == "decimal" else str(number)


def is_near_tie(number: Fraction | int) -> bool:
    """Whether two ways of rounding, or the errors of floats, could round the number to different decimals."""
    part: Fraction = Fraction(number) * 10**PLACES % 1
    return Fraction(499, 1000) < part < Fraction(501, 1000)


def _read_exactly(value: str | float) -> Fraction | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    found = _NUMBER.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if found is None:
        return None
    whole, decimals, below = found.groups()
    if below is not None:
        return Fraction(int(whole), int(below)) if int(below) else None
    return Fraction(f"{whole}.{decimals}") if decimals else Fraction(int(whole))
