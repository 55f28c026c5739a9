"""Writes the tasks of dialogue/chess-endgames: `python -m agentgym_dialogue.chess_endgames.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are written by hand.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.chess_endgames.endings import canonical, position
from agentgym_dialogue.chess_endgames.env import ChessEndgamesEnv
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite

SEED = 20_267
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"kq-k": 700, "kr-k": 700, "kp-k": 400, "kbb-k": 200},
    "validation": {"kq-k": 70, "kr-k": 70, "kp-k": 40, "kbb-k": 20},
    "test": {"krr-k": 60, "kq-k": 61, "kr-k": 62, "kp-k": 57, "kbb-k": 38, "kbn-k": 32},
}


def generate(folder: Path) -> None:
    """Write the three splits into a folder; no position occurs twice in all, mirrored or turned either."""
    rng, seen = random.Random(SEED), set[str]()
    env = ChessEndgamesEnv()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        board = draw_unseen(partial(position, stratum, rng), seen, canonical)
        return env.ending_task(task_id, index, board, split=split, stratum=stratum)

    write_suite(folder, "dialogue/chess-endgames", NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "chess-endgames"))
