"""Probes made of tests: their bodies with what they expect cut out, so that only inputs and calls are left.

Each `assert` becomes a call that takes down the value of the side that is computed. Names that only held what was
expected are cut out too. What the values are on the original is found out by `probes`.
"""

from __future__ import annotations

import ast
import copy
import itertools
import random
from collections.abc import Iterable, Sequence

from agentgym.python_source import parse
from agentgym_swe.repair.verdict.test_source import (
    Function,
    TestFile,
    TestFunction,
    literal,
    parameters_of,
)

MAX_CASES = 40
"""Rows of parameters that are taken of one function."""
PROBE = "__probe__"
FRESH = 2
"""Changed copies of each recorded expression."""
_EQUAL = {"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertSetEqual"}
_EQUAL |= {"assertSequenceEqual", "assertMultiLineEqual", "assertIs", "assertAlmostEqual", "assertCountEqual"}
_TRUTH = {"assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"}


def group_of(file: TestFile, functions: Iterable[TestFunction], rng: random.Random) -> tuple[list[str], dict[str, str]]:
    """The statements that probe what these functions test.

    Args:
        file: Where they are.
        functions: The functions.
        rng: Draws changed inputs.

    Returns:
        Statements, and by the key of each case the name of the function it is made of; keys of changed inputs end
        with "+".
    """
    statements = [file.text_of(node) for node in file.without_tests() if not runs_by_itself(node)]
    cases: dict[str, str] = {}
    classes: set[str] = set()
    for number, wanted in enumerate(functions):
        function = file.find(wanted)
        if not isinstance(function, ast.FunctionDef):
            continue
        owner = file.owner_of(wanted)
        if owner is not None and (len(wanted.owner) > 1 or not wanted.owner):
            continue
        rows = _rows(function, file, is_method=owner is not None)
        if rows is None:
            continue
        if owner is not None and owner.name not in classes:
            classes.add(owner.name)
            statements.append(ast.unparse(_without_tests(owner)))
        changed_rows = [_changed_row(row, rng) for row in rows]
        with_rows = any(changed_rows)
        for mark, body in (("", _Cutter(None)), ("+", _Cutter(None if with_rows else rng))):
            name = f"probe_{number}{'_changed' if mark else ''}"
            cut = _cut(function, body, name)
            if cut is None:
                continue
            statements.append(cut)
            called = f"{name}" if owner is None else f"{name}, {PROBE}.instance({owner.name})"
            for index, row in enumerate(changed_rows if mark and with_rows else rows):
                if mark and with_rows and not row:
                    continue
                key = f"{number}.{index}{mark}"
                arguments = _passed(row, _loaded(parse(cut)))
                first = called.partition(", ")[2]
                given = ", ".join([part for part in (first, arguments) if part])
                statements.append(f"{PROBE}.case({key!r}, lambda: {name}({given}))")
                cases[key] = wanted.name
    return without_unread(statements), cases


def without_unread(statements: list[str]) -> list[str]:
    """Statements but for tables that nothing reads any more: they may hold what is expected."""
    kept = [(text, parse(text)) for text in statements]
    while True:
        loaded = {name for _, tree in kept for name in _loaded(tree)}
        left = [(text, tree) for text, tree in kept if not _is_unread_table(tree, loaded)]
        if len(left) == len(kept):
            return [text for text, _ in kept]
        kept = left


def _is_unread_table(tree: ast.Module, loaded: set[str]) -> bool:
    node = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(node, ast.Assign):
        return False
    names = [each.id for each in node.targets if isinstance(each, ast.Name)]
    return len(names) == len(node.targets) and not loaded & set(names)


def _changed_row(row: dict[str, ast.expr], rng: random.Random) -> dict[str, ast.expr]:
    """A row with one of its constants changed; {} where it has none."""
    names = [name for name, value in row.items() if isinstance(value, ast.Constant) and is_plain(value.value)]
    if not names:
        return {}
    name = rng.choice(names)
    value = row[name]
    assert isinstance(value, ast.Constant)
    return {**row, name: ast.Constant(changed_value(value.value, rng))}


