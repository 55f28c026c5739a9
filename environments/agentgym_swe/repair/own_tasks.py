"""Tasks of your own for Repair-v0, from the JSONL files that `agentgym swe make --out FOLDER` writes.

What a task says is read in `task_view`; the suite `swe/repair` is read by `agentgym.suite`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import get_args

from agentgym.errors import AgentGymError, ConfigError, TaskError, UnknownNameError, unreadable
from agentgym.task import SPLITS, Split, Task
from agentgym_swe.making.source import SourceFile
from agentgym_swe.making.visible import Visible
from agentgym_swe.repair.task_view import KINDS, RepairTask, read_task, require_parts
from agentgym_swe.repositories.catalogue import package_named
from agentgym_swe.repositories.edit import Edit
from agentgym_swe.repositories.layer import Layer, find_layer

_KEYS = ("package", "digest", "edits", "kind", "visible_tests")
"""What the config of a task may say."""
MAKE = "agentgym swe make toolz --out FOLDER writes such"
"""What follows in messages about files without tasks."""
_sound: set[tuple[str, str]] = set()
"""Digests of layers, and hashes of tasks whose edits were found to plant a fault in them."""


def read_own_tasks(path: Path) -> tuple[Task, ...]:
    """The tasks that seeds draw from.

    Args:
        path: A JSONL file of tasks; or a folder of splits, of which the tasks of `train.jsonl` are taken.

    Raises:
        ConfigError: There is no such file, it holds no task, or a row is wrong; names the line.
    """
    if not path.exists():
        raise ConfigError(f"tasks: there is no file or folder {path}; check the path")
    if not path.is_dir():
        tasks = _read_file(path)
        if not tasks:
            raise ConfigError(f"tasks: {path} holds no task; {MAKE}")
        return tasks
    of_split = _read_splits(path)
    if of_split["train"]:
        return of_split["train"]
    held = [f"{path / split}.jsonl ({len(tasks)})" for split, tasks in of_split.items() if tasks]
    instead = f"name a file with tasks: {', '.join(held)}" if held else MAKE
    raise ConfigError(f"tasks: of a folder the train tasks are drawn, and {path} has none; {instead}")


def read_folder(folder: Path) -> tuple[Task, ...]:
    """The tasks of all splits of a folder, each with its split; see `read_splits`."""
    return tuple(task for own in read_splits(folder).values() for task in own)


def read_splits(folder: Path) -> dict[Split, tuple[Task, ...]]:
    """The tasks of a folder by split; one without a file has none.

    Raises:
        ConfigError: It has no task at all, or a row is wrong; names the line.
    """
    found = _read_splits(folder)
    if not any(found.values()):
        raise ConfigError(f"{folder} holds no task in {', '.join(f'{split}.jsonl' for split in SPLITS)}; {MAKE}")
    return found


def _read_splits(folder: Path) -> dict[Split, tuple[Task, ...]]:
    paths = {split: folder / f"{split}.jsonl" for split in SPLITS}
    return {split: _read_file(path, split) if path.is_file() else () for split, path in paths.items()}


def _read_file(path: Path, split: Split | None = None) -> tuple[Task, ...]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"tasks: {unreadable(path, error)}") from error
    return tuple(_read_lines(path, lines, split))


def _read_lines(path: Path, lines: list[str], split: Split | None) -> Iterator[Task]:
    places: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            task = _read_task(line, split)
            if task.id in places:
                raise TaskError(f"the id {task.id!r} must be unique, and line {places[task.id]} has it too")
        except (AgentGymError, RecursionError) as error:
            raise ConfigError(f"{path}:{number}: {error}") from error
        places[task.id] = number
        yield task


def _read_task(line: str, split: Split | None) -> Task:
    try:
        fields = json.loads(line)
    except json.JSONDecodeError as error:
        why = f"{error.msg.removesuffix(' at')} at column {error.colno}"
        raise TaskError(f"the line is not valid JSON: {why}") from error
    if not isinstance(fields, dict):
        raise TaskError(f"expected a task as an object, got {type(fields).__name__}; {MAKE}")
    task = Task.from_json({**fields, "split": split} if split else fields)
    require_parts(task)
    _require_config(task)
    _require_told(task)
    package = package_named(task.config["package"])
    for edit in task.config["edits"]:
        Edit.from_json(edit)
    if find_layer(package) is not None:  # else the episode says how to prepare it
        _require_fault(task, read_task(task))
    return task


def _require_config(task: Task) -> None:
    """Refuse what a task of the suite never says."""
    unknown = sorted(set(task.config) - set(_KEYS))
    if unknown:
        raise UnknownNameError("key", unknown[0], _KEYS, owner=f"the config of task {task.id!r}")
    if not task.config["edits"]:
        raise TaskError(f"task {task.id!r} plants no fault: config.edits is empty; expected at least one edit; {MAKE}")
    visible = task.config.get("visible_tests", "others")
    if visible not in get_args(Visible):
        raise TaskError(f"visible_tests must be one of {', '.join(get_args(Visible))}: got {visible!r}")
    kind = task.config.get("kind", "fault")
    if kind not in KINDS:
        raise TaskError(f"config.kind must be one of {', '.join(KINDS)}, or left out: got {kind!r}")


def _require_told(task: Task) -> None:
    """Refuse what tells the agent nothing, or the judge no test."""
    if not task.instruction.strip():
        raise TaskError(
            f"task {task.id!r}: instruction must say what goes wrong, as an agent sees nothing else of the fault: "
            f"got {task.instruction!r}"
        )
    if not task.private["failing"]:
        raise TaskError(
            f"task {task.id!r}: private.failing is empty; expected the ids of the tests that its edits make fail, "
            "such as 'tests/test_core.py::test_name'"
        )


def _require_fault(task: Task, repair: RepairTask) -> None:
    """Refuse edits that leave the program as it is, or no program."""
    key = repair.layer.digest, task.content_hash
    if key in _sound:
        return
    if all(text == repair.layer.text(path) for path, text in repair.case.given.items()):
        raise TaskError(
            f"task {task.id!r} plants no fault: config.edits put in what is there already; expected [file, start, end, "
            "text] with another text"
        )
    faulty = [path for path, text in repair.case.given.items() if _means_other(task, repair.layer, path, text)]
    if not faulty:
        raise TaskError(
            f"task {task.id!r} plants no fault: config.edits leave the syntax tree of {', '.join(repair.files)} as it "
            "is, so no test can tell; change code, not comments and blanks alone"
        )
    _sound.add(key)


def _means_other(task: Task, layer: Layer, path: str, text: str) -> bool:
    try:
        return _source(layer, path).means_other(text)
    except SyntaxError as error:
        why = f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        why = str(error) or type(error).__name__
    raise TaskError(f"task {task.id!r}: with config.edits {path} is no Python: {why}; expected code that compiles")


@lru_cache(maxsize=16)
def _source(layer: Layer, path: str) -> SourceFile:
    return SourceFile(path, layer.text(path))
