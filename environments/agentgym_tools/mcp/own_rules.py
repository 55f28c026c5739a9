"""Whether what a task of your own asks for can come about at all; else every episode of it would fail.

Judging an episode is in `grading`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, TypeVar

from agentgym.errors import AgentGymError, TaskError
from agentgym.task import Task
from agentgym_tools.mcp.grading import rules_of
from agentgym_tools.mcp.rules import rows
from agentgym_tools.mcp.rules.answers import TYPES, can_be_right
from agentgym_tools.mcp.work_folder import Start, start_of

_Part = TypeVar("_Part")
_CALLS = 'expected "calls" such as [["notes__add", {"text": "…"}]]'


def require_sound(task: Task) -> None:
    """Refuse rules that no episode can meet, or that would be left out, and calls that are none.

    Raises:
        TaskError: Says which, what was got, and what is expected.
    """
    start = start_of(task.config)
    seen = set()
    for rule in rules_of(task):
        kind, path = rule["rule"], str(rule.get("path", ""))
        if (kind, path) in seen:
            raise TaskError(f"it states two rules {kind!r}{f' for {path!r}' if path else ''}; join them into one")
        seen.add((kind, path))
        _CHECKS[kind](rule, start)
    _check_calls(task)


def _check_answer(rule: Mapping[str, Any], start: Start) -> None:
    kind, value = rule.get("type"), rule.get("value")
    if kind not in TYPES:
        raise TaskError(f"an answer's type is one of {', '.join(TYPES)}: got {kind!r}")
    if not can_be_right(kind, value):
        shape = {"number": "a number, such as 12.5", "time": 'a time of day, such as "17:40"', "text": "a text"}
        raise TaskError(
            f"an answer of type {kind!r} has as value {shape.get(kind, 'a list of texts')}: got {value!r:.80}"
        )


def _check_files(rule: Mapping[str, Any], start: Start) -> None:
    after = rule.get("after")
    if not isinstance(after, Mapping) or not all(isinstance(text, str | None) for text in after.values()):
        raise TaskError(
            f'a rule of files has "after" such as {{"notes.txt": "…"}}, null for a file that is gone: got {after!r:.80}'
        )
    for path in after:
        pure = PurePosixPath(path)
        if str(pure) != path or pure.is_absolute() or not pure.parts or ".." in pure.parts:
            raise TaskError(f"{path!r:.80} is no plain path inside the work folder; expected one such as 'a/notes.txt'")
        owners = [name for name in (*start.databases, *start.repositories) if pure.is_relative_to(name)]
        if owners:
            raise TaskError(f"{path!r:.80} belongs to {owners[0]!r}, which has a rule of its own kind; name that one")


def _check_rows(rule: Mapping[str, Any], start: Start) -> None:
    database, sql = _named(rule, start.databases, "databases"), rule.get("after")
    if not isinstance(sql, str):
        raise TaskError(f'a rule of rows has SQL as "after": got {sql!r:.80}')
    try:
        rows.changed(database, sql)
    except sqlite3.Error as error:
        raise TaskError(
            f"the SQL of the rule for {rule['path']!r} cannot be carried out: {error}: {sql:.200}"
        ) from error


def _check_repository(rule: Mapping[str, Any], start: Start) -> None:
    repository, steps = _named(rule, start.repositories, "repositories"), rule.get("after")
    try:
        if not isinstance(steps, list):
            raise TypeError(f"got {steps!r:.80}")
        repository.copy().apply(steps)
    except (AgentGymError, LookupError, TypeError, ValueError) as error:
        raise TaskError(
            f"the steps of the rule for {rule['path']!r} cannot be made: {error}; expected steps such as "
            '[["stage", "a.txt"], ["commit", "Add a"]]'
        ) from error


_CHECKS: Mapping[str, Callable[[Mapping[str, Any], Start], None]] = {
    "answer": _check_answer,
    "files": _check_files,
    "rows": _check_rows,
    "repository": _check_repository,
}


def _named(rule: Mapping[str, Any], there: Mapping[str, _Part], key: str) -> _Part:
    """What a rule is about."""
    path = rule.get("path")
    if not isinstance(path, str) or path not in there:
        raise TaskError(f"a rule of {rule['rule']} has the path {path!r}; the task's {key} are {sorted(there)}")
    return there[path]


def _check_calls(task: Task) -> None:
    calls, servers = task.private.get("calls", []), task.config["servers"]
    if not isinstance(calls, list):
        raise TaskError(f"{_CALLS}: got {calls!r:.80}")
    for call in calls:
        is_call = isinstance(call, list) and len(call) == 2 and isinstance(call[0], str) and isinstance(call[1], dict)
        if not is_call:
            raise TaskError(f"{_CALLS}: got {call!r:.80}")
        if call[0].partition("__")[0] not in servers:
            raise TaskError(
                f"the call {call[0]!r:.80} is of no server of the task; its servers are {', '.join(servers)}"
            )
