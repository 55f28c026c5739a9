"""Suites: tasks that share an environment and a scorer, in disjoint splits, read from a folder of data.

The guard against training on held-out tasks starts here: a trainer gets tasks only through `train_tasks` and
`require_trainable`.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast

from agentgym.config import not_toml, parsed_toml
from agentgym.data_folder import data_folder
from agentgym.entry_points import load_entry_points
from agentgym.errors import SEE_LIST, HeldOutError, TaskError, UnknownNameError, unreadable
from agentgym.task import SPLITS, Split, Task

_REQUIRED = ("name", "env", "description", "license", "source", "headline", "splits", "strata", "scores")
_OPTIONAL = ("env_options", "generator", "is_unseen_env", "is_fully_observed")
_NO_PATH = (
    "A suite has a name and no path. Some environments play tasks of a file: --suite ENV --env-option tasks=FILE. "
    "A package gives names to its suites: docs/register-an-environment.md"
)
_extra_roots: list[Path] = []


@dataclass(frozen=True)
class DeclaredScore:
    """The score of a scripted policy on the test split's headline stratum.

    Attributes:
        success: Success rate.
        tolerance: Largest distance from it that a check accepts.
        score: Mean score; None if it equals the success rate.
    """

    success: float
    tolerance: float = 0.0
    score: float | None = None


@dataclass(frozen=True)
class Suite:
    """A suite as its `suite.toml` declares it; tasks are read when they are asked for.

    Attributes:
        name: Such as "tools/lookup".
        env: Id of the environment that plays it.
        description: One sentence.
        license: SPDX expression of the data.
        source: Where the data comes from.
        headline: The stratum of the test split that is reported first.
        strata: Description of each stratum.
        splits: Strata of each split.
        scores: Scores of the scripted policies.
        env_options: Keyword arguments that the environment is made with.
        folder: Its folder.
        generator: Module that wrote the task files; "" if they were written in another way.
        is_unseen_env: Whether the environment itself is held out: the suite has no train split, and results say so.
        is_fully_observed: Whether the latest observation alone says all that matters for what can follow, so that a
            critic needs no history; answers to refused messages aside. False where nobody has said so.
        is_held_out: Whether its test split is held out from training, so that reports may say so. No file says that it
            is not; tasks that an environment makes are not.
    """

    name: str
    env: str
    description: str
    license: str
    source: str
    headline: str
    strata: Mapping[str, str]
    splits: Mapping[Split, Sequence[str]]
    scores: Mapping[str, DeclaredScore]
    folder: Path
    env_options: Mapping[str, Any] = field(default_factory=dict)
    generator: str = ""
    is_unseen_env: bool = False
    is_fully_observed: bool = False
    is_held_out: bool = True

    @property
    def role(self) -> str:
        """The role of the game that the agent plays; "" means the first role, or an environment of one agent."""
        return str(self.env_options.get("role", ""))

    @property
    def given_options(self) -> Mapping[str, Any]:
        """Those of the environment's options that a user gave; none, where the suite is what its folder says."""
        return {}

    def tasks(self, split: str) -> tuple[Task, ...]:
        """The tasks of one split, in the file's order.

        Raises:
            UnknownNameError: The suite has no such split.
            TaskError: The file is malformed; says which line.
        """
        if split not in self.splits:
            raise UnknownNameError("split", split, self.splits, owner=repr(self.name))
        if split not in self._read:
            self._read.setdefault(split, _read_tasks(self, cast("Split", split)))
        return self._read[split]

    def count(self, split: Split) -> int:
        """Number of tasks of a split by the lines of its file, of which only the first and the last are read.

        Raises:
            TaskError: The file is malformed there.
        """
        _, lines = _lines_of(self, split)
        for end in (slice(0, 1), slice(-1, None)):
            _read_tasks(self, split, end)
        return len(lines)

    def train_tasks(self) -> tuple[Task, ...]:
        """The tasks that training may use.

        Raises:
            HeldOutError: The whole suite is held out.
        """
        if self.is_unseen_env:
            raise HeldOutError(
                f"suite {self.name!r} is an unseen environment and is held out from training; train on another suite"
            )
        return self.tasks("train")

    def task(self, task_id: str) -> Task:
        """The task of that id, from any split."""
        try:
            return self._tasks_by_id[task_id]
        except KeyError:
            raise UnknownNameError("task", task_id, self._tasks_by_id, owner=repr(self.name)) from None

    @cached_property
    def held_out_hashes(self) -> frozenset[str]:
        """Content hashes of the tasks of all splits but train."""
        return frozenset(task.content_hash for split in self.splits if split != "train" for task in self.tasks(split))

    def require_disjoint(self) -> None:
        """Refuse a suite in which a task stands in two splits, whatever its id: what is trained on would be tested.

        Raises:
            TaskError: Names the first of such tasks, and how many there are.
        """
        if self._twins:
            (one, other), count = self._twins[0], len(self._twins)
            raise TaskError(
                f"suite {self.name!r}: task {other.id!r} of the {other.split} split is the same as {one.id!r} of the "
                f"{one.split} split{f', and {count - 1} more stand in two splits' if count > 1 else ''}; remove the "
                f"copies, which this names: agentgym check {self.name}"
            )

    @cached_property
    def _twins(self) -> list[tuple[Task, Task]]:
        """Pairs of tasks of two splits that have the same content."""
        known: dict[str, Task] = {}
        twins = []
        for task in (task for split in self.splits for task in self.tasks(split)):
            first = known.setdefault(task.content_hash, task)
            if first.split != task.split:
                twins.append((first, task))
        return twins

    @cached_property
    def _read(self) -> dict[str, tuple[Task, ...]]:
        """The tasks of each split that somebody has asked for; those of a train split may be many."""
        return {}

    @cached_property
    def _tasks_by_id(self) -> dict[str, Task]:
        return {task.id: task for split in self.splits for task in self.tasks(split)}


