"""Reads the frame of a failing test: which call of the package went wrong, with its values put in.

What cannot be shown as plain values, or would name files, is left out; the outside words the issue.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import os
import re
import textwrap
import types
from typing import Any

WORK = os.getcwd()
MAX_SHOWN, MAX_CODE, MAX_DEPTH, MAX_LINES = 300, 600, 6, 8
PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))
OPERATORS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
EQUAL = {
    "assertEqual",
    "assertEquals",
    "assertListEqual",
    "assertDictEqual",
    "assertTupleEqual",
    "assertSetEqual",
    "assertSequenceEqual",
    "assertMultiLineEqual",
    "assertIs",
    "assertAlmostEqual",
    "eq_",
}
TRUE, FALSE = {"assertTrue", "assert_"}, {"assertFalse"}


def explain(item: Any, error: BaseException, traceback: Any) -> dict[str, Any]:
    """What goes wrong in a test that failed; a dict of plain values."""
    frame, line = frame_of(item, traceback)
    if frame is None:
        return {"why_not": "no frame of the test"}
    statement, function = statement_at(frame, line)
    if statement is None:
        return {"why_not": "no statement"}
    shown = Shown(frame, function, statement)
    is_own = in_tests(error, traceback, frame)
    told: dict[str, Any] = {}
    raised = None if is_own else {"type": type(error).__name__, "message": str(error)[:MAX_SHOWN]}
    if raised is not None:
        told["raised"] = raised
    kind = shape(statement)
    if kind is None:
        return {"why_not": "no shape", **told}
    name, left, right = kind
    if name == "raises":
        told |= {"code": shown.code(left), "expected_error": ast.unparse(right), "imports": shown.imports}
        return told
    if name == "equal":
        if has_call(shown.made(right)) and not has_call(shown.made(left)):
            left, right = right, left
        told["expected"] = shown.value(right)
    told |= {"shape": name, "code": shown.code(shown.made(left))}
    if raised is None:
        told["observed"] = shown.value(left)
    told["imports"] = shown.imports
    return told


def frame_of(item: Any, traceback: Any) -> tuple[Any, int]:
    """The innermost frame of the test's own file, and the line where it stands."""
    path = str(item.path)
    found = None, 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == path:
            found = traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def in_tests(error: BaseException, traceback: Any, frame: Any) -> bool:
    """Whether the error was raised by the test's own check and not below a call of it."""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    last = traceback.tb_frame
    inner = last.f_code.co_filename
    is_check = isinstance(error, AssertionError) or type(error).__name__ == "Failed"
    return (last is frame and is_check) or (is_check and ("_pytest" in inner or "unittest" in inner or last is frame))


def statement_at(frame: Any, line: int) -> tuple[Any, Any]:
    """The innermost statement at a line of a frame's function, and the function."""
    lines, start = inspect.getsourcelines(frame.f_code)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, start - 1)
    found = None
    for node in ast.walk(tree):
        is_scope = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if isinstance(node, ast.stmt) and not is_scope and node.lineno <= line <= (node.end_lineno or line):
            found = node
    for node in ast.walk(tree):  # the block of `with raises(…)` is told by the whole statement
        if isinstance(node, ast.With) and node.lineno <= line <= (node.end_lineno or line) and raised_by(node):
            found = node
    return found, tree.body[0]


def raised_by(node: ast.With) -> Any:
    """The call of `raises` in a `with` statement; None where there is none."""
    for each in node.items:
        call = each.context_expr
        if (
            isinstance(call, ast.Call)
            and call.args
            and ast.unparse(call.func).split(".")[-1] in ("raises", "assertRaises")
        ):
            return call
    return None


