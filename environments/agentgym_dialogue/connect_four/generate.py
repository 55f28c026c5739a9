"""Writes the tasks of dialogue/connect-four: `python -m agentgym_dialogue.connect_four.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.connect_four.game import ERROR_RATE, board_of_size, draw_opening, draw_slips
from agentgym_dialogue.line_game import line_task
from agentgym_dialogue.task_files import suite_folder, write_suite

SEED = 20_272
SIZES = {"6x5": (6, 5), "7x6": (7, 6), "8x7": (8, 7)}
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "test": {"7x6": 150, "6x5": 75, "8x7": 75},
    "validation": {"6x5": 100, "7x6": 100},
    "train": {"6x5": 1000, "7x6": 1000},
}
"""In the order of drawing: what one split has drawn, or its mirror image, the next ones do not."""


def generate(folder: Path) -> None:
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

    write_suite(folder, "dialogue/connect-four", NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "connect-four"))
