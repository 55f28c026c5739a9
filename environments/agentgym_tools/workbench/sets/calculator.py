"""A calculator: exact arithmetic, statistics, money and units. It reads and changes nothing in the world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from agentgym_tools.workbench.sets.expressions import ExpressionError, bounded, power, shown, value_of
from agentgym_tools.workbench.sets.toolbox import OwnTools, require
from agentgym_tools.worlds.toolbox import ToolFailure, reads

Unit = Literal["mm", "cm", "m", "km", "inch", "foot", "mile", "g", "kg", "pound", "litre", "gallon"]
UNITS: dict[str, tuple[str, Fraction]] = {
    "mm": ("length", Fraction(1, 1000)),
    "cm": ("length", Fraction(1, 100)),
    "m": ("length", Fraction(1)),
    "km": ("length", Fraction(1000)),
    "inch": ("length", Fraction(254, 10000)),
    "foot": ("length", Fraction(3048, 10000)),
    "mile": ("length", Fraction(1609344, 1000)),
    "g": ("mass", Fraction(1, 1000)),
    "kg": ("mass", Fraction(1)),
    "pound": ("mass", Fraction(45359237, 100000000)),
    "litre": ("volume", Fraction(1)),
    "gallon": ("volume", Fraction(3785411784, 1000000000)),
}
"""By unit what it measures, and how many metres, kilograms or litres it is."""
Number = int | float


class CalculatorTools(OwnTools):
    """The calculator's tools."""

    @reads
    def calculate(self, expression: str) -> Any:
        """Work out an expression of numbers, + - * / % ^ and brackets.

        Args:
            expression: Such as (12 + 7.5) * 3 ^ 2.
        """
        try:
            return self._say(value_of(expression))
        except ExpressionError as error:
            raise ToolFailure(f"{error}.") from error

    @reads
    def add(self, a: Number, b: Number) -> Any:
        """Add two numbers.

        Args:
            a: A number.
            b: A number.
        """
        return self._say(_exact(a) + _exact(b))

    @reads
    def subtract(self, a: Number, b: Number) -> Any:
        """Subtract a number from another.

        Args:
            a: The number that is made less.
            b: The number that is taken away.
        """
        return self._say(_exact(a) - _exact(b))

    @reads
    def multiply(self, a: Number, b: Number) -> Any:
        """Multiply two numbers.

        Args:
            a: A number.
            b: A number.
        """
        return self._say(_exact(a) * _exact(b))

    @reads
    def divide(self, a: Number, b: Number) -> Any:
        """Divide a number by another, to six decimals.

        Args:
            a: The number that is divided.
            b: The divisor.
        """
        require(b != 0, "division by zero.")
        return self._say(_exact(a) / _exact(b))

    @reads
    def raise_to(self, base: Number, exponent: int) -> Any:
        """Raise a number to a power.

        Args:
            base: The number.
            exponent: A whole number from -64 to 64.
        """
        try:
            return self._say(power(_exact(base), Fraction(exponent)))
        except ExpressionError as error:
            raise ToolFailure(f"{error}.") from error

    @reads
    def square_root(self, number: Number) -> Any:
        """Work out a square root, to six decimals.

        Args:
            number: A number from 0.
        """
        require(number >= 0, "number is from 0.")
        scaled = _exact(number) * 10**14
        return self._say(Fraction(math.isqrt(math.floor(scaled)), 10**7))

    @reads
    def sum_of(self, numbers: list[Number]) -> Any:
        """Add up a list of numbers.

        Args:
            numbers: The numbers.
        """
        return self._say(_total(numbers))

    @reads
    def mean_of(self, numbers: list[Number]) -> Any:
        """Work out the mean of a list of numbers, to six decimals.

        Args:
            numbers: The numbers, at least one.
        """
        require(bool(numbers), "numbers is empty.")
        return self._say(_total(numbers) / len(numbers))

    @reads
    def median_of(self, numbers: list[Number]) -> Any:
        """Work out the median of a list of numbers.

        Args:
            numbers: The numbers, at least one.
        """
        require(bool(numbers), "numbers is empty.")
        values = sorted(map(_exact, numbers))
        middle = len(values) // 2
        return self._say(values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2)

    @reads
    def largest_of(self, numbers: list[Number]) -> Any:
        """Find the largest of a list of numbers.

        Args:
            numbers: The numbers, at least one.
        """
        require(bool(numbers), "numbers is empty.")
        return self._say(max(map(_exact, numbers)))

    @reads
    def smallest_of(self, numbers: list[Number]) -> Any:
        """Find the smallest of a list of numbers.

        Args:
            numbers: The numbers, at least one.
        """
        require(bool(numbers), "numbers is empty.")
        return self._say(min(map(_exact, numbers)))

    @reads
    def percent_of(self, percent: Number, number: Number) -> Any:
        """Work out so many percent of a number.

        Args:
            percent: How many percent.
            number: The number.
        """
        return self._say(_exact(percent) * _exact(number) / 100)

    @reads
    def percent_change(self, old: Number, new: Number) -> Any:
        """Work out by how many percent a number has changed.

        Args:
            old: The number before, not 0.
            new: The number now.
        """
        require(old != 0, "old is 0.")
        return self._say((_exact(new) - _exact(old)) * 100 / _exact(old))

    @reads
    def round_to(self, number: Number, decimals: int) -> Any:
        """Round a number, halves away from zero.

        Args:
            number: The number.
            decimals: How many decimals stay, 0 to 6.
        """
        require(0 <= decimals <= 6, "decimals is from 0 to 6.")
        return self._say(Fraction(shown(_exact(number), decimals)))

    @reads
    def convert_unit(self, number: Number, unit: Unit, other: Unit) -> Any:
        """Convert a length, a mass or a volume to another unit, to six decimals.

        Args:
            number: How many.
            unit: Of which unit.
            other: The unit of the result.
        """
        (kind, size), (wanted, other_size) = UNITS[unit], UNITS[other]
        require(kind == wanted, f"{unit} is a {kind} and {other} is a {wanted}.")
        return self._say(_exact(number) * size / other_size)

    @reads
    def compound(self, amount: Number, percent: Number, years: int) -> Any:
        """Work out what an amount grows to at a yearly interest, to six decimals.

        Args:
            amount: The amount at the start.
            percent: Percent a year, -50 to 50.
            years: How many years, 0 to 15.
        """
        require(-50 <= percent <= 50, "percent is from -50 to 50.")
        require(0 <= years <= 15, "years is from 0 to 15.")
        rate = Fraction(shown(1 + _exact(percent) / 100, 4))
        return self._say(_exact(amount) * rate**years)

    def _say(self, value: Fraction) -> str:
        try:
            text = shown(bounded(Fraction(value)))
        except ExpressionError as error:
            raise ToolFailure(f"{error}.") from error
        self.show("result", text)
        return text


def _exact(number: Number) -> Fraction:
    """A number as it was written."""
    return Fraction(str(number))


def _total(numbers: Sequence[Number]) -> Fraction:
    return sum(map(_exact, numbers), Fraction(0))
