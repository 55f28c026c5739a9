"""A repair task read: the package, what was broken, the tests that tell, and what the agent is told."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from agentgym.errors import TaskError
from agentgym.python_source import parse
from agentgym.task import Task
from agentgym_swe.repair.verdict.case import Case
from agentgym_swe.repositories.edit import Edit, apply_edits
from agentgym_swe.repositories.layer import Layer, load_layer


@dataclass(frozen=True)
class RepairTask:
    """What one task says.

    Attributes:
        case: What is judged.
        function: Name of the (first) broken function with its module, such as "toolz.itertoolz.merge_sorted".
        private: The private part.
    """

    case: Case
    function: str
    private: Mapping[str, Any]

    @property
    def layer(self) -> Layer:
        """The package."""
        return self.case.layer

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Paths of the broken files."""
        return tuple(sorted(self.case.given))

    @cached_property
    def definition(self) -> str:
        """The first line of the broken function's definition; "" where it is none."""
        name = self.function.rpartition(".")[2]
        for path in self.files:
            for node in ast.walk(_parsed(self.case.given[path])):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                    return self.case.given[path].splitlines()[node.lineno - 1].strip()
        return ""


def read_task(task: Task) -> RepairTask:
    """What a task says, with the prepared package.

    Raises:
        TaskError: It is no task of Repair-v0, or made for another state of the package.
        NotPreparedError: The package is not prepared here.
    """
    missing = [key for key in ("package", "digest", "edits") if key not in task.config]
    missing += [key for key in ("failing", "relevant") if key not in task.private]
    if missing:
        raise TaskError(f"task {task.id!r} is not a task of Repair-v0: it lacks {', '.join(missing)}")
    return _read(task.content_hash, _Held(task))


class _Held:
    """A task beside its hash, so that what is read of it is kept by the hash alone."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=256)
def _read(content_hash: str, held: _Held) -> RepairTask:
    task = held.task
    layer = load_layer(str(task.config["package"]))
    digest = str(task.config["digest"])
    if not layer.digest.startswith(digest):
        raise TaskError(
            f"task {task.id!r} was made for another state of {layer.name}: {digest}, prepared is {layer.digest[:16]}"
        )
    given = apply_edits(layer, [Edit.from_json(edit) for edit in task.config["edits"]])
    failing = tuple(str(test) for test in task.private["failing"])
    places = tuple(str(place) for place in task.private["relevant"])
    known = set(failing)
    kept = tuple(test for test in layer.tests if test not in known)
    relevant = tuple(test for test in kept if test in places or test.partition("::")[0] in places)
    unknown = [test for test in failing if test not in layer.tests]
    if unknown:
        raise TaskError(f"task {task.id!r} names {unknown[0]!r}, which is no test of {layer.name} {layer.version}")
    case = Case(task.id, layer, dict(given), failing, kept, relevant, content_hash)
    function = str(next(iter(task.private.get("functions", ())), ""))
    return RepairTask(case, function, task.private)


def _parsed(text: str) -> ast.Module:
    try:
        return parse(text)
    except SyntaxError:
        return ast.Module([], [])
