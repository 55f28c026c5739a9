"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.words.codenames.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.words.codenames.boards import OWN, Board, draw_board
from agentgym_dialogue.words.codenames.game import codenames_task

SEED = 20_276
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"board-16": 2000},
    "validation": {"board-16": 200},
    "test": {"board-16": 200, "board-20": 100},
}
"""Tasks of each split and stratum; a stratum says how many words a board has."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no two boards have the same words of the team."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        board = draw_unseen(partial(draw_board, rng, int(stratum.removeprefix("board-"))), seen, _words)
        return codenames_task(task_id, index, board, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


def _words(board: Board) -> str:
    """What makes two boards the same: the words of the team."""
    return str(sorted(board.of_kind(OWN)))


SUITES: Suites = {"dialogue/codenames": generate, "dialogue/codenames-spymaster": generate}
"""The suites hold the same tasks, for the guesser and for the spymaster."""

if __name__ == "__main__":
    write_suites(SUITES)
