"""The kinds of shell task, a module per family; each has `KINDS`, functions that draw a task."""

from __future__ import annotations

from random import Random

from agentgym.task import Task
from agentgym_swe.terminal.draft import Kind, to_task
from agentgym_swe.terminal.kinds import find, logs, permissions, repository, transform, unseen_kinds

_KINDS: dict[str, tuple[Kind, ...]] = {
    "find": find.KINDS,
    "transform": transform.KINDS,
    "permissions": permissions.KINDS,
    "logs": logs.KINDS,
    "repository": repository.KINDS,
    "unseen_kinds": unseen_kinds.KINDS,
}
FAMILIES = tuple(_KINDS)
"""All families."""
TRAINED = FAMILIES[:-1]
"""Those that the train split has."""


def draw_task(
    family: str, rng: Random, seed: int, *, task_id: str = "", stratum: str = "", number: int | None = None
) -> Task:
    """A task of a family; `number` takes its kinds in turn, None draws one."""
    kinds = _KINDS[family]
    kind = rng.choice(kinds) if number is None else kinds[number % len(kinds)]
    return to_task(kind(rng), seed=seed, family=family, task_id=task_id, stratum=stratum)