def is_held_out(split: str | None, content_hash: str, hashes: Collection[str] = ()) -> bool:
    """Whether a task must not be learned from: it is in a split other than train, or equals such a task.

    Args:
        split: The task's; None where it was made on the fly.
        content_hash: The task's.
        hashes: `Suite.held_out_hashes`.
    """
    return split not in ("train", None) or content_hash in hashes


def require_trainable(tasks: Iterable[Task]) -> None:
    """The trainer's side of the guard against training on held-out tasks.

    Raises:
        HeldOutError: A task belongs to a split that is held out.
    """
    for task in tasks:
        if is_held_out(task.split, task.content_hash):
            raise HeldOutError(
                f"task {task.id!r} is in the {task.split} split of {task.suite!r}, which is held out from training; "
                f"use the tasks of the train split: load_suite({task.suite!r}).train_tasks()"
            )


def require_unseen(tasks: Iterable[Task], seen_hashes: frozenset[str] | set[str]) -> None:
    """The evaluation's side of the guard against testing on seen tasks.

    Args:
        tasks: The tasks to evaluate on.
        seen_hashes: Content hashes that the policy's checkpoint was trained on.

    Raises:
        HeldOutError: Some tasks were trained on.
    """
    seen = [task.id for task in tasks if task.content_hash in seen_hashes]
    if seen:
        raise HeldOutError(
            f"this checkpoint was trained on {len(seen)} of the tasks, such as {seen[0]!r}; evaluate on a held-out "
            f"split, or use allow_train (--allow-train) to measure the gap between trained-on and held-out tasks"
        )


def register_suites(root: Path) -> None:
    """Look for suites below another folder too, laid out as <family>/<suite>/suite.toml."""
    if not root.is_dir():
        raise TaskError(f"{root} is not a folder of suites; expected <family>/<suite>/suite.toml below it")
    if root not in _extra_roots:
        _extra_roots.append(root)
        _folders.cache_clear()
        load_suite.cache_clear()


def suite_names() -> list[str]:
    """Names of all suites that can be loaded, including those of third parties."""
    load_entry_points()
    return sorted(_folders())


@cache
def load_suite(name: str) -> Suite:
    """Read a suite's declaration.

    Args:
        name: Such as "tools/lookup".

    Raises:
        UnknownNameError: There is no such suite; suggests close ones.
        TaskError: Its suite.toml is malformed; says which key.
    """
    if name not in _folders():
        load_entry_points()
    folders = _folders()
    if name not in folders:
        why = [_NO_PATH] if name and os.path.exists(name) else []
        raise UnknownNameError("suite", name, folders, [*why, *load_entry_points()], see=SEE_LIST)
    return read_suite(folders[name])


def find_task(task_id: str) -> Task:
    """The task with an id of the form "family/suite:name"."""
    suite_name, colon, _ = task_id.partition(":")
    if not colon:
        raise TaskError(f"task id {task_id!r} does not name a suite; expected the form 'family/suite:name'")
    return load_suite(suite_name).task(task_id)


@cache
def _folders() -> dict[str, Path]:
    roots = [data_folder("tasks"), *_extra_roots]
    files = (file for root in roots for file in sorted(root.glob("*/*/suite.toml")))
    return {f"{file.parent.parent.name}/{file.parent.name}": file.parent for file in files}


