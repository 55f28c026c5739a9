"""Writes the tasks of dialogue/chess-endgames: `python -m agentgym_dialogue.chess_endgames.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are written by hand.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import chess

from agentgym.task import Split
from agentgym_dialogue.chess_endgames.endings import canonical, position
from agentgym_dialogue.chess_endgames.env import ChessEndgamesEnv
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_split

SEED = 20_267
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"kq-k": 700, "kr-k": 700, "kp-k": 400, "kbb-k": 200},
    "validation": {"kq-k": 70, "kr-k": 70, "kp-k": 40, "kbb-k": 20},
    "test": {"krr-k": 60, "kq-k": 61, "kr-k": 62, "kp-k": 57, "kbb-k": 38, "kbn-k": 32},
}


def generate(folder: Path) -> None:
    """Write the three splits into a folder; no position occurs twice in all, mirrored or turned either."""
    rng = random.Random(SEED)
    env, seen = ChessEndgamesEnv(), set[str]()
    for split, counts in NUM_TASKS.items():
        boards: list[tuple[str, chess.Board]] = []
        for ending, count in counts.items():
            draw = partial(position, ending, rng)
            boards += [(ending, draw_unseen(draw, seen, canonical)) for _ in range(count)]
        tasks = [
            env.ending_task(f"dialogue/chess-endgames:{split}-{index:05}", index, board, split=split, stratum=ending)
            for index, (ending, board) in enumerate(boards)
        ]
        write_split(folder, split, tasks)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "chess-endgames"))
