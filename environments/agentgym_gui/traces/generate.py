"""Writes the tasks of `SUITES`: `python -m agentgym_gui.traces.generate [SUITE [FOLDER]]`.

What the screens show is drawn in `screens`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_gui.traces.files import tasks_of
from agentgym_gui.traces.screens import draw_trace

LONGER, NAMES = "longer", "unseen_names"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {"train": 1500},
    "validation": {"validation": 100},
    "test": {"unseen_screens": 200, NAMES: 100, LONGER: 100},
}
"""Strata of each split with their numbers of tasks."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of gui/traces into a folder; no trace occurs twice."""
    seen: set[str] = set()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        rng = random.Random(task_id)

        def draw() -> dict[str, Any]:
            return draw_trace(rng, 2 if stratum == LONGER else 1, stratum == NAMES)

        trace = draw_unseen(draw, seen, str)
        [task] = tasks_of(trace, task_id, 0, Path())
        return replace(task, id=task_id, stratum=stratum)

    write_suite(folder, suite, SIZES, make)


SUITES: Suites = {"gui/traces": generate}

if __name__ == "__main__":
    write_suites(SUITES)