def read_suite(folder: Path) -> Suite:
    """Read the declaration in a folder; see `load_suite`."""
    path = folder / "suite.toml"
    try:
        fields = parsed_toml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(unreadable(path, error)) from error
    except tomllib.TOMLDecodeError as error:
        raise TaskError(not_toml(path, error)) from error
    missing = [key for key in _REQUIRED if key not in fields]
    unknown = sorted(set(fields) - set(_REQUIRED) - set(_OPTIONAL))
    if missing or unknown:
        wrong = [f"keys {keys} are {what}" for keys, what in ((missing, "missing"), (unknown, "unknown")) if keys]
        raise TaskError(f"{path}: {', '.join(wrong)}; known: {_REQUIRED + _OPTIONAL}")
    expected_name = f"{folder.parent.name}/{folder.name}"
    if fields["name"] != expected_name:
        raise TaskError(f"{path}: key 'name' is {fields['name']!r}, but the folder says {expected_name!r}")
    for key in ("splits", "strata", "scores", "env_options"):
        if not isinstance(fields.get(key, {}), dict):
            raise TaskError(f"{path}: key {key!r} must be a table, got {fields[key]!r}")
    for key in ("is_unseen_env", "is_fully_observed"):
        if not isinstance(fields.get(key, False), bool):
            raise TaskError(f"{path}: key {key!r} must be true or false, got {fields[key]!r}")
    _check_splits(path, fields)
    try:
        fields["scores"] = {policy: DeclaredScore(**score) for policy, score in fields["scores"].items()}
    except TypeError as error:
        raise TaskError(f"{path}: key 'scores': {error}; expected success, tolerance, score") from error
    return Suite(folder=folder, **fields)


def _check_splits(path: Path, fields: Mapping[str, Any]) -> None:
    for split, strata in fields["splits"].items():
        if split not in SPLITS:
            raise TaskError(f"{path}: split {split!r} does not exist; expected {', '.join(SPLITS)}")
        strange = sorted(set(strata) - set(fields["strata"]))
        if strange:
            raise TaskError(f"{path}: split {split!r} names the strata {strange}, which [strata] does not describe")
    if fields.get("is_unseen_env") and "train" in fields["splits"]:
        raise TaskError(f"{path}: an unseen environment has no train split, but key 'splits' has one")
    if fields["headline"] not in fields["splits"].get("test", ()):
        strata = ", ".join(fields["splits"].get("test", ())) or "none"
        raise TaskError(f"{path}: headline {fields['headline']!r} is not a stratum of the test split; it has {strata}")


def _lines_of(suite: Suite, split: str) -> tuple[Path, list[str]]:
    """The file of a split and its lines, one for each task."""
    path = suite.folder / f"{split}.jsonl"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"the {split} split of {suite.name!r}: {unreadable(path, error)}") from error
    if not text.strip():
        raise TaskError(
            f"the {split} split of {suite.name!r} is empty: {path} holds no task; write its tasks, or take "
            f"{split!r} out of [splits] in {suite.folder / 'suite.toml'}"
        )
    return path, text.removesuffix("\n").split("\n")  # a task's text may hold other line ends


def _read_tasks(suite: Suite, split: Split, only: slice = slice(None)) -> tuple[Task, ...]:
    path, lines = _lines_of(suite, split)
    tasks: dict[str, Task] = {}
    places: dict[str, int] = {}
    for number, line in list(enumerate(lines, start=1))[only]:
        try:
            task = _read_task(suite, split, line)
            if task.id in places:
                raise TaskError(f"key 'id' must be unique, got {task.id!r}, which line {places[task.id]} has too")
        except (ValueError, RecursionError, TaskError) as error:
            again = f", or write the task files again with: python -m {suite.generator}" if suite.generator else ""
            raise TaskError(f"{path}:{number}: {error}. Correct the line{again}") from error
        tasks[task.id], places[task.id] = task, number
    return tuple(tasks.values())


def _read_task(suite: Suite, split: Split, line: str) -> Task:
    try:
        fields = json.loads(line)
    except json.JSONDecodeError as error:
        why = f"{error.msg.removesuffix(' at')} at column {error.colno}"
        raise TaskError(f"the line is not valid JSON: {why}") from error
    if not isinstance(fields, dict):
        raise TaskError(f"expected an object, got {type(fields).__name__}")
    task = Task.from_json({**fields, "suite": suite.name, "split": split})
    if task.stratum not in suite.splits[split]:
        raise TaskError(
            f"key 'stratum' is {task.stratum!r}, but [splits] of suite.toml gives {split} only "
            f"{', '.join(map(repr, suite.splits[split]))}"
        )
    if not task.id.startswith(f"{suite.name}:"):
        raise TaskError(f"key 'id' must start with '{suite.name}:', got {task.id!r}")
    return task
