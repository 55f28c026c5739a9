"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.boards.chess_endgames.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_split, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.boards.chess_endgames.endings import canonical, position
from agentgym_dialogue.boards.chess_endgames.env import ChessEndgamesEnv
from agentgym_dialogue.boards.chess_endgames.mates import NUM_TASKS as NUM_TASKS_OF_MATES
from agentgym_dialogue.boards.chess_endgames.mates import mate_tasks

SEED = 20_267
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"kq-k": 700, "kr-k": 700, "kp-k": 400, "kbb-k": 200},
    "validation": {"kq-k": 70, "kr-k": 70, "kp-k": 40, "kbb-k": 20},
    "test": {"krr-k": 60, "kq-k": 61, "kr-k": 62, "kp-k": 57, "kbb-k": 38, "kbn-k": 32},
}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no position occurs twice in all, mirrored or turned either."""
    rng, seen = random.Random(SEED), set[str]()
    env = ChessEndgamesEnv()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        board = draw_unseen(partial(position, stratum, rng), seen, canonical)
        return env.ending_task(task_id, index, board, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


def generate_mates(folder: Path, suite: str) -> None:
    """Write the three splits of mates with a queen."""
    for split, tasks in mate_tasks(suite, "Q", NUM_TASKS_OF_MATES).items():
        write_split(folder, split, tasks)


SUITES: Suites = {"dialogue/chess-endgames": generate, "dialogue/chess-endgames-mates": generate_mates}

if __name__ == "__main__":
    write_suites(SUITES)
