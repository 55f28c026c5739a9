from fractions import Fraction

import pytest

from agentgym_tools.maths.values import Form, is_near_tie, read_value, write_value


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (" 42\n", "integer", 42),
        ("-7", "integer", -7),
        (42, "integer", 42),
        (42.0, "integer", 42),
        ("84/2", "integer", 42),
        ("6/14", "fraction", Fraction(3, 7)),
        ("-3 / 7", "fraction", Fraction(-3, 7)),
        ("0.25", "fraction", Fraction(1, 4)),
        (0.1, "fraction", Fraction(1, 10)),
        ("-0.5", "decimal", Fraction(-1, 2)),
        ("12.5", "decimal", Fraction(25, 2)),
        ("9" * 400, "integer", int("9" * 400)),
    ],
)
def test_values_of_a_form_are_read_as_numbers(value: str | float, form: Form, expected: Fraction | int) -> None:
    assert read_value(value, form) == expected


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("", "integer"),
        ("7/2", "integer"),
        ("1.5", "integer"),
        ("2 + 40", "integer"),
        ("1e3", "integer"),
        ("1,234", "integer"),
        ("٤٢", "integer"),
        ("42 or 43", "integer"),
        ("9" * 401, "integer"),
        ("1/0", "fraction"),
        ("1/2/3", "fraction"),
        (float("nan"), "fraction"),
        (float("inf"), "integer"),
        ("12.505", "decimal"),
    ],
)
def test_other_texts_are_no_value_of_the_form(value: str | float, form: Form) -> None:
    assert read_value(value, form) is None


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [(Fraction(25, 2), "decimal", "12.50"), (Fraction(2, 3), "decimal", "0.67"), (Fraction(6, 14), "fraction", "3/7")],
)
def test_values_are_written_as_an_answer_gives_them(number: Fraction, form: Form, text: str) -> None:
    assert write_value(number, form) == text


def test_ties_of_rounding_are_found() -> None:
    assert is_near_tie(Fraction("12.505"))
    assert is_near_tie(Fraction("-12.5050001"))
    assert not is_near_tie(Fraction("12.504"))
