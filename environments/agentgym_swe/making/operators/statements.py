"""Mistakes in statements: guards, branches, loops and assignments that are missing or go another way."""

from __future__ import annotations

import ast
import itertools
import re

from agentgym_swe.making.operators.expressions import Found
from agentgym_swe.making.source import SourceFile, blocks_of
from agentgym_swe.repositories.edit import Edit

_LEAVES = ast.Return | ast.Raise | ast.Continue | ast.Break


def guard(source: SourceFile) -> Found:
    """An early exit that is missing: `if …: return`, `raise` or `continue`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.If) and _is_exit(node) and not _is_elif(source, node):
            yield node, source.removing(node)


def condition(source: SourceFile) -> Found:
    """A block that runs always or never, because its condition is forgotten."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.If) and not isinstance(node.test, ast.Constant):
            yield node.test, source.replacing(node.test, "True")
            yield node.test, source.replacing(node.test, "False")


def branch(source: SourceFile) -> Found:
    """An `elif` that is missing."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.If) and _is_elif(source, node):
            start, end = source.span(node)
            if node.orelse:
                first = node.orelse[0]
                end = source.span(first)[0] if _is_elif(source, first) else _else_start(source, node)
                if end < 0:
                    continue
                yield node, source.between(start, end, "")
            else:
                start = source.text.rfind("\n", 0, start) + 1
                yield node, source.between(start, min(end + 1, len(source.text)), "")


def else_removed(source: SourceFile) -> Found:
    """An `else` that is missing, of `if`, `for`, `while` or `try`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.If | ast.For | ast.While | ast.Try) and node.orelse:
            if len(node.orelse) == 1 and _is_elif(source, node.orelse[0]):
                continue
            start = _else_start(source, node)
            if start >= 0:
                line = source.text.rfind("\n", 0, start) + 1
                end = source.span(node.orelse[-1])[1]
                yield node, source.between(line, min(end + 1, len(source.text)), "")


def statement(source: SourceFile) -> Found:
    """A call for its effect, or a `raise` or `del`, that is missing."""
    for node in ast.walk(source.tree):
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)
        if isinstance(node, ast.stmt) and (is_call or isinstance(node, ast.Raise | ast.Delete)):
            yield node, source.removing(node)


def assignment(source: SourceFile) -> Found:
    """An assignment that is missing, or that forgets what was there: `x = 1` for `x += 1`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.AugAssign):
            start, end = source.span(node.target)[1], source.span(node.value)[0]
            found = re.search(r"\S+=", source.text[start:end])
            if found:
                yield node, source.between(start + found.start(), start + found.end(), "=")
        elif isinstance(node, ast.Assign):
            target = node.targets[0]
            is_kept = isinstance(target, ast.Attribute | ast.Subscript)
            if is_kept or (isinstance(target, ast.Name) and _is_again(source, node)):
                yield node, source.removing(node)


def loop_exit(source: SourceFile) -> Found:
    """`continue` for `break`, the other way round, or neither; a `return` that leaves a loop too late."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Break | ast.Continue):
            other = "continue" if isinstance(node, ast.Break) else "break"
            start, end = source.span(node)
            yield node, Edit(source.file, start, end, other)
            yield node, Edit(source.file, start, end, "pass")


def handler(source: SourceFile) -> Found:
    """An exception handler that lets its exception pass, or swallows it."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler):
            first, last = node.body[0], node.body[-1]
            start, end = source.span(first)[0], source.span(last)[1]
            if not (len(node.body) == 1 and isinstance(first, ast.Raise | ast.Pass)):
                yield first, source.between(start, end, "raise")
            elif isinstance(first, ast.Raise):
                yield first, source.between(start, end, "pass")


def late_return(source: SourceFile) -> Found:
    """A `return` that slipped into the loop before it."""
    blocks = (block for node in ast.walk(source.tree) for block in blocks_of(node))
    for first, second in (pair for block in blocks for pair in itertools.pairwise(block)):
        if isinstance(first, ast.For | ast.While) and isinstance(second, ast.Return) and not first.orelse:
            start = source.span(second)[0]
            line = source.text.rfind("\n", 0, start) + 1
            inner = source.span(first.body[0])[0]
            indent = source.text[source.text.rfind("\n", 0, inner) + 1 : inner]
            if not source.text[line:start].strip() and not indent.strip():
                # The loop is named: what leaves it early never comes to the return.
                yield first, source.between(line, start, indent)


def _is_exit(node: ast.If) -> bool:
    """Whether a condition does nothing but leave."""
    return not node.orelse and len(node.body) == 1 and isinstance(node.body[0], _LEAVES)


def _is_elif(source: SourceFile, node: ast.AST) -> bool:
    return isinstance(node, ast.If) and source.text.startswith("elif", source.span(node)[0])


def _else_start(source: SourceFile, node: ast.If | ast.For | ast.While | ast.Try) -> int:
    """Where the word `else` of a statement begins; -1 where it is not found."""
    before = node.handlers[-1] if isinstance(node, ast.Try) and node.handlers else node.body[-1]
    start, end = source.span(before)[1], source.span(node.orelse[0])[0]
    found = list(re.finditer(r"^[ \t]*(else)\s*:", source.text[start:end], re.MULTILINE))
    return start + found[-1].start(1) if found else -1


def _is_again(source: SourceFile, node: ast.Assign) -> bool:
    """Whether a variable had a value before this assignment, as far as the text tells."""
    place = source.place(node)
    if place.node is None:
        return False
    assert isinstance(node.targets[0], ast.Name)
    name = node.targets[0].id
    parameters = [*place.node.args.posonlyargs, *place.node.args.args, *place.node.args.kwonlyargs]
    if any(each.arg == name for each in parameters):
        return True
    stores = (each for each in ast.walk(place.node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
    return any(each.id == name and each.lineno < node.lineno for each in stores)
