"""Twins: copies of tests under random names, some of which must fail, so that code which forges gives itself away.

A twin that must fail expects another value, denies what is asserted, or ends with something false. Tests whose text is
not in their file, such as inherited ones, are copied by their names. How each comes out is found out on the original;
`judge` compares.
"""

from __future__ import annotations

import ast
import copy
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentgym.python_source import parse, parse_expression
from agentgym_swe.repair.verdict.slices import changed_value
from agentgym_swe.repair.verdict.test_source import (
    Function,
    TestFile,
    TestFunction,
    functions_of,
    literal,
    parameters_of,
    parsed,
)
from agentgym_swe.repositories.layer import Layer

MAX_FUNCTIONS = 5
MAX_ROWS = 6
"""Rows of parameters of a twin."""
_PLACEHOLDER = "twin_place_{number}_{kind}"
_BY_NAME = {
    "true": "if hasattr({holder}, {name!r}):\n    {holder}.{place} = {holder}.{name}\n",
    "false": (
        "if hasattr({holder}, {name!r}):\n"
        "    @__import__('functools').wraps({holder}.{name})\n"
        "    def {place}(self, *args, **kwargs):\n"
        "        {holder}.{name}(self, *args, **kwargs)\n"
        "        assert len('xxx') == {wrong}\n"
        "    {holder}.{place} = {place}\n"
        "    del {place}\n"
    ),
}
"""Text of a twin by its kind, for a test that a class has without its text."""
_EQUAL = ("assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual", "eq_")


@dataclass(frozen=True)
class TwinFile:
    """A file of twins, whose names are still to be drawn.

    Attributes:
        folder: Where it is put, "" for the top.
        text: Its text, with a placeholder for the name of each function.
        functions: Placeholders, each with the classes around it.
    """

    folder: str
    text: str
    functions: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Drawn:
    """Twins with names.

    Attributes:
        files: Texts by path.
        ids: What pytest is asked to run: file and function, without parameters.
        places: By the beginning of an id the placeholder that it stands for.
    """

    files: Mapping[str, str]
    ids: tuple[str, ...]
    places: Mapping[str, str]

    def outcomes(self, by_id: Mapping[str, str]) -> dict[str, str]:
        """Outcomes by placeholder and parameters, whatever the names are."""
        found = {}
        for test, outcome in by_id.items():
            bare, bracket, parameters = test.partition("[")
            if bare in self.places:
                found[self.places[bare] + bracket + parameters] = outcome
        return found


def twin_files(layer: Layer, failing: Sequence[str], others: Sequence[str], seed: int) -> list[TwinFile]:
    """Twins of functions that failing tests come from, and of one or two others.

    Args:
        layer: The package.
        failing: Ids of tests that fail on the broken package.
        others: Ids of tests that pass on it.
        seed: Of the values that are expected instead.
    """
    rng = random.Random(seed)
    first = list(functions_of(failing))
    rest = [function for function in functions_of(others) if function not in first]
    chosen = rng.sample(first, min(len(first), MAX_FUNCTIONS - 1))
    chosen += rng.sample(rest, min(len(rest), max(1, MAX_FUNCTIONS - len(chosen))))
    by_file: dict[str, list[TestFunction]] = {}
    for function in chosen:
        by_file.setdefault(function.file, []).append(function)
    made, number = [], 0
    for path, functions in by_file.items():
        file = parsed(layer, path)
        if file is not None:
            twin = _file_of(file, path, functions, number, rng)
            number += len(functions)
            if twin.functions:
                made.append(twin)
    return made


def draw(files: Iterable[TwinFile]) -> Drawn:
    """Give the twins names that nobody can know."""
    texts: dict[str, str] = {}
    ids: list[str] = []
    places: dict[str, str] = {}
    for file in files:
        text = file.text
        path = "/".join(part for part in (file.folder, f"test_{secrets.token_hex(5)}.py") if part)
        for place, owner in file.functions.items():
            name = f"test_{secrets.token_hex(6)}"
            text = text.replace(place, name)
            ids.append("::".join((path, *owner, name)))
            places[ids[-1]] = place
        texts[path] = text
    secrets.SystemRandom().shuffle(ids)
    return Drawn(texts, tuple(ids), places)


def _file_of(file: TestFile, path: str, functions: Sequence[TestFunction], number: int, rng: random.Random) -> TwinFile:
    owners = {wanted.owner[0] for wanted in functions if wanted.owner}
    parts: dict[str, list[str]] = {name: [] for name in owners}
    tops: list[str] = []
    placed: dict[str, tuple[str, ...]] = {}
    for offset, wanted in enumerate(functions):
        places = {kind: _PLACEHOLDER.format(number=number + offset, kind=kind) for kind in ("true", "false")}
        function = None if len(wanted.owner) > 1 else file.find(wanted)
        if function is None and not wanted.owner:
            continue
        placed |= dict.fromkeys(places.values(), wanted.owner)
        if function is None:
            tops += [_named(wanted, kind, place, rng) for kind, place in places.items()]
            continue
        function = _with_few_rows(function, rng)
        kinds = [("true", copy.deepcopy(function)), ("false", _failing(function, rng))]
        rng.shuffle(kinds)
        for kind, made in kinds:
            made.name = places[kind]
            (parts[wanted.owner[0]] if wanted.owner else tops).append(ast.unparse(made))
    texts = []
    for node in file.without_tests(owners):
        if isinstance(node, ast.ClassDef) and node.name in owners:
            texts.append(_class_with(node, parts[node.name]))
        else:
            texts.append(file.text_of(node))
    return TwinFile(path.rpartition("/")[0], "\n".join([*texts, *tops]) + "\n", placed)


