"""The score of an episode of a task in OSWorld's form: its metrics, joined as the task says.

Nothing is pressed for the agent. Getters are asked here. Metrics read hostile files, in a process with limits.
A file that cannot be read, or is not what it claims to be, is worth 0.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from agentgym_gui.osworld.loading import Check, ForeignTask
from agentgym_gui.osworld.machine import Machine
from agentgym_gui.osworld.metrics.all_metrics import METRICS
from agentgym_gui.verify.apart.asking import answer_apart, ask_apart
from agentgym_gui.verify.reading import UnreadableFileError


def score(task: ForeignTask, machine: Machine, *, failed: bool) -> tuple[float, str]:
    """The score from 0 to 1, and for people what each metric gave.

    Args:
        task: The task.
        machine: Where the episode ended.
        failed: Whether the agent said that the task cannot be done.

    Raises:
        TaskError: A metric is given what it cannot use.
        InfrastructureError: The machine or the process of the metrics failed.
    """
    if not task.feasible:
        return float(failed), ""
    if failed:
        return 0.0, "the agent said that it cannot be done"
    calls = [_call(check, task, machine) for check in task.checks]
    found = ask_apart(f"{__name__}:answered", {"calls": calls, "is_any": task.is_any})
    if found is None:
        return 0.0, "reading the files took too much time or memory"
    return float(found[0]), str(found[1])


def _call(check: Check, task: ForeignTask, machine: Machine) -> dict[str, Any] | None:
    """A metric and what it is given, as JSON values; None where a getter finds nothing that can be read."""
    try:
        given = [getter.fetch(machine, task.cache) for getter in (check.result, check.expected) if getter is not None]
    except UnreadableFileError:
        return None
    return {"metric": check.metric, "given": [_packed(each) for each in given], "options": dict(check.options)}


def _packed(value: Any) -> Any:
    """A value of a getter as JSON: a file is an object with one key, all else stands below another."""
    if isinstance(value, bytes):
        return {"file": base64.b64encode(value).decode()}
    if isinstance(value, list) and any(isinstance(each, bytes) for each in value):
        return {"files": [_packed(each) for each in value]}
    return {"value": value}


def _unpacked(packed: Mapping[str, Any]) -> Any:
    if "file" in packed:
        return base64.b64decode(packed["file"])
    return [_unpacked(each) for each in packed["files"]] if "files" in packed else packed["value"]


def joined(question: Mapping[str, Any]) -> tuple[float, str]:
    """The score of calls that `score` packed, and what each metric gave until the score was certain."""
    found, told = [], []
    for call in question["calls"]:
        value = 0.0 if call is None else _value(call)
        found.append(value)
        told.append(f"{'a file that cannot be read' if call is None else call['metric']}: {value:g}")
        if value == (1.0 if question["is_any"] else 0.0):
            return value, ", ".join(told)
    return max(found) if question["is_any"] else sum(found) / len(found), ", ".join(told)


def _value(call: Mapping[str, Any]) -> float:
    try:
        found = METRICS[call["metric"]](*map(_unpacked, call["given"]), **call["options"])
    except UnreadableFileError:
        return 0.0
    return min(1.0, max(0.0, float(found)))


def answered(asked: bytes) -> tuple[bytes, int]:
    """The answer of `score`'s question."""
    return answer_apart(joined, asked)
