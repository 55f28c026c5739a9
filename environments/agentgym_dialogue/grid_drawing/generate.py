"""Writes the tasks of dialogue/grid-drawing: `python -m agentgym_dialogue.grid_drawing.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here; `generate_instructor` writes the same
tasks for the other role.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.grid_drawing.game import draw_strokes, drawing_task
from agentgym_dialogue.grid_drawing.strokes import drawn
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite

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


def generate(folder: Path, suite: str = "dialogue/grid-drawing") -> None:
    """Write the three splits into a folder; no target occurs twice in all."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        size, count = SHAPES[stratum]
        strokes = draw_unseen(partial(draw_strokes, rng, size, count), seen, partial(drawn, size=size))
        return drawing_task(task_id, index, size, strokes, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "grid-drawing"))
