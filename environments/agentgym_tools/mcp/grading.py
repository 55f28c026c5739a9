"""Whether what came of an episode is right: its answer, and everything in the work folder.

A task's rules say what should have changed; whatever they do not name has to be as it was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentgym.errors import AgentGymError, TaskError
from agentgym.task import Task
from agentgym_tools.mcp.rules import repositories, rows
from agentgym_tools.mcp.rules.answers import is_right_answer
from agentgym_tools.mcp.work_folder import Start, start_of

KINDS = ("answer", "rows", "repository", "files")
MAX_FILES = 5_000
_BESIDE = ("-journal", "-wal", "-shm")


def rules_of(task: Task) -> Sequence[Mapping[str, Any]]:
    """The rules of a task.

    Raises:
        TaskError: It has none, or one of an unknown kind.
    """
    rules = task.private.get("rules")
    if not isinstance(rules, list) or not rules:
        raise TaskError(f"task {task.id!r} is not a task of McpTools: its private part has no list of rules")
    for rule in rules:
        if not isinstance(rule, Mapping) or rule.get("rule") not in KINDS:
            raise TaskError(f"task {task.id!r} has the rule {rule!r:.200}; expected `rule` to be of {', '.join(KINDS)}")
    return rules


def fault(task: Task, answer: str, folder: Path | None) -> str:
    """What is wrong with the result of an episode; "" where all is right.

    Args:
        task: The task.
        answer: What was submitted.
        folder: A copy of the work folder that nobody else writes to; None where nothing was called, so that it is as it
            was.

    Raises:
        TaskError: The task's rules are malformed.
    """
    rules, start = rules_of(task), start_of(task.config)
    for rule in rules:
        if rule["rule"] == "answer" and not is_right_answer(rule, answer):
            return "the answer is wrong"
    if folder is None:
        has_to_change = any(rule["rule"] != "answer" and _changes(rule) for rule in rules)
        return "nothing was changed" if has_to_change else ""
    named = {(rule["rule"], rule.get("path", "")): rule for rule in rules if rule["rule"] != "answer"}
    return _state_fault(task, start, named, folder)


def _changes(rule: Mapping[str, Any]) -> bool:
    return bool(rule.get("after"))


def _state_fault(task: Task, start: Start, named: Mapping[Any, Mapping[str, Any]], folder: Path) -> str:
    for path, repository in start.repositories.items():
        steps = named.get(("repository", path), {}).get("after", [])
        expected = repository.copy()
        try:
            expected.apply(steps)
        except (AgentGymError, KeyError, TypeError, ValueError) as error:
            raise TaskError(f"task {task.id!r} has steps that cannot be made: {error}") from error
        why = repositories.difference(folder / path, repository, expected)
        if why:
            return why
    for path, database in start.databases.items():
        why = rows.difference(folder / path, _expected_rows(database, named.get(("rows", path), {}).get("after", "")))
        if why:
            return why
    after = {path: text for rule in named.values() if rule["rule"] == "files" for path, text in rule["after"].items()}
    return _files_fault(start, after, folder)


@lru_cache(maxsize=64)
def _expected_rows(database: bytes, sql: str) -> rows.Content:
    try:
        return rows.trusted_content(changed) if (changed := rows.changed(database, sql)) else rows.trusted_content(b"")
    except sqlite3.Error as error:
        raise TaskError(f"the SQL of a rule cannot be carried out: {error}: {sql[:200]}") from error


def _files_fault(start: Start, after: Mapping[str, str | None], folder: Path) -> str:
    """Whether plain files are as they were, but for those that should have changed."""
    apart = tuple(f"{path}/" for path in start.repositories)
    databases = set(start.databases)
    found: dict[str, Path] = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        is_apart = name.startswith(apart) or name in databases or name.removesuffix(_suffix(name)) in databases
        if path.is_file() and not is_apart:
            found[name] = path
        if len(found) > MAX_FILES:
            return f"there are more than {MAX_FILES} files"
    expected = {path: content for path, content in start.files.items() if path not in after}
    expected |= {path: text.encode() for path, text in after.items() if text is not None}
    for name in sorted(found.keys() | expected.keys()):
        if name not in found or name not in expected or found[name].read_bytes() != expected[name]:
            return f"the file {name[:100]} is not as it should be"
    return ""


def _suffix(name: str) -> str:
    return next((each for each in _BESIDE if name.endswith(each)), "\0")
