"""A repair task read: the package, what was broken, the tests that tell, and what the agent is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from agentgym.errors import TaskError, UnknownNameError
from agentgym.task import Task
from agentgym_swe.making.visible import Visible
from agentgym_swe.repair.verdict.case import Case
from agentgym_swe.repositories.definitions import definitions, module_name
from agentgym_swe.repositories.edit import Edit, apply_edits
from agentgym_swe.repositories.layer import Layer, load_layer

KINDS = ("fault", "implement", "double", "history")
"""What the config of a task may say of its kind."""
ISSUES = ("less", "more")
"""The other texts of an issue that a task may have."""
_PARTS: Mapping[str, Mapping[str, type]] = {
    "config": {"package": str, "digest": str, "edits": list},
    "private": {"failing": list, "relevant": list},
}
"""What a task of Repair-v0 has to say."""
_WORDS: Mapping[type, str] = {str: "text", list: "list"}


@dataclass(frozen=True)
class RepairTask:
    """What one task says.

    Attributes:
        case: What is judged.
        functions: Names of the broken functions with their modules, such as "toolz.itertoolz.merge_sorted".
        private: The private part.
        visible_tests: Which tests the agent sees: "others" than those that fail, "all" or "none".
    """

    case: Case
    functions: tuple[str, ...]
    private: Mapping[str, Any]
    visible_tests: Visible = "others"

    @property
    def layer(self) -> Layer:
        """The package."""
        return self.case.layer

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Paths of the broken files."""
        return tuple(sorted(self.case.given))

    @property
    def function(self) -> str:
        """Name of the (first) broken function; "" where none is named."""
        return self.functions[0] if self.functions else ""

    @cached_property
    def definitions(self) -> tuple[Seen, ...]:
        """Where the broken functions are defined; one whose code is outside of functions is left out."""
        places = {
            f"{module_name(path, self.layer.python_path)}.{each.name}": Seen.at(path, each.line, self.case.given[path])
            for path in self.files
            for each in definitions(self.case.given[path])
        }
        return tuple(places[name] for name in dict.fromkeys(self.functions) if name in places)


@dataclass(frozen=True)
class Seen:
    """The beginning of a function, as much of it as no other place of its file has.

    Attributes:
        path: The file.
        line: The line of its `def`, counted from 1.
        lines: Its first lines, without the space around them.
    """

    path: str
    line: int
    lines: tuple[str, ...]

    @classmethod
    def at(cls, path: str, line: int, text: str) -> Seen:
        """The beginning of what is defined at a line of a text."""
        lines = [each.strip() for each in text.splitlines()]
        for num in range(1, len(lines) - line + 2):
            wanted = lines[line - 1 : line - 1 + num]
            if sum(lines[start : start + num] == wanted for start in range(len(lines))) == 1:
                return cls(path, line, tuple(wanted))
        return cls(path, line, tuple(lines[line - 1 :]))

    def is_in(self, text: str) -> bool:
        """Whether an answer of a tool shows it, with numbers before its lines or without."""
        shown = text.splitlines()
        num = len(self.lines)
        return any(
            all(line.rstrip().endswith(own) for line, own in zip(shown[start:], self.lines, strict=False))
            for start in range(len(shown) - num + 1)
        )


def read_task(task: Task) -> RepairTask:
    """What a task says, with the prepared package.

    Raises:
        TaskError: It is no task of Repair-v0, or made for another state of the package.
        NotPreparedError: The package is not prepared here.
    """
    require_parts(task)
    return _read(task.content_hash, _Held(task))


def require_parts(task: Task) -> None:
    """Refuse what is no task of Repair-v0, whatever it was made for.

    Raises:
        TaskError: Says what is missing, or of another kind than expected.
        UnknownNameError: There is no such variant of an issue.
    """
    parts = [(key, kind, getattr(task, name).get(key)) for name, kinds in _PARTS.items() for key, kind in kinds.items()]
    missing = [key for key, _, part in parts if part is None]
    if missing:
        raise TaskError(f"task {task.id!r} is not a task of Repair-v0: it lacks {', '.join(missing)}")
    for key, kind, part in parts:
        if not isinstance(part, kind):
            raise TaskError(f"task {task.id!r}: {key} must be a {_WORDS[kind]}, got {part!r}")
    if not isinstance(task.private.get("functions", []), list):
        raise TaskError(f"task {task.id!r}: private.functions must be a list, got {task.private['functions']!r}")
    issues = task.private.get("issues", {})
    if not isinstance(issues, dict) or not all(isinstance(text, str) for text in issues.values()):
        raise TaskError(f"task {task.id!r}: private.issues must be an object of texts, got {issues!r}")
    unknown = sorted(set(issues) - set(ISSUES))
    if unknown:
        raise UnknownNameError("text", unknown[0], ISSUES, owner=f"private.issues of task {task.id!r}")


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
            f"task {task.id!r} was made for another state of {layer.name}: {digest}, prepared is {layer.digest[:16]}; "
            f"make the tasks again with `agentgym swe make {layer.name} --out FOLDER`, or play them with the agentgym "
            "that they were made with"
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
    functions = tuple(map(str, task.private.get("functions", ())))
    return RepairTask(case, functions, task.private, task.config.get("visible_tests", "others"))
