"""Test files taken apart: which function a test id names, and what of a file it needs.

What is made of the parts is said in `twins` and `slices`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agentgym.python_source import parse
from agentgym_swe.repositories.layer import Layer

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class TestFunction:
    """One function of a test file.

    Attributes:
        file: The file.
        owner: Names of the classes around it.
        name: Its name.
    """

    __test__ = False

    file: str
    owner: tuple[str, ...]
    name: str


def functions_of(ids: Iterable[str]) -> dict[TestFunction, list[str]]:
    """The functions that test ids name, each with its ids."""
    found: dict[TestFunction, list[str]] = {}
    for test in ids:
        bare = test.partition("[")[0]
        file, *owner = bare.split("::")
        if len(owner) >= 1 and owner[-1].isidentifier():
            found.setdefault(TestFunction(file, tuple(owner[:-1]), owner[-1]), []).append(test)
    return found


class TestFile:
    """A test file and its tree.

    Args:
        text: Its text.

    Raises:
        SyntaxError: It is no Python.
    """

    __test__ = False

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.tree = parse(text)

    def find(self, wanted: TestFunction) -> Function | None:
        """The function of that name and class; None where the file defines none."""
        body: Sequence[ast.stmt] = self.tree.body
        for name in wanted.owner:
            found = [node for node in body if isinstance(node, ast.ClassDef) and node.name == name]
            if not found:
                return None
            body = found[-1].body
        functions = [node for node in body if isinstance(node, Function) and node.name == wanted.name]
        return functions[-1] if functions else None

    def owner_of(self, wanted: TestFunction) -> ast.ClassDef | None:
        """The outermost class around a function."""
        classes = [node for node in self.tree.body if isinstance(node, ast.ClassDef)]
        return next((node for node in classes if wanted.owner and node.name == wanted.owner[0]), None)

    def assigned(self, name: str) -> ast.expr | None:
        """What a name of the file is assigned at its top, where that happens once."""
        found = [
            node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
        ]
        return found[0] if len(found) == 1 else None

    def text_of(self, node: ast.stmt) -> str:
        """The lines of a statement, decorators included."""
        return "".join(self.lines[first_line(node) - 1 : node.end_lineno])

    def without_tests(self, kept: Iterable[str] = ()) -> list[ast.stmt]:
        """Top statements that are no tests, and those classes of tests that others name.

        Args:
            kept: Names of classes that stay in any case.
        """
        named = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)} | set(kept)
        return [node for node in self.tree.body if not is_test(node) or getattr(node, "name", "") in named]


@lru_cache(maxsize=128)
def _parsed(folder: str, file: str, digest: str) -> TestFile | None:
    try:
        with open(f"{folder}/{file}", encoding="utf-8", newline="") as opened:
            return TestFile(opened.read())
    except (OSError, SyntaxError, UnicodeDecodeError, ValueError):
        return None


def parsed(layer: Layer, file: str) -> TestFile | None:
    """A test file of a layer; None where it cannot be parsed."""
    return _parsed(str(layer.folder), file, layer.digest)


def is_test(node: ast.stmt) -> bool:
    """Whether a top statement is a test function or a class of tests."""
    if isinstance(node, Function):
        return node.name.startswith("test")
    if isinstance(node, ast.ClassDef):
        return any(isinstance(inner, Function) and inner.name.startswith("test") for inner in node.body)
    return False


def first_line(node: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def parameters_of(function: Function, file: TestFile | None = None) -> Iterator[tuple[tuple[str, ...], list[ast.expr]]]:
    """Names and rows of each `parametrize` above a function, where its rows are written out.

    Args:
        function: The function.
        file: Its file, in which rows that have a name are looked up; None takes none that have one.
    """
    for decorator in function.decorator_list:
        if not (isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.parametrize")):
            continue
        rows = _written_out(decorator.args[1], file) if len(decorator.args) > 1 else []
        if not rows:
            yield (), []
            continue
        try:
            names = ast.literal_eval(decorator.args[0])
        except ValueError:
            yield (), []
            continue
        if isinstance(names, str):
            names = [name.strip() for name in names.split(",") if name.strip()]
        yield tuple(map(str, names)), rows


def _written_out(table: ast.expr, file: TestFile | None) -> list[ast.expr]:
    """The rows of a table that is written out, has a name in the file, or is a sum of such; [] for others."""
    if isinstance(table, ast.List | ast.Tuple):
        return table.elts
    if isinstance(table, ast.BinOp) and isinstance(table.op, ast.Add):
        left, right = (_written_out(side, file) for side in (table.left, table.right))
        return [*left, *right] if left and right else []
    if isinstance(table, ast.Call) and getattr(table.func, "id", "") in ("list", "tuple") and len(table.args) == 1:
        return _written_out(table.args[0], file)
    found = file.assigned(table.id) if isinstance(table, ast.Name) and file is not None else None
    return [] if found is None else _written_out(found, file)


def literal(node: ast.expr | None) -> tuple[bool, object]:
    """Whether an expression is written out, and its value."""
    if node is None:
        return False, None
    try:
        return True, ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False, None
