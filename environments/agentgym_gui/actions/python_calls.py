"""Python source as a tree and literals as values, by an `ast` whitelist: nothing is ever run.

Which calls mean what is up to `pyautogui` and `uitars`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from agentgym.python_source import in_words, parse, without_warnings
from agentgym_gui.actions.events import ActionError, shown
from agentgym_gui.actions.values import MAX_TEXT

MAX_SOURCE = 20_000
"""Longest source, in characters, that is read."""
MAX_DEPTH = 16
"""Deepest nesting of brackets, statements and arithmetic."""
_LARGEST = 10**12
_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


def statements(source: str) -> list[ast.stmt]:
    """The statements of a source.

    Raises:
        ActionError: It is too long, nested too deeply, or no Python.
    """
    if len(source) > MAX_SOURCE:
        raise ActionError(f"The code has {len(source)} characters; at most {MAX_SOURCE} are read. Write less.")
    if "\0" in source:
        raise ActionError("The code has a NUL character, which is no Python. Leave it out.")
    _refuse_depth(source)
    try:
        return parse(without_warnings(source)).body
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        raise ActionError(f"The code is no valid Python: {error.msg}{where}.") from None
    except ValueError as error:
        raise ActionError(f"The code cannot be read ({error}). Write it more simply.") from None


def value_of(node: ast.expr, names: Mapping[str, int], depth: int = 0) -> Any:
    """The value of a literal, of arithmetic on literals, or of a loop's variable.

    Args:
        node: The expression.
        names: Values of loop variables.
        depth: How deep it stands in others.

    Raises:
        ActionError: It is anything else, or its value is too large.
    """
    if depth > MAX_DEPTH:
        raise ActionError(f"An expression is nested deeper than {MAX_DEPTH}. Write the value itself.")
    match node:
        case ast.Constant(value=str() | bool() | int() | float() | None as value):
            return _small(value)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [value_of(item, names, depth + 1) for item in items]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(value_of(operand, names, depth + 1))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _number(value_of(operand, names, depth + 1))
        case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, _OPERATORS):
            return _computed(value_of(left, names, depth + 1), operator, value_of(right, names, depth + 1))
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Name(id=name):
            raise ActionError(f"{name[:40]} is no literal. Write the number or the quoted text itself.")
    raise ActionError(f"Only literals and arithmetic on them are read, got {in_words(node)}. Write the value itself.")


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ActionError(f"Arithmetic needs numbers, got {shown(value)}.")
    return value


def _computed(left: Any, operator: ast.operator, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str) and isinstance(operator, ast.Add):
        return _small(left + right)
    if isinstance(left, str) and isinstance(operator, ast.Mult):
        count = _number(right)
        if not isinstance(count, int) or len(left) * max(count, 0) > MAX_TEXT:
            raise ActionError(f"A repeated text has at most {MAX_TEXT} characters. Write less.")
        return left * count
    a, b = _number(left), _number(right)
    try:
        match operator:
            case ast.Add():
                return _small(a + b)
            case ast.Sub():
                return _small(a - b)
            case ast.Mult():
                return _small(a * b)
            case ast.Div():
                return _small(a / b)
            case ast.FloorDiv():
                return _small(a // b)
            case _:
                return _small(a % b)
    except (ZeroDivisionError, OverflowError):
        raise ActionError(
            "An arithmetic expression divides by zero or is too large. Write the number itself."
        ) from None


def _small(value: Any) -> Any:
    """A value that is small enough to compute with."""
    if isinstance(value, int | float) and not abs(value) <= _LARGEST:  # so is NaN
        raise ActionError("A number is too large. Write a smaller one.")
    return value


def _refuse_depth(source: str) -> None:
    """Refuse nesting that Python's parser would need long for."""
    depth = 0
    for character in _STRING.sub("", source):
        if character in "([{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ActionError(f"Brackets are nested deeper than {MAX_DEPTH}. Write it more simply.")
        elif character in ")]}":
            depth -= 1
