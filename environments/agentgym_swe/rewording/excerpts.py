"""Short programs made of what a test does with a package: the steps of a tape that lead to one value, or its text.

What a tape is says `repair/inside/recorder.py`. Whether a program shows the fault is found out in `demonstrating`.
"""

from __future__ import annotations

import ast
import builtins
import copy
import keyword
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from agentgym.python_source import parse, parse_expression
from agentgym_swe.repair.verdict.test_source import TestFile, is_test

MAX_LINES, MAX_TEXT, MAX_INLINE = 22, 900, 90
_MAX_LONG = 10_000
Step = tuple[int, str]
"""Number and expression of a step; `v[3]` in it is what step 3 gave."""
_INNER = re.compile(r"_(?!_)\w|__\w+(?<!__)$")


class NoExcerptError(Exception):
    """What a tape does cannot be told: it needs an inner name, a file, or too many lines."""


@dataclass(frozen=True)
class Excerpt:
    """A program.

    Attributes:
        imports: Statements that it needs.
        code: The rest; its last line gives the value.
    """

    imports: tuple[str, ...]
    code: str

    @property
    def text(self) -> str:
        """The whole program."""
        return "\n".join([*self.imports, self.code])

    @property
    def is_short(self) -> bool:
        """Whether it can stand in an issue."""
        return len(self.code) <= MAX_TEXT and self.code.count("\n") < MAX_LINES


@dataclass(frozen=True)
class Around:
    """What is known of a test beside its tape.

    Attributes:
        names: By "module:name" the module from which a name can be imported.
        raising: Numbers of the steps that raise.
        files: The test's file and those that it takes names from.
    """

    names: Mapping[str, str]
    raising: Set[int]
    files: Sequence[TestFile]


def excerpt_of(tape: Sequence[Step], last: int, around: Around, *, is_whole: bool = False) -> Excerpt:
    """The steps that a step needs, and the step.

    Args:
        tape: All steps of a test, in order.
        last: The number of the step whose value is shown.
        around: What else is known of the test.
        is_whole: Whether steps come along that may have changed what those steps use.

    Raises:
        NoExcerptError: It cannot be told.
    """
    known = dict(tape)
    needed = _needed(known, [last])
    if is_whole:
        for number, text in tape:
            if number < last and number not in needed | around.raising and refs_of(text) & needed:
                needed |= _needed(known, [number])
    return _Writer([(number, known[number]) for number in sorted(needed)], around).excerpt()


def excerpts_of_body(function: ast.FunctionDef, files: Sequence[TestFile]) -> Iterator[Excerpt]:
    """What a test does up to each of its checks, where it needs nothing but the names of its file.

    Args:
        function: The test.
        files: As in `excerpt_of`.
    """
    if [each.arg for each in function.args.args if each.arg != "self"]:
        return
    before: list[ast.stmt] = []
    for statement in function.body:
        for last in _checked(statement):
            body = ast.Module([*before, last], [])
            try:
                yield _Writer([], Around({}, frozenset(), files)).of_statements(body)
            except (NoExcerptError, SyntaxError, ValueError, RecursionError):
                continue
        before += _checked(statement) if _is_check(statement) else [statement]


def _is_check(statement: ast.stmt) -> bool:
    """Whether a statement checks something and makes nothing."""
    return isinstance(statement, ast.Assert | ast.With) or ast.unparse(statement).startswith("self.assert")


def _checked(statement: ast.stmt) -> list[ast.stmt]:
    """What a statement of a test looks at, as statements; [] where that is not clear."""
    value: ast.expr | None = getattr(statement, "value", None)
    if isinstance(statement, ast.Assert):
        test = statement.test
        value = test.left if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq | ast.Is) else test
    elif isinstance(statement, ast.With):
        is_raises = "aises" in ast.unparse(statement.items[0].context_expr)
        return statement.body if is_raises and len(statement.body) == 1 else []
    elif isinstance(statement, ast.Expr) and ast.unparse(statement).startswith("self.assert"):
        assert isinstance(value, ast.Call)
        if "aises" in ast.unparse(value.func):
            value = ast.Call(value.args[1], value.args[2:], value.keywords) if len(value.args) > 1 else None
        elif value.args:
            sign = "in" if ast.unparse(value.func).endswith("In") else ""
            value = ast.Compare(value.args[0], [ast.In()], [value.args[1]]) if sign else value.args[0]
    elif not isinstance(statement, ast.Expr):
        return []
    return [ast.Expr(value)] if value is not None and not isinstance(value, ast.Constant) else []


