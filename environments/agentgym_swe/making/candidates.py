"""Faults that might become tasks: every operator at every place of a package's sources, in a seeded order.

Whether tests notice them is found out by `screening`.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentgym_swe.making.operators.table import BODY_REMOVED, DOUBLE, OPERATORS
from agentgym_swe.making.source import SourceFile
from agentgym_swe.repositories.catalogue import package_named
from agentgym_swe.repositories.definitions import module_name
from agentgym_swe.repositories.edit import Edit, edited
from agentgym_swe.repositories.layer import Layer, is_below


@dataclass(frozen=True)
class Candidate:
    """A fault that might become a task.

    Attributes:
        operator: Its kind; "double" for two edits, "history" for an older function.
        edits: The edits.
        functions: Name of the function of each edit, such as "toolz.itertoolz.nth".
        lines: By file the lines whose execution tells which tests can notice it.
        in_function: Whether it is inside functions only, so that a running process can take it.
        kinds: Operators of the edits of a double.
    """

    operator: str
    edits: tuple[Edit, ...]
    functions: tuple[str, ...]
    lines: tuple[tuple[str, tuple[int, ...]], ...]
    in_function: bool
    kinds: tuple[str, ...] = ()


class Sources:
    """The source files of a layer, parsed when they are needed.

    Args:
        layer: The package.
    """

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self._unplanted = package_named(layer.name).unplanted
        self.names = tuple(file for file in layer.sources if not is_below(file, self._unplanted))
        self._files: dict[str, SourceFile] = {}

    def file(self, name: str) -> SourceFile:
        """One file.

        Raises:
            SyntaxError: This interpreter cannot read it.
            UnicodeDecodeError: It is not UTF-8.
        """
        if name not in self._files:
            self._files[name] = SourceFile(name, self.layer.text(name))
        return self._files[name]

    def module(self, name: str) -> str:
        """The name under which a file is imported."""
        return module_name(name, self.layer.python_path)

    def is_planted(self, candidate: Candidate) -> bool:
        """Whether faults may be made in the functions of a candidate."""
        ends = tuple(f"{name}." for name in self._unplanted)
        return not any(f"{function}.".startswith(ends) for function in candidate.functions)

    def changed(self, edits: Sequence[Edit]) -> dict[str, str] | None:
        """The files that edits change; None where one is no Python any more, or means the same."""
        files = {}
        for name in {edit.file for edit in edits}:
            source = self.file(name)
            files[name] = edited(source.text, [edit for edit in edits if edit.file == name])
            if not source.differs_from(files[name]):
                return None
        return files


def candidates(sources: Sources, seed: str) -> list[Candidate]:
    """All candidates with one edit: operators take turns, each with its places in a random order.

    Args:
        sources: The package.
        seed: Of the order.
    """
    of_operator: dict[str, list[Candidate]] = defaultdict(list)
    for name in sources.names:
        source = sources.file(name)
        for operator, find in OPERATORS.items():
            for node, edit in find(source):
                of_operator[operator].append(_candidate(sources, source, operator, node, edit))
    rng = random.Random(seed)
    for found in of_operator.values():
        rng.shuffle(found)
    ordered = []
    while of_operator:
        for operator in list(of_operator):
            ordered.append(of_operator[operator].pop())
            if not of_operator[operator]:
                del of_operator[operator]
    return [candidate for candidate in ordered if sources.is_planted(candidate)]


def doubles(singles: Sequence[Candidate], seed: str, count: int) -> Iterator[Candidate]:
    """Candidates with two edits, of different functions where that can be, made of those that tests notice alone.

    Args:
        singles: Candidates with one edit each.
        seed: Of the draws.
        count: How many are drawn.
    """
    rng = random.Random(seed)
    usable = [each for each in singles if each.operator != BODY_REMOVED and each.in_function]
    for _ in range(count if len(usable) > 1 else 0):
        first, second = rng.sample(usable, 2)
        if first.functions == second.functions:
            continue
        yield Candidate(
            operator=DOUBLE,
            edits=(*first.edits, *second.edits),
            functions=(*first.functions, *second.functions),
            lines=(*first.lines, *second.lines),
            in_function=True,
            kinds=(first.operator, second.operator),
        )


def _candidate(sources: Sources, source: SourceFile, operator: str, node: ast.AST, edit: Edit) -> Candidate:
    place = source.place(node)
    statement = place.statement
    lines = range(statement.lineno, _head_end(statement) + 1)
    in_function = place.node is not None and statement is not place.node
    if place.node is not None and statement is place.node:  # a default: its function's first line tells
        lines = range(place.node.body[0].lineno, place.node.body[-1].lineno + 1)
    module = sources.module(source.file)
    name = f"{module}.{place.function}" if place.function else module
    return Candidate(operator, (edit,), (name,), ((source.file, tuple(lines)),), in_function)


def _head_end(statement: ast.stmt) -> int:
    """Last line of a statement without the blocks that it holds."""
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
        return max(statement.lineno, body[0].lineno - 1)
    return statement.end_lineno or statement.lineno
