"""Writes the tasks of `SUITES`: `python -m agentgym_gui.phone.generate [SUITE [FOLDER]]`.

What the kinds of tasks are is in `tasks`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_gui.phone.tasks import KINDS, make_task

SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {"train": 12},
    "validation": {"validation": 6},
    "test": {"test": 12},
}
"""Strata of each split with their numbers of tasks."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of gui/phone into a folder; kinds take turns, and no task occurs twice."""
    seen: set[str] = set()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rng = random.Random(task_id)
        kind = list(KINDS)[index % len(KINDS)]

        def draw() -> Task:
            return make_task(kind, rng, task_id, stratum=stratum)

        return draw_unseen(draw, seen, lambda task: task.content_hash)

    write_suite(folder, suite, SIZES, make)


SUITES: Suites = {"gui/phone": generate}

if __name__ == "__main__":
    write_suites(SUITES)
