"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.boards.connect_four.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.boards.connect_four.game import ERROR_RATE, board_of_size, draw_opening, draw_slips
from agentgym_dialogue.boards.line_game import line_task

SEED = 20_272
SIZES = {"6x5": (6, 5), "7x6": (7, 6), "8x7": (8, 7)}
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "test": {"7x6": 150, "6x5": 75, "8x7": 75},
    "validation": {"6x5": 100, "7x6": 100},
    "train": {"6x5": 1000, "7x6": 1000},
}
"""In the order of drawing: what one split has drawn, or its mirror image, the next ones do not."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no opening or its mirror image is in two splits."""
    rng = random.Random(SEED)
    split_of: dict[tuple[int, ...], Split] = {}

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        board = board_of_size(*SIZES[stratum])
        while True:
            opening = draw_opening(rng, board)
            mirrored = tuple(board.columns - 1 - column for column in opening)
            if split_of.setdefault((board.columns, *min(opening, mirrored)), split) == split:
                slips = draw_slips(rng, board, ERROR_RATE)
                return line_task(task_id, index, board, opening, slips, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


SUITES: Suites = {"dialogue/connect-four": generate}

if __name__ == "__main__":
    write_suites(SUITES)
