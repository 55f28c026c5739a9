"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.boards.chess.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import chess

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.boards.chess.env import ChessEnv, opening

SEED = 20_266
UNSEEN_FIRST_MOVES = frozenset({"b2b3", "b2b4", "f2f4", "g2g4", "a2a4", "g1h3"})
"""First moves of White that only the tasks of the unseen stratum begin with."""
SEEN_FIRST_MOVES = frozenset(move.uci() for move in chess.Board().legal_moves) - UNSEEN_FIRST_MOVES
ODDS: Mapping[str, str] = {"even": "none", "rook-odds": "rook", "queen-odds": "queen", "unseen-opening": "queen"}
"""Odds of each stratum."""
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"even": 500, "rook-odds": 500, "queen-odds": 1000},
    "validation": {"even": 50, "rook-odds": 50, "queen-odds": 100},
    "test": {"even": 80, "rook-odds": 80, "queen-odds": 90, "unseen-opening": 50},
}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no position occurs twice in all."""
    rng, seen = random.Random(SEED), set[str]()
    env = ChessEnv()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        first_moves = UNSEEN_FIRST_MOVES if stratum == "unseen-opening" else SEEN_FIRST_MOVES
        board = draw_unseen(partial(opening, rng, ODDS[stratum], first_moves), seen, chess.Board.epd)
        return env.game_task(task_id, index, board, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


SUITES: Suites = {"dialogue/chess": generate}

if __name__ == "__main__":
    write_suites(SUITES)
