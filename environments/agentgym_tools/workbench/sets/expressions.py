"""Arithmetic written as text, worked out exactly: a grammar of its own over fractions, with bounds on size.

Nothing is evaluated by Python. Numbers stay below a bound of digits at every step, so that no text makes work.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

MAX_CHARACTERS, MAX_BITS, MAX_EXPONENT, MAX_DEPTH = 200, 400, 64, 20
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|(\*\*|[-+*/%^()]))")


class ExpressionError(ValueError):
    """The text is no expression here, or its value is out of bounds."""


def value_of(text: str) -> Fraction:
    """The value of an expression of numbers, + - * / % ^ (or **) and brackets.

    Raises:
        ExpressionError: It cannot be read, divides by zero, or is out of bounds.
    """
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError(f"the expression has {len(text)} characters; at most {MAX_CHARACTERS} are taken")
    reader = _Reader(_tokens(text))
    found = reader.total(0)
    if reader.next:
        raise ExpressionError(f"{reader.next!r} is not expected")
    return found


def bounded(value: Fraction) -> Fraction:
    """A value that is small enough to go on with.

    Raises:
        ExpressionError: It has too many digits.
    """
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise ExpressionError("a number has too many digits")
    return value


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power with a whole exponent.

    Raises:
        ExpressionError: The exponent is not whole or too large, the result has too many digits, or it is 0 to less
            than 0.
    """
    if exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT:
        raise ExpressionError(f"an exponent is a whole number from -{MAX_EXPONENT} to {MAX_EXPONENT}")
    if base == 0 and exponent < 0:
        raise ExpressionError("division by zero")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(int(exponent)) > MAX_BITS:
        raise ExpressionError("a power has too many digits")
    return bounded(Fraction(base ** int(exponent)))


def shown(value: Fraction, decimals: int = 6) -> str:
    """A value in decimal digits, halves rounded away from zero, without zeros at the end."""
    scaled = abs(value) * 10**decimals
    digits = math.floor(scaled + Fraction(1, 2))
    whole, rest = divmod(digits, 10**decimals)
    sign = "-" if value < 0 and digits else ""
    return f"{sign}{whole}.{rest:0{decimals}}".rstrip("0").rstrip(".") if decimals else f"{sign}{whole}"


def _tokens(text: str) -> list[str]:
    found, place = [], 0
    stripped = text.rstrip()
    while place < len(stripped):
        match = _TOKEN.match(stripped, place)
        if match is None:
            raise ExpressionError(f"{stripped[place : place + 10].strip()!r} is not expected")
        found.append(match[1] or match[2])
        place = match.end()
    return found


class _Reader:
    """Reads tokens by recursive descent: sums of products of signed powers."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def next(self) -> str:
        """The next token; "" at the end."""
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def take(self, *wanted: str) -> str:
        """The next token if it is one of these, which is then read; else ""."""
        found = self.next if self.next in wanted else ""
        self._place += bool(found)
        return found

    def total(self, depth: int) -> Fraction:
        """A sum."""
        found = self._product(depth)
        while sign := self.take("+", "-"):
            other = self._product(depth)
            found = bounded(found + other if sign == "+" else found - other)
        return found

    def _product(self, depth: int) -> Fraction:
        found = self._signed(depth)
        while sign := self.take("*", "/", "%"):
            other = self._signed(depth)
            if sign != "*" and other == 0:
                raise ExpressionError("division by zero")
            found = bounded(found * other if sign == "*" else found / other if sign == "/" else found % other)
        return found

    def _signed(self, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise ExpressionError(f"brackets and signs are nested deeper than {MAX_DEPTH}")
        if sign := self.take("+", "-"):
            found = self._signed(depth + 1)
            return -found if sign == "-" else found
        base = self._number(depth)
        return power(base, self._signed(depth + 1)) if self.take("^", "**") else base

    def _number(self, depth: int) -> Fraction:
        if self.take("("):
            found = self.total(depth + 1)
            if not self.take(")"):
                raise ExpressionError("a bracket is not closed")
            return found
        token = self.next
        if not token or not token[0].isdigit():
            raise ExpressionError(f"{token!r} is not expected" if token else "the expression ends too early")
        self._place += 1
        return bounded(Fraction(token))
