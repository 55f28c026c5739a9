"""Writes the tasks of dialogue/chess: `python -m agentgym_dialogue.chess.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are written by hand.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import chess

from agentgym.task import Split, Task
from agentgym_dialogue.chess.env import ChessEnv, opening
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite

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


def generate(folder: Path) -> None:
    """Write the three splits into a folder; no position occurs twice in all."""
    rng, seen = random.Random(SEED), set[str]()
    env = ChessEnv()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        first_moves = UNSEEN_FIRST_MOVES if stratum == "unseen-opening" else SEEN_FIRST_MOVES
        board = draw_unseen(partial(opening, rng, ODDS[stratum], first_moves), seen, chess.Board.epd)
        return env.game_task(task_id, index, board, split=split, stratum=stratum)

    write_suite(folder, "dialogue/chess", NUM_TASKS, make)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "chess"))
