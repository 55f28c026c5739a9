"""Writes the tasks of `SUITES`: `python -m agentgym_tools.mcp.generate [SUITE [FOLDER]]`.

What a task asks is in `kinds`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, write_suite, write_suites
from agentgym.errors import ConfigError
from agentgym.task import Split, Task
from agentgym_tools.mcp.drawing import draw_task
from agentgym_tools.mcp.kinds import KINDS

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


SUITES: Suites = {"tools/mcp": generate}

if __name__ == "__main__":
    write_suites(SUITES)