def is_plain(value: object) -> bool:
    """Whether a value is a number, a text or a truth."""
    return type(value) in (int, str, float, bool)


def runs_by_itself(node: ast.stmt) -> bool:
    """Whether a statement is there for a program rather than for tests."""
    return isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)


def _without_tests(owner: ast.ClassDef) -> ast.ClassDef:
    """A class of tests with nothing but its other parts."""
    made = copy.deepcopy(owner)
    made.body = [node for node in made.body if not (isinstance(node, Function) and node.name.startswith("test"))]
    made.body = made.body or [ast.Pass()]
    return made


def _rows(function: ast.FunctionDef, file: TestFile, *, is_method: bool) -> list[dict[str, ast.expr]] | None:
    """Values of the parameters for each case; None where they come from elsewhere, such as fixtures."""
    wanted = [argument.arg for argument in function.args.args][1 if is_method else 0 :]
    defaults = wanted[len(wanted) - len(function.args.defaults) :] if function.args.defaults else []
    tables: list[list[dict[str, ast.expr]]] = []
    for names, elements in parameters_of(function, file):
        if not elements:
            return None
        table = []
        for element in elements:
            if isinstance(element, ast.Call) and ast.unparse(element.func).endswith("param"):
                values = list(element.args)
            elif len(names) == 1:
                values = [element]
            elif isinstance(element, ast.Tuple | ast.List):
                values = list(element.elts)
            else:
                return None
            if len(values) != len(names):
                return None
            table.append(dict(zip(names, values, strict=True)))
        tables.append(table)
    given = {name for table in tables for name in table[0]}
    if any(name not in given and name not in defaults for name in wanted) or not given <= set(wanted):
        return None
    rows = [{key: value for part in parts for key, value in part.items()} for parts in itertools.product(*tables)]
    return rows[:: max(1, len(rows) // MAX_CASES)][:MAX_CASES]


def _passed(row: dict[str, ast.expr], loaded: set[str]) -> str:
    """The arguments of a case; what the cut function never reads stays here."""
    return ", ".join(f"{name}={ast.unparse(value) if name in loaded else 'None'}" for name, value in row.items())


def _cut(function: ast.FunctionDef, cutter: _Cutter, name: str) -> str | None:
    """The function without what it expects; None where nothing is left to take down."""
    made = copy.deepcopy(function)
    made.name, made.decorator_list, made.returns = name, [], None
    cutter.expectations |= {argument.arg for argument in function.args.args}
    made.body = cutter.body(made.body) or [ast.Pass()]
    _drop_unread(made)
    if not cutter.count:
        return None
    return ast.unparse(ast.fix_missing_locations(made))


def _drop_unread(function: ast.FunctionDef) -> None:
    """Take out assignments of written-out values to names that nothing reads any more."""
    while True:
        loaded = _loaded(function)
        dropper = _Dropper(loaded)
        dropper.visit(function)
        if not dropper.count:
            return


def _loaded(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


class _Dropper(ast.NodeTransformer):
    def __init__(self, loaded: set[str]) -> None:
        self.loaded, self.count = loaded, 0

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        targets = [each for each in node.targets if isinstance(each, ast.Name)]
        is_unread = len(targets) == len(node.targets) and not any(each.id in self.loaded for each in targets)
        if not is_unread or not literal(node.value)[0]:
            return node
        self.count += 1
        return ast.Pass()


class _Cutter:
    """Turns assertions into calls that take values down.

    Args:
        rng: Draws changed inputs; None leaves them as they are.
    """

    def __init__(self, rng: random.Random | None) -> None:
        self.rng = rng
        self.count = 0
        self.expectations: set[str] = set()

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements of a block."""
        found: list[ast.stmt] = []
        for statement in statements:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, ast.Name) and literal(statement.value)[0]:
                    self.expectations.add(target.id)
            found += self.statement(statement)
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """What stands in place of one statement."""
        if isinstance(node, ast.Assert):
            return self.asserted(node.test)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self.called(node)
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, None)
            if isinstance(inner, list) and inner and not isinstance(node, Function | ast.ClassDef):
                setattr(node, name, self.body(inner) or [ast.Pass()])
        if isinstance(node, ast.With):
            self.count += any("raises" in ast.unparse(item.context_expr) for item in node.items)
        for handler in getattr(node, "handlers", []):
            handler.body = self.body(handler.body) or [ast.Pass()]
        return [node]

    def asserted(self, test: ast.expr) -> list[ast.stmt]:
        """An assertion."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return [statement for part in test.values for statement in self.asserted(part)]
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.Is):
            return self.compared([test.left, test.comparators[0]])
        return self.taken("truth", test)

    def called(self, node: ast.Expr) -> list[ast.stmt]:
        """A call on its own: an assertion of unittest, or something that is done."""
        call = node.value
        assert isinstance(call, ast.Call)
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in _EQUAL and len(call.args) >= 2:
            return self.compared(call.args[:2])
        if name in _TRUTH and call.args:
            return self.taken("truth" if name in ("assertTrue", "assertFalse") else "value", call.args[0])
        if name == "assertRaises" and len(call.args) > 1:
            made = ast.Call(call.args[1], list(call.args[2:]), call.keywords)
            return self.taken("value", made)
        if name.startswith("assert"):
            return [made for part in call.args if not literal(part)[0] for made in self.taken("truth", part)]
        return [node]

    def compared(self, sides: Sequence[ast.expr]) -> list[ast.stmt]:
        """Both sides of a comparison, but for what is expected."""
        computed = [side for side in sides if self.is_computed(side)] or [side for side in sides if _calls(side)]
        return [made for side in computed for made in self.taken("value", side)]

    def is_computed(self, side: ast.expr) -> bool:
        """Whether a side calls something, or names what was computed before."""
        if literal(side)[0]:
            return False
        if isinstance(side, ast.Name):
            return side.id not in self.expectations and side.id not in ("expected", "expect", "result_expected")
        return _calls(side) or isinstance(side, ast.Attribute | ast.Subscript | ast.BinOp | ast.Compare)

    def taken(self, how: str, expression: ast.expr) -> list[ast.stmt]:
        """Statements that take down an expression; with changed inputs where they are wanted."""
        if any(isinstance(inner, ast.Yield | ast.Await | ast.NamedExpr) for inner in ast.walk(expression)):
            return []
        copies = [expression]
        if self.rng is not None:
            copies = [made for _ in range(FRESH) if (made := _changed(expression, self.rng)) is not None]
        self.count += len(copies)
        return [_taking(how, each) for each in copies]


def _taking(how: str, expression: ast.expr) -> ast.stmt:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    taker = ast.Attribute(ast.Name(PROBE, ast.Load()), how, ast.Load())
    return ast.Expr(ast.Call(taker, [ast.Lambda(nothing, copy.deepcopy(expression))], []))


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def _changed(expression: ast.expr, rng: random.Random) -> ast.expr | None:
    """The expression with one or two of the constants in its calls changed; None where it has none."""
    made = copy.deepcopy(expression)
    constants = [
        node
        for call in ast.walk(made)
        if isinstance(call, ast.Call)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for node in ast.walk(argument)
        if isinstance(node, ast.Constant) and is_plain(node.value)
    ]
    if not constants:
        return None
    for node in rng.sample(constants, min(len(constants), rng.choice((1, 1, 2)))):
        node.value = changed_value(node.value, rng)
    return made


def changed_value(value: object, rng: random.Random) -> int | str | float | bool:
    """Another value of the same type, near the one that is there."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-2, -1, 1, 2, 3))
    if isinstance(value, float):
        return value + rng.choice((-1.5, -0.5, 0.25, 1.0))
    text = str(value)
    if not text:
        return rng.choice("abcxyz019 ")
    at = rng.randrange(len(text))
    way = rng.randrange(3)
    if way == 0:
        return text[:at] + text[at] + text[at:]
    if way == 1:
        return text[:at] + text[at + 1 :]
    other = rng.choice("abcxyz" if text[at].isalpha() else "0123456789" if text[at].isdigit() else text)
    return text[:at] + other + text[at + 1 :]
