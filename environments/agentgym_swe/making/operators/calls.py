"""Mistakes in calls: arguments that are forgotten or exchanged, and methods and functions that are mixed up."""

from __future__ import annotations

import ast

from agentgym_swe.making.operators.expressions import Found
from agentgym_swe.making.source import SourceFile

_METHODS = {
    "lower": "upper",
    "upper": "lower",
    "lstrip": "rstrip",
    "rstrip": "lstrip",
    "strip": "lstrip",
    "startswith": "endswith",
    "endswith": "startswith",
    "find": "rfind",
    "rfind": "find",
    "index": "rindex",
    "split": "rsplit",
    "rsplit": "split",
    "partition": "rpartition",
    "rpartition": "partition",
    "ljust": "rjust",
    "rjust": "ljust",
    "append": "extend",
    "extend": "append",
    "appendleft": "append",
    "popleft": "pop",
    "add": "discard",
    "discard": "add",
    "remove": "append",
    "update": "setdefault",
    "setdefault": "get",
    "keys": "values",
    "values": "keys",
    "items": "keys",
    "pop": "get",
    "get": "pop",
    "match": "search",
    "search": "match",
    "fullmatch": "match",
    "union": "intersection",
    "intersection": "union",
    "isdigit": "isalpha",
    "isalpha": "isdigit",
    "isupper": "islower",
    "islower": "isupper",
    "title": "capitalize",
    "capitalize": "title",
    "group": "groups",
    "insert": "append",
    "encode": "strip",
}
_FUNCTIONS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "sorted": "list",
    "list": "set",
    "tuple": "list",
    "set": "list",
    "str": "repr",
    "repr": "str",
    "int": "float",
    "float": "int",
    "isinstance": "issubclass",
    "getattr": "hasattr",
    "reversed": "list",
    "enumerate": "zip",
    "sum": "max",
    "abs": "int",
    "round": "int",
    "iter": "list",
    "ord": "len",
    "callable": "bool",
    "zip": "chain",
    "dict": "list",
    "frozenset": "tuple",
}


def keyword_dropped(source: SourceFile) -> Found:
    """A call that forgets one of its keyword arguments."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not node.keywords:
            continue
        given = sorted([*node.args, *node.keywords], key=source.span)
        for keyword in node.keywords:
            place = given.index(keyword)
            if keyword.arg is None:
                continue
            if place:
                start, end = source.span(given[place - 1])[1], source.span(keyword)[1]
            elif len(given) > 1:
                start, end = source.span(keyword)[0], source.span(given[1])[0]
            else:
                start, end = source.span(keyword)
            yield node, source.between(start, end, "")


def argument_dropped(source: SourceFile) -> Found:
    """A call that forgets its last positional argument, of several."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and len(node.args) > 1 and not isinstance(node.args[-1], ast.Starred):
            start, end = source.span(node.args[-2])[1], source.span(node.args[-1])[1]
            yield node, source.between(start, end, "")


def arguments_swapped(source: SourceFile) -> Found:
    """Two neighbouring arguments of a call exchanged."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call):
            continue
        for first, second in zip(node.args, node.args[1:], strict=False):
            one, other = source.code(first), source.code(second)
            if isinstance(first, ast.Starred) or isinstance(second, ast.Starred) or one == other:
                continue
            start, end = source.span(first)[0], source.span(second)[1]
            middle = source.text[source.span(first)[1] : source.span(second)[0]]
            yield node, source.between(start, end, other + middle + one)


def method_mixed_up(source: SourceFile) -> Found:
    """A method that is taken for its neighbour, such as `rstrip` for `lstrip`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            end = source.span(node.func)[1]
            yield node, source.between(end - len(node.func.attr), end, _METHODS[node.func.attr])


def function_mixed_up(source: SourceFile) -> Found:
    """A function that is taken for its neighbour, such as `min` for `max`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
            yield node, source.replacing(node.func, _FUNCTIONS[node.func.id])


def call_dropped(source: SourceFile) -> Found:
    """A value that is used as it is, instead of what a function makes of it: `x` for `list(x)` or `x.strip()`."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or isinstance(source.parents.get(node), ast.Expr) or node.keywords:
            continue
        if (
            isinstance(node.func, ast.Name)
            and len(node.args) == 1
            and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp)
        ):
            if node.func.id in ("list", "tuple", "str", "int", "iter", "sorted", "set", "dict", "repr", "abs", "bool"):
                yield node, source.replacing(node, source.code(node.args[0]))
        elif isinstance(node.func, ast.Attribute) and not node.args and node.func.attr in _PASSED:
            yield node, source.replacing(node, source.code(node.func.value))


_PASSED = {"strip", "lstrip", "rstrip", "lower", "upper", "copy", "items", "title", "decode", "encode", "casefold"}