def refs_of(text: str) -> set[int]:
    """Numbers of the steps that an expression uses."""
    return {_number(node) for node in ast.walk(parse_expression(text)) if _is_ref(node)}


def _needed(known: Mapping[int, str], waiting: list[int]) -> set[int]:
    found: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number not in known:
            raise NoExcerptError(f"step {number} is missing")
        if number not in found:
            found.add(number)
            waiting += refs_of(known[number])
    return found


def _is_ref(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "v"


def _number(node: ast.AST) -> int:
    assert isinstance(node, ast.Subscript)
    return int(ast.literal_eval(node.slice))


def is_inner(name: str) -> bool:
    """Whether a dotted name has an inner part."""
    return any(_INNER.match(part) for part in name.split("."))


@dataclass
class _Writer:
    """Writes steps as statements.

    Attributes:
        steps: The steps.
        around: What else is known of the test.
    """

    steps: Sequence[Step]
    around: Around
    imports: dict[str, None] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    made: dict[int, ast.expr] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def excerpt(self) -> Excerpt:
        """The program."""
        uses = Counter(
            _number(node) for _, text in self.steps for node in ast.walk(parse_expression(text)) if _is_ref(node)
        )
        lines: list[str] = []
        for place, (number, text) in enumerate(self.steps):
            is_last = place == len(self.steps) - 1
            node = _Put(self).visit(copy.deepcopy(parse_expression(text)))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "define":
                lines += self._defined(number, node)
                continue
            then = set() if is_last else refs_of(self.steps[place + 1][1])
            written = _as_statement(node) or ast.unparse(ast.fix_missing_locations(node))
            if is_last or not uses[number]:
                lines.append(written)
            elif number in self.around.raising:
                name = self._fresh(ast.Name("error", ast.Load()))
                self.made[number] = ast.Name(name, ast.Load())
                lines.append(f"try:\n    {written}\nexcept Exception as error:\n    {name} = error")
            elif uses[number] == 1 and number in then and len(written) <= MAX_INLINE:
                self.made[number] = node
            else:
                name = self._fresh(node)
                self.made[number] = ast.Name(name, ast.Load())
                lines.append(f"{name} = {written}")
        code = "\n".join([*self.before.values(), *lines])
        if len(code) > _MAX_LONG:
            raise NoExcerptError("it is too long")
        return Excerpt(tuple(self.imports), code)

    def of_statements(self, body: ast.Module) -> Excerpt:
        """A program of statements, after what they take from the test's file."""
        text = ast.unparse(ast.fix_missing_locations(body))
        if "pytest" in text:
            raise NoExcerptError("it needs the test tool")
        self._take_names(text, set())
        code = "\n".join([*self.before.values(), text])
        if len(code) > _MAX_LONG:
            raise NoExcerptError("it is too long")
        return Excerpt(tuple(self.imports), code)

    def _take_names(self, text: str, known: set[str]) -> None:
        """Bring in what a text reads and does not make itself."""
        self._refuse_inner(text)
        tree = parse(text)
        own = _bound(tree) | known
        for each in ast.walk(tree):
            if isinstance(each, ast.Name) and each.id not in own and not hasattr(builtins, each.id):
                self.top(each.id)

    def _defined(self, number: int, node: ast.Call) -> Iterator[str]:
        """A function or class of the test, after what it takes from around it."""
        text, name, around = node.args
        assert isinstance(text, ast.Constant)
        assert isinstance(name, ast.Constant)
        assert isinstance(around, ast.Dict)
        inner = ast.unparse(parse(str(text.value)))
        for key, value in zip(around.keys, around.values, strict=True):
            assert isinstance(key, ast.Constant)
            if ast.unparse(value) != key.value:
                yield f"{key.value!s} = {ast.unparse(value)}"
        self._take_names(inner, {str(key.value) for key in around.keys if isinstance(key, ast.Constant)})
        self.made[number] = ast.Name(str(name.value), ast.Load())
        self.taken.add(str(name.value))
        yield inner

    def _refuse_inner(self, text: str) -> None:
        for each in ast.walk(parse(text)):
            name = getattr(each, "attr", None) or getattr(each, "id", None) or ""
            if is_inner(str(name)):
                raise NoExcerptError(f"{name} is an inner name")

    def _fresh(self, node: ast.expr) -> str:
        """A name for a value: that of its class, or "value"."""
        made = ast.unparse(node.func).split(".")[-1] if isinstance(node, ast.Call) else ""
        name = made.lower() if made[:1].isupper() and made.isidentifier() else "value"
        if keyword.iskeyword(name) or hasattr(builtins, name):
            name = "value"
        number = 1
        while (fresh := name + (str(number) if number > 1 else "")) in self.taken:
            number += 1
        self.taken.add(fresh)
        return fresh

    def imported(self, module: str, name: str) -> ast.expr:
        """Something that is imported by its public name."""
        if module == "builtins":
            return parse_expression(name)
        if not name:
            if is_inner(module):
                raise NoExcerptError(f"{module} is an inner module")
            self.imports[f"import {module}"] = None
            return parse_expression(module)
        if module == "_operator" and name in ("setitem", "delitem"):
            return ast.Name(name, ast.Load())
        module = self.around.names.get(f"{module}:{name}", module).removeprefix("_")
        if is_inner(f"{module}.{name}"):
            raise NoExcerptError(f"{module}.{name} is an inner name")
        top = name.partition(".")[0]
        statement = f"from {module} import {top}"
        others = [each for each in self.imports if each.endswith(f" import {top}") and each != statement]
        if others:
            raise NoExcerptError(f"{top} has two meanings")
        self.imports[statement] = None
        self.taken.add(top)
        return parse_expression(name)

    def top(self, name: str) -> None:
        """Bring in what the test's file defines or imports by a name."""
        if name in self.before or name in self.taken:
            return
        for node in (node for file in self.around.files for node in file.tree.body):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for each in node.names:
                    is_of_tests = getattr(node, "level", 0) or getattr(node, "module", "") in ("tests", "test")
                    if (each.asname or each.name) == name and not is_of_tests:
                        self._take_import(node, each)
                        return
            names = [getattr(node, "name", "")]
            names += [ast.unparse(each) for each in getattr(node, "targets", ())]
            if name in names and not is_test(node):
                text = ast.unparse(node)
                self.taken.add(name)
                self._take_names(text, set())
                self.before[name] = text
                return
        stars = [
            node.module
            for file in self.around.files[:1]
            for node in file.tree.body
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and node.module and not node.level
        ]
        if not stars:
            raise NoExcerptError(f"{name} is not known")
        self.imports |= {f"from {module} import *": None for module in stars if not is_inner(module)}

    def _take_import(self, node: ast.Import | ast.ImportFrom, each: ast.alias) -> None:
        other = f" as {each.asname}" if each.asname else ""
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        if (
            is_inner(each.name)
            or is_inner(module)
            or module.partition(".")[0] in ("test", "tests")
            or each.name.startswith("test")
        ):
            raise NoExcerptError(f"{each.name} is an inner name")
        self.imports[f"from {module} import {each.name}{other}" if module else f"import {each.name}{other}"] = None
        self.taken.add(each.asname or each.name)


class _Put(ast.NodeTransformer):
    """Puts names and values for what stands in a tape for them."""

    def __init__(self, writer: _Writer) -> None:
        self.writer = writer
        self.bound: set[str] = set()

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """The value of a step."""
        if _is_ref(node):
            made = self.writer.made.get(_number(node))
            if made is None:
                raise NoExcerptError(f"step {_number(node)} has no value")
            return copy.deepcopy(made)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A name that is imported."""
        called = getattr(node.func, "id", "")
        if called == "t":
            raise NoExcerptError("it needs a file")
        if called == "n":
            module, name = (ast.literal_eval(each) for each in node.args)
            return self.writer.imported(module, name)
        if called == "define":
            return ast.Call(node.func, [*node.args[:2], self.visit(node.args[2])], [])
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute, which must not be an inner one."""
        if is_inner(node.attr):
            raise NoExcerptError(f"{node.attr} is an inner name")
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name of the test's file."""
        if not hasattr(builtins, node.id) and node.id != "define":
            self.writer.top(node.id.partition(".")[0])
        return node


def _as_statement(node: ast.expr) -> str:
    """A step that sets or deletes something, as a statement; "" for others."""
    if not isinstance(node, ast.Call):
        return ""
    called, parts = ast.unparse(node.func), [ast.unparse(each) for each in node.args]
    if called == "setattr" and len(parts) == 3 and str(ast.literal_eval(node.args[1])).isidentifier():
        return f"{parts[0]}.{ast.literal_eval(node.args[1])} = {parts[2]}"
    if called == "setitem" and len(parts) == 3:
        return f"{parts[0]}[{parts[1]}] = {parts[2]}"
    return f"del {parts[0]}[{parts[1]}]" if called == "delitem" and len(parts) == 2 else ""


def _bound(tree: ast.AST) -> set[str]:
    """Names that a piece of text binds itself."""
    own = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
    own |= {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    own |= {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    return own | {each.name for each in ast.walk(tree) if isinstance(each, ast.ExceptHandler) and each.name}
