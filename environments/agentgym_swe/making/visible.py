"""Which tests an agent may see: without the failing ones, all, or none.

A test is taken out of its file's text; the rest of the file stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from agentgym.errors import ConfigError
from agentgym.python_source import parse
from agentgym_swe.making.source import SourceFile, blocks_of
from agentgym_swe.repositories.edit import Edit, edited
from agentgym_swe.repositories.layer import Layer, is_below

Visible = Literal["others", "all", "none"]
"""Failing tests taken out; every test left; no test left."""


def shown_tests(layer: Layer, failing: Iterable[str], visible: Visible) -> Mapping[str, str | None]:
    """What changes among the tests of a layer for an agent's eyes.

    Args:
        layer: The package.
        failing: Ids of the tests that a task makes fail.
        visible: Which tests stay.

    Returns:
        The new text of each file that changes; None for one that goes.

    Raises:
        ConfigError: `visible` is no such choice.
    """
    if visible not in get_args(Visible):
        raise ConfigError(f"visible_tests must be one of {', '.join(get_args(Visible))}: got {visible!r}")
    if visible == "all":
        return {}
    if visible == "none":
        return {file: None for file in layer.files if is_below(file, layer.test_paths)}
    of_file: dict[str, list[list[str]]] = {}
    for test in failing:
        file, *names = test.partition("[")[0].split("::")
        of_file.setdefault(file, []).append(names)
    return {file: _without(layer, file, tests) for file, tests in of_file.items()}


def _without(layer: Layer, file: str, tests: list[list[str]]) -> str | None:
    """A file without some tests; None where they cannot be told from the rest."""
    try:
        source = SourceFile(file, layer.text(file))
    except (SyntaxError, UnicodeDecodeError):
        return None
    gone: list[ast.stmt] = []
    for names in tests:
        found = _definitions(source, names)
        if not found:
            return None
        gone += [each for each in found if each not in gone]
    text = edited(source.text, _outermost(_removal(source, each, gone) for each in gone))
    try:
        parse(text)
    except SyntaxError:
        return None
    return text


def _definitions(source: SourceFile, names: list[str]) -> list[ast.stmt]:
    """The statements that define a test: its function, in its class or in a base class of the same file."""
    *owners, name = names
    blocks = [source.tree.body]
    for owner in owners:
        classes = [each for block in blocks for each in _all_of(block) if isinstance(each, ast.ClassDef)]
        blocks = [each.body for each in classes if each.name == owner]
        for each in classes:
            if each.name == owner:
                bases = {ast.unparse(base).split(".")[-1] for base in each.bases}
                blocks += [base.body for base in classes if base.name in bases]
    return [each for block in blocks for each in _all_of(block) if _names(each) == name]


def _all_of(block: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of a block and of the conditions, loops and tries in it."""
    found = []
    for each in block:
        found.append(each)
        if isinstance(each, ast.If | ast.Try | ast.For | ast.With):
            for inner in blocks_of(each):
                found += _all_of(inner)
    return found


def _names(statement: ast.stmt) -> str:
    """The name that a statement gives to a function or value."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return statement.name
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""


def _removal(source: SourceFile, statement: ast.stmt, gone: list[ast.stmt]) -> Edit:
    """The edit that takes a definition out with its decorators; `pass` stays for the first of a block that empties."""
    decorators = getattr(statement, "decorator_list", [])
    start = source.span(decorators[0])[0] - 1 if decorators else source.span(statement)[0]
    end = source.span(statement)[1]
    for block in blocks_of(source.parents[statement]):
        if statement in block and all(each in gone for each in block) and block[0] is statement:
            return Edit(source.file, start, end, "pass")
    line = source.text.rfind("\n", 0, start) + 1
    line_end = source.text.find("\n", end) + 1 or len(source.text)
    return Edit(source.file, line, line_end, "")


def _outermost(edits: Iterable[Edit]) -> list[Edit]:
    """Edits without those that lie within another."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept
