"""Functions of a source file by their qualified names, and the name under which the file is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentgym.python_source import parse


@dataclass(frozen=True)
class Definition:
    """Where a function is defined.

    Attributes:
        name: Its qualified name, such as "Version.parse"; one inside another has no part between their names.
        line: The line of its `def`, counted from 1.
        is_nested: Whether it is defined inside another function.
    """

    name: str
    line: int
    is_nested: bool


def definitions(text: str) -> list[Definition]:
    """The functions of a file; [] for a text that is no Python."""
    try:
        return list(_below(parse(text), "", is_nested=False))
    except (SyntaxError, ValueError):
        return []


def module_name(path: str, python_path: Sequence[str]) -> str:
    """The name under which a file is imported.

    Args:
        path: The file, in its tree.
        python_path: What of the tree is in front of `sys.path`.
    """
    inner = path
    for entry in python_path:
        if entry != "." and path.startswith(f"{entry}/"):
            inner = path.removeprefix(f"{entry}/")
    return inner.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _below(node: ast.AST, outer: str, *, is_nested: bool) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{child.name}" if outer else child.name
            if is_function:
                yield Definition(name, child.lineno, is_nested)
            yield from _below(child, name, is_nested=is_nested or is_function)
        else:
            yield from _below(child, outer, is_nested=is_nested)
