"""Tasks drawn by kind, and the calls that solve a drawn task."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agentgym.errors import TaskError
from agentgym.task import Limits, Task
from agentgym_tools.mcp.kinds import KINDS, Draft, Kind, UnsuitableError
from agentgym_tools.mcp.kinds.draft import Call

LIMITS = Limits(max_turns=20, step_timeout_s=240.0, max_invalid=2)
_TRIES = 400


def draw_task(kind: Kind, key: str, *, task_id: str, seed: int, stratum: str = "") -> Task:
    """A task of a kind.

    Args:
        kind: The kind.
        key: What its randomness begins with.
        task_id: Its id.
        seed: Its seed; nothing in the episode is random.
        stratum: Its stratum.

    Raises:
        TaskError: The kind draws none.
    """
    for number in range(_TRIES):
        drawn = f"{key} {number}"
        try:
            draft = kind.draw(random.Random(drawn))
        except UnsuitableError:
            continue
        config: dict[str, Any] = {"servers": [kind.server], "kind": kind.name}
        if draft.scene:
            config["scene"] = dict(draft.scene)
        private = {"rules": list(draft.rules), "drawn": drawn}
        return Task(task_id, seed, draft.text, stratum=stratum, config=config, limits=LIMITS, private=private)
    raise TaskError(f"kind {kind.name!r} gave no fair task in {_TRIES} draws for {task_id!r}")


def calls_of(task: Task) -> Sequence[Call]:
    """The calls that solve a task before its answer is submitted: those that it states, or of the draft that it is of.

    Raises:
        TaskError: It is no task of ours, and states none.
    """
    if "calls" in task.private:
        return [(tool, dict(arguments)) for tool, arguments in task.private["calls"]]
    return draft_of(task).calls


def draft_of(task: Task) -> Draft:
    """The draft that a task is of.

    Raises:
        TaskError: It is no task of ours.
    """
    kind = KINDS.get(str(task.config.get("kind")))
    if kind is None or "drawn" not in task.private:
        raise TaskError(f"task {task.id!r} was not drawn here, and states no 'calls' for the oracle to make")
    return kind.draw(random.Random(str(task.private["drawn"])))
