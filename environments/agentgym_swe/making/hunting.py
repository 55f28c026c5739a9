"""Hunts the originals of all tasks of a suite, each in a sandbox with its broken state, package by package."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agentgym.task import Task
from agentgym_swe.making.visible import shown_tests
from agentgym_swe.repositories.edit import Edit, apply_edits
from agentgym_swe.repositories.layer import Layer, load_layer
from agentgym_swe.repositories.leaks import Case, case_of, hunt, lay_broken, traces_of
from agentgym_swe.room import Wanted, open_room

Report = Callable[[str, str], None]


def hunt_tasks(tasks: Iterable[Task], *, sandbox: Wanted = None, report: Report = lambda name, line: None) -> list[str]:
    """Traces of the originals of tasks; what lies outside of the work folder is searched once for each package.

    Args:
        tasks: Tasks of swe/repair, whose packages are prepared.
        sandbox: As in `SandboxEnv`.
        report: Told of progress.

    Raises:
        NotPreparedError: A package is not prepared.
        SandboxError: No sandbox can be started.
    """
    of_package: dict[str, list[Task]] = {}
    for task in tasks:
        of_package.setdefault(task.config["package"], []).append(task)
    found = []
    for name, own in of_package.items():
        layer = load_layer(name)
        report(name, f"hunting the originals of {len(own)} tasks")
        found += _hunt_package(layer, own, sandbox)
    return found


def _hunt_package(layer: Layer, tasks: list[Task], sandbox: Wanted) -> list[str]:
    cases: dict[str, Case] = {}
    found = []
    for number, task in enumerate(tasks):
        edits = [Edit.from_json(each) for each in task.config["edits"]]
        cases[task.id] = case_of(layer, edits)
        files = dict(apply_edits(layer, edits, digest=task.config["digest"]))
        shown = shown_tests(layer, task.private["failing"], task.config["visible_tests"])
        is_last = number == len(tasks) - 1
        with open_room(layer.folder, sandbox) as room:
            lay_broken(room.sandbox, {**files, **shown})
            found += traces_of(hunt(room.sandbox, {task.id: cases[task.id]}, is_whole=False))
            if is_last:
                everywhere = hunt(room.sandbox, cases, is_whole=True, work="/agentgym/work")
                found += [trace for trace in traces_of(everywhere) if "/agentgym/work" not in trace]
    return found