def shape(statement: ast.stmt) -> tuple[str, Any, Any] | None:
    """Kind of a check, and its parts: equal, compared, true, false, raises, or only a call."""
    if isinstance(statement, ast.With):
        call = raised_by(statement)
        body = [each for each in statement.body if isinstance(each, ast.Expr | ast.Assign | ast.Return)]
        if call is not None and len(statement.body) == 1 and body and body[0].value is not None:
            return "raises", body[0].value, call.args[0]
        return None
    if isinstance(statement, ast.Assert):
        test = statement.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            if isinstance(test.ops[0], ast.Eq | ast.Is):
                return "equal", test.left, test.comparators[0]
            return "compared", test, None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return "false", test.operand, None
        return "true", test, None
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Expr) and isinstance(value, ast.Call):
        name = ast.unparse(value.func).split(".")[-1]
        if name in EQUAL and len(value.args) >= 2:
            return "equal", value.args[0], value.args[1]
        if name in TRUE and value.args:
            return "true", value.args[0], None
        if name in FALSE and value.args:
            return "false", value.args[0], None
        if name in ("assertRaises", "raises") and len(value.args) >= 2:
            return "raises", ast.Call(value.args[1], value.args[2:], value.keywords), value.args[0]
        return "call", value, None
    if isinstance(statement, ast.Assign | ast.Return) and value is not None:
        return "call", value, None
    return None


def has_call(node: ast.AST) -> bool:
    """Whether a call stands in an expression."""
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


class Shown:
    """Words expressions of a frame with the values of its variables put in.

    Args:
        frame: The test's.
        function: The syntax tree of its function.
        statement: The failing statement.
    """

    def __init__(self, frame: Any, function: Any, statement: Any) -> None:
        self.frame, self.function, self.statement = frame, function, statement
        self.imports: list[str] = []
        self.setup: dict[str, str] = {}

    def code(self, node: ast.AST) -> str | None:
        """The text of an expression with values for variables; None where it cannot be shown."""
        try:
            put = Values(self).visit(ast.parse(ast.unparse(node), mode="eval")).body
        except NotShownError:
            return None
        text = "\n".join([*self.setup.values(), ast.unparse(ast.fix_missing_locations(put))])
        return text if len(text) <= MAX_CODE and clean(text) else None

    def value(self, node: Any) -> str | None:
        """The value of an expression in the frame, as text; None where it cannot be had or shown."""
        try:
            code = compile(ast.Expression(ast.fix_missing_locations(node)), "<shown>", "eval")
            found = eval(code, self.frame.f_globals, dict(self.frame.f_locals))  # noqa: S307 - the test's own text
        except BaseException:  # noqa: BLE001 - whatever the test's own text does
            return None
        text = literal(found) or short(repr(found))
        return text if text and clean(text) else None

    def definition(self, name: str) -> Any:
        """The statement that a variable was set by before the failing one; None where there is not just one."""
        found: list[Any] = []
        for node in self.function.body:
            if node.lineno >= self.statement.lineno:
                break
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                found.append(node)
            elif isinstance(node, ast.Assign):
                found += [node for target in node.targets if isinstance(target, ast.Name) and target.id == name]
        return found[0] if len(found) == 1 and ast.unparse(found[0]).count("\n") < MAX_LINES else None

    def made(self, node: Any) -> Any:
        """The expression that a variable was set to, where that is a call; else the node itself."""
        statement = self.definition(node.id) if isinstance(node, ast.Name) else None
        value = getattr(statement, "value", None)
        return value if value is not None and has_call(value) else node

    def helper(self, name: str) -> Any:
        """A short function or value that the test's module defines; None where it does not."""
        with open(self.frame.f_code.co_filename, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                return node if ast.unparse(node).count("\n") < MAX_LINES else None
            if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]:
                return node
        return None


class NotShownError(Exception):
    """A name that stands for nothing that can be shown."""


