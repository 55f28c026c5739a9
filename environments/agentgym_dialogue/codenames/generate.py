"""Writes the tasks of dialogue/codenames: `python -m agentgym_dialogue.codenames.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here; `generate_spymaster` writes the same tasks
for the other role.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.codenames.boards import OWN, Board, draw_board
from agentgym_dialogue.codenames.game import codenames_task
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite

SEED = 20_276
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"board-16": 2000},
    "validation": {"board-16": 200},
    "test": {"board-16": 200, "board-20": 100},
}
"""Tasks of each split and stratum; a stratum says how many words a board has."""


def generate(folder: Path, suite: str = "dialogue/codenames") -> None:
    """Write the three splits into a folder; no two boards have the same words of the team."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        board = draw_unseen(partial(draw_board, rng, int(stratum.removeprefix("board-"))), seen, _words)
        return codenames_task(task_id, index, board, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


def _words(board: Board) -> str:
    """What makes two boards the same: the words of the team."""
    return str(sorted(board.of_kind(OWN)))


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "codenames"))
