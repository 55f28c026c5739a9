"""Mistakes in values: constants, defaults, what is returned, and names that are taken for one another."""

from __future__ import annotations

import ast
from typing import TypeGuard

from agentgym_swe.making.operators.expressions import Found
from agentgym_swe.making.source import Function, SourceFile, is_docstring

_MAX_TEXT = 40
_EXCEPTIONS = {
    "KeyError": "IndexError",
    "IndexError": "KeyError",
    "ValueError": "TypeError",
    "TypeError": "ValueError",
    "AttributeError": "KeyError",
    "StopIteration": "IndexError",
    "RuntimeError": "ValueError",
    "LookupError": "ValueError",
    "NotImplementedError": "ValueError",
    "ImportError": "AttributeError",
    "UnicodeDecodeError": "UnicodeEncodeError",
    "OverflowError": "ValueError",
    "ZeroDivisionError": "ValueError",
}


def constant(source: SourceFile) -> Found:
    """Another constant: True for False, a number for its neighbour, a text that lost or gained a letter."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Constant) or _is_aside(source, node):
            continue
        value, shown = node.value, source.code(node)
        if isinstance(value, bool):
            yield node, source.replacing(node, str(not value))
        elif isinstance(value, int) and not isinstance(source.parents[node], ast.Subscript | ast.Slice | ast.Compare):
            if shown.isdigit():
                yield node, source.replacing(node, str(value + 1) if value < 2 else str(value * 10))
        elif isinstance(value, str) and 0 < len(value) <= _MAX_TEXT and shown[0] in "'\"" and shown[1:2] != shown[:1]:
            inner = shown[1:-1]
            if "\\" not in inner and len(inner) > 1:
                yield node, source.replacing(node, f"{shown[0]}{inner[:-1]}{shown[0]}")
            elif inner == " ":
                yield node, source.replacing(node, shown[0] * 2)
            elif inner in _LIKE:
                yield node, source.replacing(node, f"{shown[0]}{_LIKE[inner]}{shown[0]}")


_LIKE = {",": ";", ".": ",", "-": "_", "_": "-", ":": ";", "/": "-", "(": "[", ")": "]", "+": "-", "*": "+", "'": "`"}


def default(source: SourceFile) -> Found:
    """A parameter with another default."""
    for function in source.functions:
        for node in [*function.args.defaults, *filter(None, function.args.kw_defaults)]:
            if not isinstance(node, ast.Constant) or node.value is None:
                continue
            value = node.value
            if isinstance(value, bool):
                yield node, source.replacing(node, str(not value))
            elif isinstance(value, int) and source.code(node).isdigit():
                yield node, source.replacing(node, str(value + 1))
            elif isinstance(value, str) and len(value) <= _MAX_TEXT and source.code(node)[0] in "'\"":
                yield node, source.replacing(node, "None" if value else "' '")


def returned(source: SourceFile) -> Found:
    """A `return` that forgets its value, exchanges the parts of a tuple, or returns the opposite."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        value = node.value
        if isinstance(value, ast.Constant) and value.value is None:
            continue
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            yield node, source.replacing(value, str(not value.value))
        elif isinstance(value, ast.Tuple) and len(value.elts) == 2:
            first, second = map(source.code, value.elts)
            start, end = source.span(value.elts[0])[0], source.span(value.elts[1])[1]
            yield node, source.between(start, end, f"{second}, {first}")
        else:
            start = source.span(node)[0] + len("return")
            yield node, source.between(start, source.span(node)[1], "")


def exception_type(source: SourceFile) -> Found:
    """Another kind of exception, raised or caught."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            named = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(named, ast.Name) and named.id in _EXCEPTIONS:
                yield node, source.replacing(named, _EXCEPTIONS[named.id])
        elif isinstance(node, ast.ExceptHandler) and node.type is not None:
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            for kind in kinds:
                if isinstance(kind, ast.Name) and kind.id in _EXCEPTIONS:
                    yield node.type, source.replacing(kind, _EXCEPTIONS[kind.id])


def wrong_variable(source: SourceFile) -> Found:
    """A name of the function for another that is known there."""
    for function in source.functions:
        known = _own_names(function)
        if len(known) < 2:
            continue
        for node in _own_nodes(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in known:
                other = known[(known.index(node.id) + 1) % len(known)]
                yield node, source.replacing(node, other)


def attribute(source: SourceFile) -> Found:
    """An attribute of `self` for another that the class sets."""
    for owner in ast.walk(source.tree):
        if not isinstance(owner, ast.ClassDef):
            continue
        names = sorted({node.attr for node in ast.walk(owner) if _is_of_self(node) and isinstance(node.ctx, ast.Store)})
        for node in ast.walk(owner):
            if _is_of_self(node) and isinstance(node.ctx, ast.Load) and node.attr in names and len(names) > 1:
                other = names[(names.index(node.attr) + 1) % len(names)]
                end = source.span(node)[1]
                yield node, source.between(end - len(node.attr), end, other)


def element(source: SourceFile) -> Found:
    """An element of a tuple, list or set that is forgotten."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Tuple | ast.List | ast.Set) or not 2 <= len(node.elts) <= 8:
            continue
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or _is_aside(source, node):
            continue
        start, end = source.span(node.elts[-2])[1], source.span(node.elts[-1])[1]
        is_pair = isinstance(node, ast.Tuple) and len(node.elts) == 2
        yield node, source.between(start, end, "," if is_pair else "")


def _own_names(function: Function) -> list[str]:
    """Parameters and variables of a function, in the order in which they are named."""
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    names = [each.arg for each in arguments if each.arg not in ("self", "cls")]
    stored = [
        node.id for node in _own_nodes(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return list(dict.fromkeys(names + stored))


def _own_nodes(function: Function) -> list[ast.AST]:
    """Nodes of a function's body but for those of functions and classes within it."""
    waiting: list[ast.AST] = list(function.body)
    found = []
    while waiting:
        node = waiting.pop(0)
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return found


def _is_of_self(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_aside(source: SourceFile, node: ast.AST) -> bool:
    """Whether a value is a docstring, an annotation, part of an f-string, a message of an exception, or a default."""
    at: ast.AST = node
    while not isinstance(at, ast.stmt):
        parent = source.parents[at]
        if isinstance(parent, ast.JoinedStr | ast.FormattedValue | ast.Raise | ast.arguments | ast.arg):
            return True
        if getattr(parent, "annotation", None) is at or getattr(parent, "returns", None) is at:
            return True
        at = parent
    if isinstance(at, ast.Assign) and any(
        isinstance(each, ast.Name) and each.id.startswith("__") for each in at.targets
    ):
        return True
    return is_docstring(at) or isinstance(at, ast.Raise | ast.Assert | ast.ImportFrom)
