"""Traces like those of Mind2Web (arXiv:2306.06070), read from JSON files: one task a trace, or one a step.

A trace has `confirmed_task` and `actions`; an action has `cleaned_html`, `pos_candidates` and `operation`. Episodes on
them are played by `semi_online`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from agentgym.errors import TaskError
from agentgym.task import Limits, Task
from agentgym_web.formats.json_files import read_list
from agentgym_web.formats.page_cuts import cut_page, has_element

MAX_BYTES = 512 << 20
MAX_HTML = 60_000
"""Characters of a page that are shown at most."""
_VERBS = {"CLICK": "click", "HOVER": "click", "ENTER": "click", "TYPE": "fill", "SELECT": "select_option"}


class UnjudgeableError(TaskError):
    """A well-formed step on whose page no right element can be shown."""


class LoadedTraces(NamedTuple):
    """What a file of traces came to.

    Attributes:
        tasks: The tasks of agentgym/WebTrace-v0.
        num_steps_left_out: Steps that are not played, for want of a right element.
    """

    tasks: list[Task]
    num_steps_left_out: int


def load_traces(
    path: Path,
    *,
    by_step: bool = False,
    max_patches: int = 0,
    max_html: int = MAX_HTML,
    leave_out: bool = False,
) -> LoadedTraces:
    """The traces of a file as tasks of agentgym/WebTrace-v0.

    Args:
        path: A JSON file with a list of traces, or with one.
        by_step: Whether each step is a task of its own, with the expert's steps before it as its history.
        max_patches: How many differing steps of an episode are replaced by the expert's; see `TraceEnv`.
        max_html: Most characters of a page; of a longer one its head and the part with a right element are kept.
        leave_out: Whether steps without a right element that can be shown are left out instead of refused, and traces
            that have no other.

    Raises:
        UnjudgeableError: Such a step, which is not to be left out; or there is no other in the file.
        TaskError: The file cannot be read, is too large, or a trace is malformed; says which.
    """
    traces = read_list(path, MAX_BYTES, "a list of traces with confirmed_task and actions")
    tasks: list[Task] = []
    refused: list[UnjudgeableError] = []
    for number, trace in enumerate(traces):
        where = f"{path}: trace {number}"
        steps = []
        for at, action in enumerate(_actions(where, trace)):
            try:
                steps.append(_step(f"{where}, action {at}", action, max_html))
            except UnjudgeableError as error:
                if not leave_out:
                    raise UnjudgeableError(f"{error}, or leave such steps out with leave_out=true") from error
                refused.append(error)
        name = f"trace:{trace.get('annotation_id', number)}"
        goal = trace["confirmed_task"]
        if by_step:
            tasks += [_task(f"{name}:{at}", number, goal, steps[: at + 1], at, 0) for at in range(len(steps))]
        elif steps:
            tasks.append(_task(name, number, goal, steps, 0, max_patches))
    if not tasks:
        raise UnjudgeableError(f"none of the {len(refused)} steps of {path} can be played, such as: {refused[0]}")
    return LoadedTraces(tasks, len(refused))


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


def _actions(where: str, trace: Any) -> list[Any]:
    if not isinstance(trace, dict) or "confirmed_task" not in trace or not isinstance(trace.get("actions"), list):
        raise TaskError(f"{where}: expected an object with confirmed_task and a list of actions")
    if not isinstance(trace["confirmed_task"], str):
        raise TaskError(f"{where}: confirmed_task must be a text: got {trace['confirmed_task']!r:.80}")
    if not trace["actions"]:
        raise TaskError(f"{where}: it has no actions")
    actions: list[Any] = trace["actions"]
    return actions


def _step(where: str, action: Any, max_html: int) -> dict[str, Any]:
    fields = action if isinstance(action, dict) else {}
    page, operation, candidates = (fields.get(key) for key in ("cleaned_html", "operation", "pos_candidates"))
    if not isinstance(page, str) or not isinstance(operation, dict) or not isinstance(candidates, list):
        raise TaskError(
            f"{where}: expected an object with a text cleaned_html, a list pos_candidates, and an operation: "
            f"got {action!r:.80}"
        )
    op, value = operation.get("op"), operation.get("value", "")
    if not isinstance(op, str) or op not in _VERBS:
        raise TaskError(f"{where}: op of its operation must be of {', '.join(_VERBS)}: got {op!r:.80}")
    if not isinstance(value, str | int | float):
        raise TaskError(f"{where}: value of its operation must be a text: got {value!r:.80}")
    for each in candidates:
        if not isinstance(each, dict) or not isinstance(each.get("backend_node_id"), str | int):
            raise TaskError(f"{where}: pos_candidates must be objects with backend_node_id: got {each!r:.80}")
    ids = [str(each["backend_node_id"]) for each in candidates]
    if not ids:
        raise UnjudgeableError(f"{where}: it has no pos_candidates, so that no answer to it is right; drop the step")
    shown = [each for each in ids if has_element(page, each)]
    cut = cut_page(page, shown[0], max_html) if shown else None
    if cut is None:
        why = f"its right element has more than {max_html} characters" if shown else "no right element is on its page"
        raise UnjudgeableError(f"{where}: {why}; drop the step")
    ids = [*shown, *(each for each in ids if each not in shown)]  # the first is what the expert is said to have done
    return {"page": cut, "verb": _VERBS[op], "ids": ids, "value": str(value)}
