"""Traces like those of Mind2Web (arXiv:2306.06070), read from JSON files: one task a trace, or one a step.

A trace has `confirmed_task` and `actions`; an action has `cleaned_html`, `pos_candidates` and `operation`. Episodes on
them are played by `semi_online`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import TaskError
from agentgym.task import Limits, Task
from agentgym_web.formats.json_files import read_list

MAX_BYTES = 512 << 20
_VERBS = {"CLICK": "click", "HOVER": "click", "ENTER": "click", "TYPE": "fill", "SELECT": "select_option"}


def load_traces(path: Path, *, by_step: bool = False, max_patches: int = 0) -> list[Task]:
    """The traces of a file as tasks of agentgym/WebTrace-v0.

    Args:
        path: A JSON file with a list of traces, or with one.
        by_step: Whether each step is a task of its own, with the expert's steps before it as its history.
        max_patches: How many differing steps of an episode are replaced by the expert's; see `TraceEnv`.

    Raises:
        TaskError: The file cannot be read, is too large, or a trace is malformed; says which.
    """
    traces = read_list(path, MAX_BYTES, "a list of traces with confirmed_task and actions")
    tasks: list[Task] = []
    for number, trace in enumerate(traces):
        steps = _steps(f"{path}: trace {number}", trace)
        name = f"trace:{trace.get('annotation_id', number)}"
        goal = str(trace["confirmed_task"])
        if by_step:
            tasks += [_task(f"{name}:{at}", number, goal, steps[: at + 1], at, 0) for at in range(len(steps))]
        else:
            tasks.append(_task(name, number, goal, steps, 0, max_patches))
    return tasks


def _task(name: str, seed: int, goal: str, steps: list[dict[str, Any]], first: int, max_patches: int) -> Task:
    turns = len(steps) - first
    return Task(
        name,
        seed,
        instruction=goal,
        config={"first": first, "max_patches": max_patches, "pages": [step["page"] for step in steps]},
        limits=Limits(max_turns=turns + 3),
        private={"steps": [{key: step[key] for key in ("verb", "ids", "value")} for step in steps]},
    )


def _steps(where: str, trace: Any) -> list[dict[str, Any]]:
    if not isinstance(trace, dict) or "confirmed_task" not in trace or not isinstance(trace.get("actions"), list):
        raise TaskError(f"{where}: expected an object with confirmed_task and a list of actions")
    steps = [_step(f"{where}, action {number}", action) for number, action in enumerate(trace["actions"])]
    if not steps:
        raise TaskError(f"{where}: it has no actions")
    return steps


def _step(where: str, action: Any) -> dict[str, Any]:
    try:
        operation: Mapping[str, Any] = action["operation"]
        verb, value = _VERBS[operation["op"]], operation.get("value", "")
        ids = [str(each["backend_node_id"]) for each in action["pos_candidates"]]
        page = str(action["cleaned_html"])
    except (KeyError, TypeError, AttributeError) as error:
        raise TaskError(
            f"{where}: expected cleaned_html, pos_candidates with backend_node_id, and an operation with op "
            f"{', '.join(_VERBS)}: {error!r} is missing or unknown"
        ) from error
    if not ids:
        raise TaskError(f"{where}: it has no pos_candidates, so that no answer to it is right; leave the trace out")
    return {"page": page, "verb": verb, "ids": ids, "value": str(value)}
