"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.describing.grid_drawing.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.describing.grid_drawing.game import draw_strokes, drawing_task
from agentgym_dialogue.describing.grid_drawing.strokes import drawn

SEED = 20_272
SHAPES: Mapping[str, tuple[int, int]] = {
    "strokes-2": (5, 2),
    "strokes-3": (5, 3),
    "strokes-5": (5, 5),
    "size-7": (7, 3),
}
"""By stratum the size of its grids, and how many strokes make each."""
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"strokes-2": 700, "strokes-3": 1300},
    "validation": {"strokes-2": 60, "strokes-3": 140},
    "test": {"strokes-3": 200, "strokes-5": 50, "size-7": 50},
}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no target occurs twice in all."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        size, count = SHAPES[stratum]
        strokes = draw_unseen(partial(draw_strokes, rng, size, count), seen, partial(drawn, size=size))
        return drawing_task(task_id, index, size, strokes, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


SUITES: Suites = {"dialogue/grid-drawing": generate, "dialogue/grid-drawing-instructor": generate}
"""The suites hold the same tasks, for the drawer and for the instructor."""

if __name__ == "__main__":
    write_suites(SUITES)
