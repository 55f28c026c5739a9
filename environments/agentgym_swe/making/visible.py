"""Which tests an agent may see: without the failing ones, all, or none.

A test is taken out of its file's text; the rest of the file stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from agentgym.errors import ConfigError
from agentgym.python_source import parse
from agentgym_swe.making.source import SourceFile, blocks_of
from agentgym_swe.repositories.edit import Edit, edited
from agentgym_swe.repositories.layer import Layer, is_below

Visible = Literal["others", "all", "none"]
"""Failing tests taken out; every test left; no test left."""
_Block = list[ast.stmt]


class _Removal(NamedTuple):
    """The edit that takes a statement out; and whether that has lines of its own, so that what is left is Python."""

    edit: Edit
    is_whole: bool


class _Found(NamedTuple):
    """A statement, and the block that it stands in."""

    statement: ast.stmt
    block: _Block


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
    source = _source(layer, file)
    if source is None:
        return None
    gone: dict[ast.stmt, _Block] = {}
    for names in tests:
        found = _definitions(source, names)
        if not found:
            return None
        gone |= {each.statement: each.block for each in found}
    removals = [_removal(source, each, block, gone) for each, block in gone.items()]
    text = edited(source.text, _outermost(each.edit for each in removals))
    return text if all(each.is_whole for each in removals) or _is_python(text) else None


def _is_python(text: str) -> bool:
    try:
        parse(text)
    except SyntaxError:
        return False
    return True


@lru_cache(maxsize=16)
def _source(layer: Layer, file: str) -> SourceFile | None:
    """A file of a layer; None for what is no Python."""
    try:
        return SourceFile(file, layer.text(file))
    except (SyntaxError, UnicodeDecodeError):
        return None


def _definitions(source: SourceFile, names: list[str]) -> list[_Found]:
    """The statements that define a test: its function, in its class or in a base class of the same file."""
    *owners, name = names
    blocks = [source.tree.body]
    for owner in owners:
        statements = [each.statement for block in blocks for each in _all_of(block)]
        classes = [each for each in statements if isinstance(each, ast.ClassDef)]
        blocks = [each.body for each in classes if each.name == owner]
        for each in classes:
            if each.name == owner:
                bases = {ast.unparse(base).split(".")[-1] for base in each.bases}
                blocks += [base.body for base in classes if base.name in bases]
    return [each for block in blocks for each in _all_of(block) if _names(each.statement) == name]


def _all_of(block: _Block) -> list[_Found]:
    """Statements of a block and of the conditions, loops and tries in it."""
    found = []
    for each in block:
        found.append(_Found(each, block))
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


def _removal(source: SourceFile, statement: ast.stmt, block: _Block, gone: Mapping[ast.stmt, _Block]) -> _Removal:
    """How a definition is taken out with its decorators; `pass` stays for the first of a block that empties."""
    decorators = getattr(statement, "decorator_list", [])
    start = source.span(decorators[0])[0] - 1 if decorators else source.span(statement)[0]
    end = source.span(statement)[1]
    line = source.text.rfind("\n", 0, start) + 1
    line_end = source.text.find("\n", end) + 1 or len(source.text)
    is_whole = not source.text[line:start].strip() and not source.text[end:line_end].partition("#")[0].strip()
    if block[0] is statement and all(each in gone for each in block):
        return _Removal(Edit(source.file, start, end, "pass"), is_whole)
    return _Removal(Edit(source.file, line, line_end, ""), is_whole)


def _outermost(edits: Iterable[Edit]) -> list[Edit]:
    """Edits without those that lie within another."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept
