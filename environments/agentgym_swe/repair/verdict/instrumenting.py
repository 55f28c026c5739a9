"""Test files rewritten so that a recorder sees what they do with a package: calls, operators, attributes, items.

What is recorded, and how it is written down, is in `inside/recorder.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from agentgym.python_source import parse

RECORDER = "__recorder__"
_AS_THEY_ARE = ("super", "locals", "globals", "vars", "dir", "eval", "exec", "__import__", "print")
"""Functions that look at who calls them."""
_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.MatMult: "@",
}  # fmt: skip
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_COMPARED = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def instrumented(text: str) -> str | None:
    """The text of a test file that does the same and has it recorded; None where it is no Python."""
    try:
        tree = parse(text)
        return ast.unparse(ast.fix_missing_locations(_Instrumenter().visit(tree)))
    except (SyntaxError, ValueError, RecursionError):
        return None


class _Instrumenter(ast.NodeTransformer):
    """Puts calls of the recorder in the place of what is recorded."""

    def __init__(self) -> None:
        self.depth = 0

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call of a function, or of a method."""
        source = node.func
        if isinstance(source, ast.Name) and source.id in _AS_THEY_ARE:
            return self.generic(node)
        if isinstance(source, ast.Attribute) and not _is_private(source.attr):
            receiver = self.visit(source.value)
            self._visit_arguments(node)
            return _ask("method", [receiver, ast.Constant(source.attr), *node.args], node.keywords)
        function = self.visit(source)
        self._visit_arguments(node)
        return _ask("call", [function, *node.args], node.keywords)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A value of an object."""
        made = self.generic(node)
        if not isinstance(node.ctx, ast.Load) or _is_private(node.attr):
            return made
        return _ask("get", [node.value, ast.Constant(node.attr)])

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An item of an object."""
        made = self.generic(node)
        index = _index(node.slice)
        return made if index is None or not isinstance(node.ctx, ast.Load) else _ask("item", [node.value, index])

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """An operator of two sides."""
        self.generic(node)
        return _ask("binary", [ast.Constant(_BINARY[type(node.op)]), node.left, node.right])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """An operator of one side."""
        if isinstance(node.operand, ast.Constant) or isinstance(node.op, ast.Not):
            return self.generic(node)
        self.generic(node)
        return _ask("unary", [ast.Constant(_UNARY[type(node.op)]), node.operand])

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """A comparison; chains of them stay."""
        made = self.generic(node)
        if len(node.ops) != 1:
            return made
        return _ask("compare", [ast.Constant(_COMPARED[type(node.ops[0])]), node.left, node.comparators[0]])

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        """What is asserted to be true."""
        is_operator = isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)
        node.test = self.visit(node.test)
        node.msg = None
        if not is_operator:
            node.test = _ask("truth", [node.test])
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """An attribute or an item that is set."""
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Attribute) and not _is_private(target.attr):
            asked = [self.visit(target.value), ast.Constant(target.attr), self.visit(node.value)]
            return ast.Expr(_ask("put", asked))
        if len(node.targets) == 1 and isinstance(target, ast.Subscript):
            index = _index(self.visit(target.slice))
            if index is not None:
                return ast.Expr(_ask("set_item", [self.visit(target.value), index, self.visit(node.value)]))
        self.generic_visit(node)
        return node

    def visit_Delete(self, node: ast.Delete) -> ast.stmt:
        """An item that is taken out."""
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Subscript):
            index = _index(self.visit(target.slice))
            if index is not None:
                return ast.Expr(_ask("delete_item", [self.visit(target.value), index]))
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        """A context that is entered and left."""
        self.generic_visit(node)
        for item in node.items:
            item.context_expr = _ask("context", [item.context_expr])
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        """Items one after another."""
        self.generic_visit(node)
        node.iter = _ask("each", [node.iter])
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """Items one after another."""
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _ask("each", [node.iter])
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """A function without a name, and how it is written."""
        text = ast.unparse(node)
        self.generic_visit(node)
        return _ask("written", [node, ast.Constant(f"made = {text}"), ast.Constant("made")])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        """A function; one inside another with how it is written."""
        return self._defined(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        """A class; one inside a function with how it is written."""
        return self._defined(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """What is annotated, without its annotation's being touched."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """A parameter, whose annotation stays."""
        return node

    def visit_Match(self, node: ast.Match) -> ast.stmt:
        """Patterns are no expressions."""
        return node

    def generic(self, node: ast.expr) -> ast.expr:
        """An expression whose parts alone are rewritten."""
        self.generic_visit(node)
        return node

    def _visit_arguments(self, node: ast.Call) -> None:
        node.args = [self.visit(each) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)

    def _defined(self, node: ast.FunctionDef | ast.ClassDef) -> list[ast.stmt]:
        is_inner, decorators = self.depth > 0, node.decorator_list
        if is_inner:
            node.decorator_list = []
        text = ast.unparse(node)
        is_function = isinstance(node, ast.FunctionDef)
        self.depth += is_function
        if isinstance(node, ast.FunctionDef):
            node.args = self.visit(node.args)
        node.body = [made for each in node.body for made in _listed(self.visit(each))]
        self.depth -= is_function
        if not is_inner:
            return [node]
        name = ast.Name(node.name, ast.Load())
        told = _ask("written", [name, ast.Constant(text), ast.Constant(node.name)])
        made: list[ast.stmt] = [node, ast.Expr(told)]
        for decorator in reversed(decorators):
            called = _ask("call", [self.visit(decorator), name])
            made.append(ast.Assign([ast.Name(node.name, ast.Store())], called))
        return made


def _listed(made: ast.stmt | list[ast.stmt]) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made]


def _ask(name: str, args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> ast.Call:
    function = ast.Attribute(ast.Name(RECORDER, ast.Load()), name, ast.Load())
    return ast.Call(function, list(args), list(keywords))


def _is_private(name: str) -> bool:
    """Whether a class gives a name another spelling."""
    return name.startswith("__") and not name.endswith("__")


def _index(node: ast.expr) -> ast.expr | None:
    """What is between the brackets as a value; None where it cannot be one."""
    if isinstance(node, ast.Slice):
        parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name("slice", ast.Load()), parts, [])
    if isinstance(node, ast.Tuple) and any(isinstance(each, ast.Slice | ast.Starred) for each in node.elts):
        return None
    return node
