"""Runs programs of PatchLine-v0: a tree becomes nested functions that compute as Python does, in a counted budget.

What an agent wrote is never given to Python's own `exec` or `eval`. That results are Python's is compared in the tests.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from agentgym_swe.patch_line.language import read_program

MAX_STEPS = 5_000
MAX_NUMBER = 10**12
MAX_ITEMS = 200

Scope = dict[str, Any]
Compute = Callable[[Scope], Any]
Act = Callable[[Scope, "_Budget"], Any]
_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}  # fmt: skip
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Gt: operator.gt, ast.Lt: operator.lt, ast.GtE: operator.ge, ast.LtE: operator.le, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
_GOES_ON = object()
"""What a statement gives that does not return."""


class Result(NamedTuple):
    """What a call of a program came to.

    Attributes:
        value: What it returned; None if it failed.
        error: The name of the error that ended it, such as "ZeroDivisionError"; "" for none.
    """

    value: Any = None
    error: str = ""

    def __str__(self) -> str:
        return self.error or repr(self.value)


class _LimitError(Exception):
    """A program uses more than it may."""


class _Budget:
    def __init__(self) -> None:
        self.left = MAX_STEPS

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _LimitError("TimeoutError")


def run(lines: Sequence[str], arguments: Sequence[Any]) -> Result:
    """Call a program.

    Args:
        lines: Its lines.
        arguments: Its arguments; they are not changed.

    Raises:
        ProgramError: It is no program.
    """
    names, body = _compiled(tuple(lines))
    if len(names) != len(arguments):
        return Result(error="TypeError")
    try:
        value = body(dict(zip(names, arguments, strict=True)), _Budget())
    except _LimitError as error:
        return Result(error=str(error))
    except NameError:
        return Result(error="NameError")
    except (TypeError, ZeroDivisionError) as error:
        return Result(error=type(error).__name__)
    return Result(None if value is _GOES_ON else value)


@lru_cache(maxsize=4096)
def _compiled(lines: tuple[str, ...]) -> tuple[list[str], Act]:
    function = read_program(lines)
    return [argument.arg for argument in function.args.args], _block(function.body)


def _block(body: Sequence[ast.stmt]) -> Act:
    acts = [_statement(each) for each in body]

    def act(scope: Scope, budget: _Budget) -> Any:
        for each in acts:
            budget.spend()
            value = each(scope, budget)
            if value is not _GOES_ON:
                return value
        return _GOES_ON

    return act


def _statement(node: ast.stmt) -> Act:
    if isinstance(node, ast.Return):
        compute = _expression(node.value) if node.value is not None else lambda scope: None
        return lambda scope, budget: compute(scope)
    if isinstance(node, ast.Assign):
        assert isinstance(node.targets[0], ast.Name)
        return _assign(node.targets[0].id, _expression(node.value))
    if isinstance(node, ast.If):
        return _if(_expression(node.test), _block(node.body), _block(node.orelse))
    assert isinstance(node, ast.For)
    assert isinstance(node.target, ast.Name)
    return _for(node.target.id, _expression(node.iter), _block(node.body), _block(node.orelse))


def _assign(name: str, compute: Compute) -> Act:
    def act(scope: Scope, budget: _Budget) -> Any:
        scope[name] = compute(scope)
        return _GOES_ON

    return act


def _if(test: Compute, then: Act, otherwise: Act) -> Act:
    return lambda scope, budget: (then if test(scope) else otherwise)(scope, budget)


def _for(name: str, items: Compute, body: Act, otherwise: Act) -> Act:
    def act(scope: Scope, budget: _Budget) -> Any:
        for item in items(scope):
            budget.spend()
            scope[name] = item
            value = body(scope, budget)
            if value is not _GOES_ON:
                return value
        return otherwise(scope, budget)

    return act


def _expression(node: ast.expr) -> Compute:
    if isinstance(node, ast.Constant):
        value = node.value
        return lambda scope: value
    if isinstance(node, ast.Name):
        return _name(node.id)
    if isinstance(node, ast.BinOp):
        return _binary(_BINARY[type(node.op)], _expression(node.left), _expression(node.right))
    if isinstance(node, ast.BoolOp):
        return _boolean(isinstance(node.op, ast.And), [_expression(each) for each in node.values])
    assert isinstance(node, ast.Compare)
    pairs = [(_COMPARE[type(op)], _expression(right)) for op, right in zip(node.ops, node.comparators, strict=True)]
    return _compare(_expression(node.left), pairs)


def _name(name: str) -> Compute:
    def compute(scope: Scope) -> Any:
        if name not in scope:
            raise NameError(name)
        return scope[name]

    return compute


def _binary(op: Callable[[Any, Any], Any], left: Compute, right: Compute) -> Compute:
    def compute(scope: Scope) -> Any:
        one, other = left(scope), right(scope)
        if op is operator.mul and list in (type(one), type(other)) and max(_size(one), _size(other)) > MAX_ITEMS:
            raise _LimitError("MemoryError")
        value = op(one, other)
        if isinstance(value, list):
            if len(value) > MAX_ITEMS:
                raise _LimitError("MemoryError")
        elif not -MAX_NUMBER <= value <= MAX_NUMBER:
            raise _LimitError("OverflowError")
        return value

    return compute


def _size(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(value)


def _boolean(is_and: bool, parts: Sequence[Compute]) -> Compute:
    def compute(scope: Scope) -> Any:
        value: Any = None
        for part in parts:
            value = part(scope)
            if bool(value) is not is_and:
                break
        return value

    return compute


def _compare(first: Compute, pairs: Sequence[tuple[Callable[[Any, Any], bool], Compute]]) -> Compute:
    def compute(scope: Scope) -> Any:
        left, holds = first(scope), True
        for op, right in pairs:
            value = right(scope)
            holds = op(left, value)
            if not holds:
                break
            left = value
        return holds

    return compute
