"""What an episode begins with: the broken sources, the tests that the agent may see, and one commit of that.

One command lays it out. The package itself is the sandbox's work folder, under an overlay where there is one.
"""

from __future__ import annotations

import ast
import io
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.repair.task_view import RepairTask
from agentgym_swe.repair.verdict.test_source import TestFile, TestFunction, first_line, functions_of, parsed
from agentgym_swe.repair.verdict.tree import FIXED_TIME
from agentgym_swe.repositories.layer import Layer

VisibleTests = Literal["others", "all", "none"]
SET_UP_S = 60.0
_COMMIT = "git init -q -b main . && git add -A -f . && git commit -q -m 'Import'"


@dataclass(frozen=True)
class Beginning:
    """What differs from the package at the beginning of an episode.

    Attributes:
        files: New texts by path.
        removed: Paths that are taken away.
        relevant: Ids of the tests that the agent sees and that cover what was broken.
        tests: Files and folders with all the tests that it sees.
    """

    files: dict[str, str]
    removed: tuple[str, ...]
    relevant: tuple[str, ...]
    tests: tuple[str, ...]


def beginning(task: RepairTask, visible: VisibleTests) -> Beginning:
    """What an episode of a task begins with.

    Args:
        task: The task.
        visible: Which tests the agent sees: all but those that fail, all, or none.
    """
    case, layer = task.case, task.layer
    files = dict(case.given)
    if visible == "none":
        return Beginning(files, layer.test_paths, (), ())
    if visible == "all":
        return Beginning(files, (), (*case.failing, *case.kept), layer.test_paths)
    hidden = functions_of(case.failing)
    removed = []
    for path in sorted({function.file for function in hidden}):
        text = _without(layer, path, [function for function in hidden if function.file == path])
        if text is None:
            removed.append(path)
        else:
            files[path] = text
    relevant = tuple(
        test
        for test in case.kept
        if next(iter(functions_of([test])), None) not in hidden and _file_of(test) not in removed
    )
    tests = tuple(path for path in layer.test_paths if path not in removed)
    return Beginning(files, tuple(removed), relevant, tests)


def lay_out(sandbox: Sandbox, start: Beginning) -> None:
    """Make the work folder of a sandbox what an episode begins with.

    Raises:
        SandboxError: It could not be done.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, text in start.files.items():
            content = text.encode("utf-8")
            about = tarfile.TarInfo(path)
            about.size, about.mtime, about.mode = len(content), FIXED_TIME, 0o644
            archive.addfile(about, io.BytesIO(content))
    script = "tar -xof - && " + ('rm -rf -- "$@" && ' if start.removed else "") + _COMMIT
    command = ["sh", "-c", script, "sh", *start.removed]
    laid = sandbox.exec(command, stdin=packed.getvalue(), timeout_s=SET_UP_S)
    if not laid.is_ok:
        raise SandboxError(f"sandbox {sandbox.id} could not be set up ({laid.exit_code}): {laid.text()[-300:]}")


@lru_cache(maxsize=512)
def _cut(layer_folder: str, path: str, names: tuple[TestFunction, ...], file: TestFile) -> str | None:
    lines = list(file.lines)
    for wanted in names:
        node = file.find(wanted)
        if node is None:
            continue
        owner = file.owner_of(wanted)
        indent = lines[node.lineno - 1][: node.col_offset]
        for number in range(first_line(node) - 1, node.end_lineno or node.lineno):
            lines[number] = ""
        if owner is not None and _is_last(file, owner, names):
            lines[first_line(node) - 1] = f"{indent}pass\n"
    return "".join(lines)


def _without(layer: Layer, path: str, functions: Iterable[TestFunction]) -> str | None:
    """A test file without some functions; None where it cannot be taken apart."""
    file = parsed(layer, path)
    return None if file is None else _cut(str(layer.folder), path, tuple(functions), file)


def _is_last(file: TestFile, owner: ast.ClassDef, removed: Iterable[TestFunction]) -> bool:
    """Whether nothing is left of a class when these functions are taken out."""
    gone = {function.name for function in removed if function.owner and function.owner[0] == owner.name}
    return all(getattr(node, "name", None) in gone for node in owner.body)


def _file_of(test: str) -> str:
    return test.partition("::")[0]