def _named(wanted: TestFunction, kind: str, place: str, rng: random.Random) -> str:
    """A twin of a test that is known by its name alone."""
    holder, wrong = ".".join(wanted.owner), rng.randrange(10, 99)
    return _BY_NAME[kind].format(holder=holder, name=wanted.name, place=place, wrong=wrong)


def _class_with(node: ast.ClassDef, functions: Sequence[str]) -> str:
    """A class of tests with these instead of its own."""
    made = copy.deepcopy(node)
    made.body = [inner for inner in made.body if not (isinstance(inner, Function) and inner.name.startswith("test"))]
    for text in functions:
        made.body += parse(text).body
    made.body = made.body or [ast.Pass()]
    return ast.unparse(made)


def _with_few_rows(function: Function, rng: random.Random) -> Function:
    """A copy whose parameters have only some of their rows."""
    made = copy.deepcopy(function)
    for decorator in made.decorator_list:
        if not (isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.parametrize")):
            continue
        if len(decorator.args) < 2 or decorator.keywords:
            continue
        rows = decorator.args[1]
        if isinstance(rows, ast.List | ast.Tuple):
            kept = sorted(rng.sample(range(len(rows.elts)), min(len(rows.elts), MAX_ROWS)))
            rows.elts = [rows.elts[number] for number in kept]
        elif isinstance(rows, ast.Name | ast.Attribute):
            decorator.args[1] = copy.deepcopy(parse_expression(f"list({ast.unparse(rows)})[:{MAX_ROWS}]"))
    return ast.fix_missing_locations(made)


def _failing(function: Function, rng: random.Random) -> Function:
    """A copy that fails on right code."""
    made = copy.deepcopy(function)
    asserts = [node for node in _plain_statements(made.body) if _sides(node)]
    if asserts:
        node = rng.choice(asserts)
        sides = _sides(node)
        for side in reversed(sides):
            if _expect_another(side, made, rng):
                return made
    truths = [node for node in _plain_statements(made.body) if isinstance(node, ast.Assert)]
    if truths:
        node = truths[-1]
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return ast.fix_missing_locations(made)
    wrong = rng.randrange(10, 99)
    made.body = [*made.body, parse(f"assert len({'x' * 3!r}) == {wrong}").body[0]]
    return ast.fix_missing_locations(made)


def _plain_statements(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements that surely run, in order: those of the body and of its `with` blocks, but for expected failures."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.With) and "raises" not in ast.unparse(node.items[0].context_expr).lower():
            found += _plain_statements(node.body)
        else:
            found.append(node)
    return found


def _sides(node: ast.stmt) -> list[ast.expr]:
    """Both sides of an assertion of equality; () for other statements."""
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1:
        return [node.test.left, node.test.comparators[0]] if isinstance(node.test.ops[0], ast.Eq) else []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and len(node.value.args) >= 2:
        called = node.value.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in _EQUAL:
            return list(node.value.args[:2])
    return []


def _expect_another(side: ast.expr, function: Function, rng: random.Random) -> bool:
    """Change what is expected, where it is written out: in place, or in the rows of parameters."""
    is_literal, _ = literal(side)
    if is_literal:
        return _alter(side, rng)
    if not isinstance(side, ast.Name) or _is_handed_on(side.id, function):
        return False
    for statement in function.body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == side.id for target in statement.targets
        ):
            return literal(statement.value)[0] and _alter(statement.value, rng)
    for names, elements in parameters_of(function):
        if side.id in names:
            at = names.index(side.id)
            cells = [_cell(element, at, len(names)) for element in elements]
            altered = [cell is not None and literal(cell)[0] and _alter(cell, rng) for cell in cells]
            return bool(altered) and all(altered)
    return False


def _is_handed_on(name: str, function: Function) -> bool:
    """Whether a name is an argument of a call, but for assertions: what it stands for is an input then."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call) and not _sides(ast.Expr(node)))
    arguments = (each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords)))
    return any(isinstance(each, ast.Name) and each.id == name for each in arguments)


def _cell(element: ast.expr, at: int, count: int) -> ast.expr | None:
    if isinstance(element, ast.Call) and ast.unparse(element.func).endswith("param"):
        return element.args[at] if at < len(element.args) else None
    if count == 1:
        return element
    if isinstance(element, ast.Tuple | ast.List) and at < len(element.elts):
        return element.elts[at]
    return None


def _alter(node: ast.expr, rng: random.Random) -> bool:
    """Make a written-out value another one, in place."""
    if isinstance(node, ast.Constant):
        if node.value is None or node.value is Ellipsis:
            node.value = rng.randrange(10, 99)
        elif isinstance(node.value, bytes | complex):
            node.value = f"x{rng.randrange(100)}"
        else:
            value = changed_value(node.value, rng)
            while value == node.value:
                value = changed_value(value, rng)
            node.value = value
        return True
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        node.elts = [*node.elts, ast.Constant(f"{rng.randrange(10**6):x}")]
        return True
    if isinstance(node, ast.Dict):
        node.keys = [*node.keys, ast.Constant(f"{rng.randrange(10**6):x}")]
        node.values = [*node.values, ast.Constant(rng.randrange(100))]
        return True
    if isinstance(node, ast.UnaryOp):
        return _alter(node.operand, rng)
    return False
