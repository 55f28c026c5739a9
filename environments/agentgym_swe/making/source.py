"""A Python file as its text and its syntax tree, with the way from one to the other and the functions in it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from agentgym.python_source import parse
from agentgym_swe.repositories.edit import Edit

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SKIPPED_DECORATORS = ("overload", "abstractmethod")


@dataclass(frozen=True)
class Place:
    """Where a node stands: its function, and the statement that it belongs to.

    Attributes:
        function: Qualified name of the function, such as "Version.parse"; "" outside of functions.
        node: The function; None outside.
        statement: The innermost statement.
    """

    function: str
    node: Function | None
    statement: ast.stmt


class SourceFile:
    """One file.

    Args:
        file: Its path in the layer.
        text: Its text.

    Raises:
        SyntaxError: It is no Python of this interpreter, or nests too deeply for it.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.tree = parse(text)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of each node but the root."""
        return {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}

    @cached_property
    def _line_starts(self) -> list[int]:
        lengths = (len(line) for line in self._lines)
        return list(itertools.accumulate(lengths, initial=0))

    @cached_property
    def _lines(self) -> list[str]:
        return list(_split(self.text))

    def offset(self, line: int, column: int) -> int:
        """Characters before a place that the parser names by line and UTF-8 column."""
        start = self._line_starts[line - 1]
        return start + len(self._lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """First character of a node, and the one behind its last."""
        start = self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return start, self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def code(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def replacing(self, node: ast.AST, text: str) -> Edit:
        """The edit that puts a text in place of a node, without what both have in common at their ends."""
        return self.between(*self.span(node), text)

    def between(self, start: int, end: int, text: str) -> Edit:
        """The edit that puts a text in place of a span, without what both have in common at their ends."""
        old = self.text[start:end]
        while start < end and text and old[0] == text[0]:
            start, old, text = start + 1, old[1:], text[1:]
        while start < end and text and old[-1] == text[-1]:
            end, old, text = end - 1, old[:-1], text[:-1]
        return Edit(self.file, start, end, text)

    def removing(self, statement: ast.stmt) -> Edit:
        """The edit that takes a statement out with its lines, or leaves `pass` where its block would be empty."""
        start, end = self.span(statement)
        if self._is_alone(statement):
            return Edit(self.file, start, end, "pass")
        line_start = self.text.rfind("\n", 0, start) + 1
        line_end = self.text.find("\n", end) + 1 or len(self.text)
        is_whole = not self.text[line_start:start].strip() and not self.text[end:line_end].split("#")[0].strip()
        return Edit(self.file, line_start, line_end, "") if is_whole else Edit(self.file, start, end, "pass")

    def _is_alone(self, statement: ast.stmt) -> bool:
        parent = self.parents[statement]
        return any(block == [statement] for block in blocks_of(parent))

    def place(self, node: ast.AST) -> Place:
        """The function and the statement of a node."""
        statement: ast.stmt | None = None
        names: list[str] = []
        function: Function | None = None
        at: ast.AST | None = node
        while at is not None:
            if isinstance(at, ast.stmt) and statement is None:
                statement = at
            if isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef):
                names.append(at.name)
                function = function or at
            elif isinstance(at, ast.ClassDef):
                names.append(at.name)
            at = self.parents.get(at)
        assert statement is not None
        return Place(".".join(reversed(names)) if function is not None else "", function, statement)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """All functions whose bodies may be changed, outer ones first."""
        return tuple(self._functions())

    def _functions(self) -> Iterator[Function]:
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            decorators = {ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list}
            if not decorators & set(_SKIPPED_DECORATORS):
                yield node

    def differs_from(self, text: str) -> bool:
        """Whether another text compiles, and to something other than this one."""
        try:
            return self.means_other(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False

    def means_other(self, text: str) -> bool:
        """Whether another text has another syntax tree than this one.

        Raises:
            SyntaxError: It is no Python.
            ValueError: It holds a NUL.
            RecursionError: It nests too deeply.
            MemoryError: The same.
        """
        tree = parse(text)
        compile(tree, self.file, "exec", dont_inherit=True)
        return ast.dump(tree) != self._dump

    @cached_property
    def _dump(self) -> str:
        return ast.dump(self.tree)


def blocks_of(node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements that a node holds."""
    return [block for name in ("body", "orelse", "finalbody") if isinstance(block := getattr(node, name, None), list)]


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a text alone, as docstrings are."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant | ast.JoinedStr)


def _split(text: str) -> Iterator[str]:
    """Lines with their ends, as the parser counts them; form feeds and the like end no line."""
    start = 0
    while start < len(text):
        end = min((at for at in (text.find("\n", start), text.find("\r", start)) if at >= 0), default=len(text) - 1)
        if text[end : end + 2] == "\r\n":
            end += 1
        yield text[start : end + 1]
        start = end + 1
