"""Mistakes in expressions: comparisons, logic, arithmetic, bounds and choices."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentgym_swe.making.source import SourceFile
from agentgym_swe.repositories.edit import Edit

Found = Iterator[tuple[ast.AST, Edit]]
"""What an operator finds: the node that tells the place, and the edit."""

_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("+", "//"),
    ast.Div: ("*", "//"),
    ast.FloorDiv: ("%", "/"),
    ast.Mod: ("//",),
    ast.Pow: ("*",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
}


def comparison(source: SourceFile) -> Found:
    """A comparison with another operator, such as "<=" for "<"."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            for other in _COMPARISONS[type(node.ops[0])]:
                yield from _between(source, node, (node.left, node.comparators[0]), _SYMBOLS[type(node.ops[0])], other)


def boolean(source: SourceFile) -> Found:
    """`and` for `or`, and the other way round."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BoolOp):
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for pair in zip(node.values, node.values[1:], strict=False):
                yield from _between(source, node, pair, old, new)


def arithmetic(source: SourceFile) -> Found:
    """An arithmetic operator for another, also in `+=`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BinOp) and not _is_text(node.left):
            for other in _ARITHMETIC.get(type(node.op), ()):
                yield from _between(source, node, (node.left, node.right), _SYMBOLS[type(node.op)], other)
        elif isinstance(node, ast.AugAssign) and not _is_text(node.value):
            for other in _ARITHMETIC.get(type(node.op), ()):
                yield from _between(source, node, (node.target, node.value), _SYMBOLS[type(node.op)], other)


def off_by_one(source: SourceFile) -> Found:
    """A bound, an index or a length that is one too large or too small."""
    for node in ast.walk(source.tree):
        parent = source.parents.get(node)
        if isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value < 1000:
            if isinstance(parent, ast.Subscript | ast.Slice | ast.Compare | ast.BinOp | ast.UnaryOp):
                yield node, source.replacing(node, str(node.value + 1))
                if node.value > 0:
                    yield node, source.replacing(node, str(node.value - 1))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "len" and not isinstance(parent, ast.BinOp):
                yield node, source.replacing(node, f"{source.code(node)} - 1")
            elif node.func.id == "range" and node.args and not isinstance(node.args[-1], ast.Constant | ast.Starred):
                yield node, source.replacing(node.args[-1], f"{source.code(node.args[-1])} - 1")


def negation(source: SourceFile) -> Found:
    """A condition with `not` where there was none, or without where there was one."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, source.replacing(node, source.code(node.operand))
        elif isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert) and not _is_constant(node.test):
            if isinstance(node.test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
                yield node.test, source.replacing(node.test, f"not {source.code(node.test)}")
            elif isinstance(node.test, ast.BoolOp):
                yield node.test, source.replacing(node.test, f"not ({source.code(node.test)})")


def condition_part(source: SourceFile) -> Found:
    """A part of `a and b` or `a or b` that is forgotten."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.BoolOp):
            continue
        for number, value in enumerate(node.values):
            if number:
                start, end = source.span(node.values[number - 1])[1], source.span(value)[1]
            else:
                start, end = source.span(value)[0], source.span(node.values[1])[0]
            if _is_balanced(source.text[start:end]):
                yield value, source.between(start, end, "")


def choice(source: SourceFile) -> Found:
    """`a if c else b` with its sides exchanged."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.IfExp):
            body, orelse, test = source.code(node.body), source.code(node.orelse), source.code(node.test)
            if all(map(_is_balanced, (body, orelse, test))) and "\n" not in source.code(node):
                yield node, source.replacing(node, f"{orelse} if {test} else {body}")


def operands(source: SourceFile) -> Found:
    """The two sides of a subtraction, division or addition of texts exchanged."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Add):
            left, right = source.code(node.left), source.code(node.right)
            is_simple = all(
                isinstance(each, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
                for each in (node.left, node.right)
            )
            if is_simple and left != right:
                middle = source.text[source.span(node.left)[1] : source.span(node.right)[0]]
                if _is_balanced(middle):
                    yield node, source.replacing(node, right + middle + left)


def slice_bound(source: SourceFile) -> Found:
    """A slice without one of its bounds."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Slice):
            for bound in (node.lower, node.upper, node.step):
                if bound is not None:
                    yield bound, source.replacing(bound, "")


def index(source: SourceFile) -> Found:
    """The first element for the last, and the other way round; the first for the second of a pair."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Subscript):
            shown = source.code(node.slice)
            for other in {"0": ("-1",), "-1": ("0",), "1": ("0",)}.get(shown, ()):
                yield node, source.replacing(node.slice, other)


def _between(source: SourceFile, node: ast.AST, sides: tuple[ast.AST, ast.AST], old: str, new: str) -> Found:
    """The edit of an operator that stands between two nodes, where nothing but brackets and spaces does."""
    start, end = source.span(sides[0])[1], source.span(sides[1])[0]
    middle = source.text[start:end]
    if " ".join(middle.replace("(", " ").replace(")", " ").split()).removesuffix("=") != old:
        return
    found = source.text.find(old.split()[0], start)
    stop = source.text.find(old.split()[-1], found) + len(old.split()[-1]) if " " in old else found + len(old)
    yield node, source.between(found, stop, new)


def _is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
