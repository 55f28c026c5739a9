"""What an episode begins with: the broken sources, the tests that the agent may see, and one commit of that.

One command lays it out. The package itself is the sandbox's work folder, under an overlay where there is one.
"""

from __future__ import annotations

import io
import tarfile
import threading
from collections import OrderedDict
from dataclasses import dataclass

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.making.visible import Visible, shown_tests
from agentgym_swe.repair.repository import repository
from agentgym_swe.repair.task_view import RepairTask
from agentgym_swe.repair.verdict.test_source import functions_of
from agentgym_swe.repair.verdict.tree import FIXED_TIME
from agentgym_swe.repositories.layer import Layer, is_below

SET_UP_S = 60.0
MAX_KEPT = 256
"""How many beginnings are kept: episodes of one task begin alike."""
_EMPTY = ".git/hooks .git/info .git/refs/tags .git/objects/info"
"""Folders of a repository in which nothing is."""

_starts: OrderedDict[tuple[str, Visible], Beginning] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class Beginning:
    """What differs from the package at the beginning of an episode.

    Attributes:
        files: New texts by path.
        removed: Paths that are taken away.
        relevant: Ids of the tests that the agent sees and that cover what was broken.
        tests: Files and folders with all the tests that it sees.
        hides_failures: Whether the tests that fail are not among them.
    """

    files: dict[str, str]
    removed: tuple[str, ...]
    relevant: tuple[str, ...]
    tests: tuple[str, ...]
    hides_failures: bool = False


def beginning(task: RepairTask, visible: Visible) -> Beginning:
    """What an episode of a task begins with.

    Args:
        task: The task.
        visible: Which tests the agent sees: all but those that fail, all, or none.
    """
    key = (task.case.key, visible)
    with _lock:
        if key not in _starts:
            _starts[key] = _made(task, visible)
            while len(_starts) > MAX_KEPT:
                _starts.popitem(last=False)
        return _starts[key]


def _made(task: RepairTask, visible: Visible) -> Beginning:
    case, layer = task.case, task.layer
    files = dict(case.given)
    shown = shown_tests(layer, case.failing, visible)
    files |= {path: text for path, text in shown.items() if text is not None}
    removed = layer.test_paths if visible == "none" else tuple(path for path, text in shown.items() if text is None)
    hidden = functions_of(() if visible == "all" else case.failing)
    seen = [*case.failing, *case.relevant] if visible == "all" else case.relevant
    relevant = tuple(
        test
        for test in seen
        if next(iter(functions_of([test])), None) not in hidden and not is_below(test.partition("::")[0], removed)
    )
    tests = tuple(path for path in layer.test_paths if path not in removed)
    return Beginning(files, removed, relevant, tests, hides_failures=visible != "all")


def lay_out(sandbox: Sandbox, layer: Layer, start: Beginning) -> None:
    """Make the work folder of a sandbox what an episode begins with.

    Args:
        sandbox: Its work folder is the package.
        layer: The package.
        start: What differs from it.

    Raises:
        SandboxError: It could not be done.
    """
    contents = {path: text.encode("utf-8") for path, text in start.files.items()}
    contents |= repository(layer, start.files, start.removed)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in contents.items():
            about = tarfile.TarInfo(path)
            about.size, about.mtime, about.mode = len(content), FIXED_TIME, 0o644
            archive.addfile(about, io.BytesIO(content))
    script = f'tar -xof - && mkdir -p {_EMPTY} && if [ $# -gt 0 ]; then rm -rf -- "$@"; fi'
    laid = sandbox.exec(["sh", "-c", script, "sh", *start.removed], stdin=packed.getvalue(), timeout_s=SET_UP_S)
    if not laid.is_ok:
        raise SandboxError(f"sandbox {sandbox.id} could not be set up ({laid.exit_code}): {laid.text()[-300:]}")