class Values(ast.NodeTransformer):
    """Puts values for variables."""

    def __init__(self, shown: Shown, depth: int = 0) -> None:
        self.shown, self.depth = shown, depth
        self.bound: set[str] = set()

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """Leaves its own names."""
        self.bound |= {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        return self.generic_visit(node)

    def visit_comprehension_owner(self, node: Any) -> Any:
        """Leaves its own names."""
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self.bound.add(each.id)
        return self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_comprehension_owner  # noqa: N815 - the visitor's names
    visit_DictComp = visit_GeneratorExp = visit_comprehension_owner  # noqa: N815

    def visit_Name(self, node: ast.Name) -> Any:
        """A name: a value, an import, or what it was set to."""
        if node.id in self.bound or not isinstance(node.ctx, ast.Load):
            return node
        frame = self.shown.frame
        if node.id in frame.f_locals:
            value = frame.f_locals[node.id]
            text = literal(value)
            if text is not None:
                return ast.parse(text, mode="eval").body
            return self.set_up(node, self.shown.definition(node.id))
        if node.id in frame.f_globals:
            return self.from_module(node)
        if hasattr(builtins, node.id):
            return node
        raise NotShownError(node.id)

    def from_module(self, node: ast.Name) -> Any:
        """A name of the test's module: imported as the module does, or its value."""
        statement = imported(self.shown.frame.f_globals, node.id)
        if statement is not None:
            if statement not in self.shown.imports:
                self.shown.imports.append(statement)
            return node
        text = literal(self.shown.frame.f_globals[node.id])
        if text is None:
            return self.set_up(node, self.shown.helper(node.id))
        return ast.parse(text, mode="eval").body

    def set_up(self, node: ast.Name, statement: Any) -> Any:
        """Puts the statement that makes a name before the call, with what it needs itself."""
        if statement is None or self.depth >= MAX_DEPTH:
            raise NotShownError(node.id)
        if node.id in self.shown.setup:
            return node
        inner = Values(self.shown, self.depth + 1)
        if isinstance(statement, ast.Assign):
            put = ast.Assign(statement.targets, inner.visit(copy.deepcopy(statement.value)), lineno=0)
            text = ast.unparse(ast.fix_missing_locations(put))
        else:
            bare = copy.deepcopy(statement)
            own = {each.arg for each in ast.walk(bare) if isinstance(each, ast.arg)} | {node.id}
            own |= {
                each.id for each in ast.walk(bare) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
            inner.bound = own
            text = ast.unparse(ast.fix_missing_locations(inner.generic_visit(bare)))
        self.shown.setup[node.id] = text
        return node


def imported(module: dict[str, Any], name: str) -> str | None:
    """The statement by which a test's module imports a name from elsewhere; None where it does not."""
    path = module.get("__file__")
    if not path or not path.endswith(".py"):
        return None
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                bound = each.asname or each.name.split(".")[0]
                if bound == name and not each.name.startswith("test"):
                    return f"import {each.name}" + (f" as {each.asname}" if each.asname else "")
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module != "__future__":
            for each in node.names:
                if (each.asname or each.name) == name and not (node.module or "").startswith("test"):
                    return f"from {node.module} import {each.name}" + (f" as {each.asname}" if each.asname else "")
                if each.name == "*" and name in module and not (node.module or "").startswith("test"):
                    return f"from {node.module} import {name}"
    value = module.get(name)
    if isinstance(value, types.ModuleType) and not value.__name__.startswith("test"):
        return f"import {value.__name__}" if value.__name__ == name else None
    return None


def literal(value: Any, depth: int = 0) -> str | None:
    """A value as a literal that makes it again; None where it is none."""
    kind = type(value)
    if kind in PLAIN:
        text = repr(value)
        return text if len(text) <= MAX_SHOWN and text not in ("inf", "nan", "-inf") else None
    if depth > 4 or kind not in (list, tuple, dict, set):
        return None
    if kind is dict:
        parts = [(literal(key, depth + 1), literal(each, depth + 1)) for key, each in value.items()]
        if any(None in part for part in parts):
            return None
        text = "{" + ", ".join(f"{key}: {each}" for key, each in parts) + "}"
    else:
        inner = [shown for each in value if (shown := literal(each, depth + 1)) is not None]
        if len(inner) < len(value) or (kind is set and not inner):
            return None
        comma = "," if kind is tuple and len(inner) == 1 else ""
        joined = ", ".join(sorted(inner) if kind is set else inner) + comma
        text = f"[{joined}]" if kind is list else f"({joined})" if kind is tuple else "{" + joined + "}"
    return text if len(text) <= MAX_SHOWN else None


def short(text: str) -> str | None:
    """A shown value without addresses; None where it is too long or has several lines."""
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    return text if len(text) <= MAX_SHOWN and "\n" not in text else None


def clean(text: str) -> bool:
    """Whether a text names no file of this machine."""
    return WORK not in text and "/agentgym" not in text and "/tmp/" not in text  # noqa: S108 - a beginning of paths
