"""Judges predictions of a file: a diff for each task, in the form that SWE-bench takes and `agentgym export` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError, TaskError, suggestion, unreadable
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_swe.repair.ground import close_judges
from agentgym_swe.repair.hunting import hunting_env
from agentgym_swe.repair.own_tasks import MAKE, read_folder, read_own_tasks
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.judge import Judge, Verdict
from agentgym_swe.repair.verdict.patches import from_diff
from agentgym_swe.repair.verdict_file import VerdictFile
from agentgym_swe.room import Wanted

SUITE = "swe/repair"
_MAX_TOLD, _MAX_KEYS = 5, 8
_FORM = 'a line is such as {"instance_id": "swe/repair:test-00000", "model_patch": "--- a/FILE\\n+++ b/FILE\\n@@ …"}'


@dataclass(frozen=True)
class Prediction:
    """What is said to solve a task.

    Attributes:
        task: The task.
        diff: A unified diff of what an agent is given; "" for none.
    """

    task: Task
    diff: str


def read_predictions(path: Path, own: Path | None = None) -> list[Prediction]:
    """The predictions of a JSONL file, whose rows have `instance_id` and `model_patch`.

    Args:
        path: The file.
        own: A file or folder of tasks of your own; None takes those of the suite.

    Raises:
        ConfigError: Tasks of your own cannot be read.
        TaskError: The file cannot be read, or rows are no predictions of these tasks; says which lines and why.
    """
    tasks = {task.id: task for task in _tasks(own)}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # JSON may hold other separators of lines
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(unreadable(path, error)) from error
    found, wrong = [], []
    places: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        row = _row(line)
        if isinstance(row, str):
            wrong.append(f"{path}:{number}: {row}")
            continue
        name = row["instance_id"]
        if name in places:
            wrong.append(f"{path}:{number}: instance_id {name!r} must be unique, and line {places[name]} has it too")
        elif name not in tasks:
            next_move = _instead(name, tasks, own) if len(wrong) < _MAX_TOLD else ""
            wrong.append(f"{path}:{number}: {own or SUITE} has no task {name!r}{next_move}")
        else:
            found.append(Prediction(tasks[name], row["model_patch"] or ""))
        places.setdefault(name, number)
    if wrong:
        more = f"\nand {len(wrong) - _MAX_TOLD} more" if len(wrong) > _MAX_TOLD else ""
        raise TaskError("\n".join(wrong[:_MAX_TOLD]) + more)
    if not found:
        raise TaskError(f"{path} holds no prediction; `agentgym export RUN --form predictions` writes such a file")
    return found


def judge_predictions(
    predictions: Sequence[Prediction], sandbox: Wanted = None, kept: VerdictFile | None = None
) -> Iterator[tuple[Prediction, Verdict]]:
    """Each prediction with its verdict, as `agentgym/Repair-v0` would reach it.

    Args:
        predictions: From `read_predictions`.
        sandbox: As in `SandboxEnv`; one that cannot limit memory and CPU shares need not.
        kept: A file that gets each verdict as it is reached; those that stand there are not reached again.

    Raises:
        NotPreparedError: A package is not prepared.
        SandboxError: A verdict cannot be had: the fault is not the code's.
        StoreError: The file cannot be written.
    """
    with ExitStack() as stack:
        judge: Judge | None = None  # needs a sandbox, which those that are kept do not
        for each in predictions:
            verdict = None if kept is None else kept.find(each.task, each.diff)
            if verdict is None:
                if judge is None:
                    stack.callback(close_judges)
                    judge = stack.enter_context(closing(hunting_env(sandbox))).judge
                repair = read_task(each.task)
                verdict = judge.verdict(repair.case, from_diff(repair.layer, repair.case.given, each.diff))
                if kept is not None:
                    kept.add(each.task, each.diff, verdict)
            yield each, verdict


def _tasks(own: Path | None) -> Iterable[Task]:
    if own is not None:
        if not own.exists():
            raise ConfigError(f"--tasks must name a file or a folder of tasks, and there is no {own}; {MAKE}")
        return read_folder(own) if own.is_dir() else read_own_tasks(own)
    suite = load_suite(SUITE)
    return [task for split in suite.splits for task in suite.tasks(split)]


def _instead(name: str, known: Iterable[str], own: Path | None) -> str:
    """What to write instead of an id that there is not, for the end of a message."""
    if not own and not name.startswith(f"{SUITE}:"):
        return "; name the file or folder of tasks of your own with --tasks"
    close = suggestion(name, known)
    return "" if close.startswith("known") else f"; {close}"


def _row(line: str) -> dict[str, Any] | str:
    """A row with both fields, or what is wrong with it."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return f"the line is not valid JSON: {error.msg.removesuffix(' at')} at column {error.colno}; {_FORM}"
    if not isinstance(row, dict):
        return f"expected an object, got {type(row).__name__}; {_FORM}"
    if not isinstance(row.get("instance_id"), str):
        return f'expected an object with "instance_id", a text, got {_got(row, "instance_id")}; {_FORM}'
    if not isinstance(row.get("model_patch", 0), str | None):
        return f'expected "model_patch", a diff or null, got {_got(row, "model_patch")}; {_FORM}'
    return row


def _got(row: Mapping[str, Any], key: str) -> str:
    """What a row has in place of a value of the right kind."""
    if key in row:
        return type(row[key]).__name__
    more = f" and {len(row) - _MAX_KEYS} more" if len(row) > _MAX_KEYS else ""
    return f"the keys {', '.join(map(repr, list(row)[:_MAX_KEYS]))}{more}" if row else "no keys"
