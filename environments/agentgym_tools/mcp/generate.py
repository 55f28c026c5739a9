"""Writes the tasks of `SUITES`: `python -m agentgym_tools.mcp.generate [SUITE [FOLDER]]`.

What a task asks is in `kinds`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from agentgym.authoring.task_files import First, Suites, numbered_id, write_suite, write_suites
from agentgym.errors import ConfigError
from agentgym.task import Split, Task
from agentgym_tools.mcp.drawing import draw_task
from agentgym_tools.mcp.injections import Planted
from agentgym_tools.mcp.kinds import KINDS
from agentgym_tools.mcp.planting import plant
from agentgym_tools.planted_texts import Place, write_injected

UNSEEN_KINDS = "unseen_kinds"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {"git": 165, "sqlite": 105, "time": 90},
    "validation": {"validation_git": 30, "validation_sqlite": 20, "validation_time": 15},
    "test": {"unseen_git": 45, "unseen_sqlite": 30, "unseen_time": 24, UNSEEN_KINDS: 56},
}
"""Strata of each split with their numbers of tasks."""
_TRIES = 50


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of tools/mcp into a folder."""
    seen: set[str] = set()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        kinds = [
            kind
            for kind in KINDS.values()
            if kind.is_held_out == (stratum == UNSEEN_KINDS)
            and (stratum == UNSEEN_KINDS or kind.server == stratum.rpartition("_")[2])
        ]
        seed = random.Random(task_id).randrange(2**31)
        for number in range(_TRIES):
            kind = kinds[index % len(kinds)]
            task = draw_task(kind, f"{task_id} {number}", task_id=task_id, seed=seed, stratum=stratum)
            asked = f"{task.instruction} {task.config.get('scene')}"
            if asked not in seen:
                seen.add(asked)
                return task
        raise ConfigError(f"no task for {task_id!r} that is not there already; ask for fewer")

    write_suite(folder, suite, SIZES, make)


def generate_injected(folder: Path, suite: str, first: First = None) -> None:
    """Write tasks with planted texts, and for those of the test split twins whose texts want nothing.

    The twins of some tasks alone are those of the file where these are the first ones of the split.
    """
    seen: set[str] = set()

    def draw_tasks(split: Split, stratum: str, places: Sequence[Place]) -> Iterator[Task]:
        return (_draw_injected(numbered_id(suite, split, place.index), place, seen) for place in places)

    write_injected(folder, suite, Planted, draw_tasks, first)


def _draw_injected(task_id: str, place: Place, seen: set[str]) -> Task:
    """A task of some kind of a server that has a place for the attack; one turn in three uses the task's own tool."""
    server, uses_own_tool = ("git", "sqlite")[place.number % 2], place.turn % 3 == 0
    rng, seed = random.Random(f"{task_id} attack"), random.Random(task_id).randrange(2**31)
    kinds = [kind for kind in KINDS.values() if not kind.is_held_out and kind.server == server]
    for number in range(_TRIES):
        task = draw_task(rng.choice(kinds), f"{task_id} {number}", task_id=task_id, seed=seed)
        asked = f"{task.instruction} {task.config['scene']}"
        planted = None if asked in seen else plant(rng, task, place.family, uses_own_tool=uses_own_tool)
        if planted is not None:
            seen.add(asked)
            return planted
    raise ConfigError(f"no task of {server} has a place for an attack of the family {place.family}")


SUITES: Suites = {"tools/mcp": generate, "tools/mcp-injected": generate_injected}

if __name__ == "__main__":
    write_suites(SUITES)
