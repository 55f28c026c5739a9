"""Tasks of mates in one or two moves, drawn from all positions of a king and one piece.

Tasks of whole endings are drawn in `generate`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import chess
import numpy as np

from agentgym.authoring.task_files import numbered_id
from agentgym.task import Limits, Split, Task
from agentgym_dialogue.boards.chess_endgames.endings import canonical
from agentgym_dialogue.boards.chess_endgames.env import ChessEndgamesEnv
from agentgym_dialogue.boards.chess_endgames.retrograde import solve

SEED = 20_270
LIMITS = Limits(max_turns=4, max_invalid=4)
NUM_TASKS: Mapping[Split, Mapping[int, int]] = {
    "test": {1: 100, 2: 200},
    "validation": {1: 60, 2: 140},
    "train": {1: 1168, 2: 2304},
}
"""Tasks of mates with a queen, by moves to mate."""
VARIANTS = {"test": 1, "validation": 1, "train": 8}
"""How many mirror images and turns of a position a split may hold."""


def mate_tasks(suite: str, piece: str, num_tasks: Mapping[Split, Mapping[int, int]]) -> dict[Split, list[Task]]:
    """Mates by king and one piece; no position of one split occurs in another, mirrored or turned either.

    Args:
        suite: Its name, which task ids begin with.
        piece: Q or R.
        num_tasks: Of each split, by moves to mate.
    """
    rng = random.Random(SEED)
    env = ChessEndgamesEnv(observation="pieces")
    kinds = {moves: _kinds(piece, moves, rng) for moves in (1, 2)}
    found: dict[Split, list[Task]] = {}
    for split, counts in num_tasks.items():
        boards: list[tuple[int, chess.Board]] = []
        for moves, count in counts.items():
            chosen: list[chess.Board] = []
            while len(chosen) < count and kinds[moves]:
                chosen += kinds[moves].pop()[: VARIANTS[split]]
            boards += [(moves, board) for board in chosen[:count]]
        tasks = [
            env.ending_task(numbered_id(suite, split, index), index, board, split=split, stratum=f"mate-{moves}")
            for index, (moves, board) in enumerate(boards)
        ]
        found[split] = [replace(task, limits=LIMITS) for task in tasks]
    return found


def _kinds(piece: str, moves: int, rng: random.Random) -> list[list[chess.Board]]:
    """All positions that are won in so many moves, mirror images and turns of each other together, in random order."""
    kinds: dict[str, list[chess.Board]] = {}
    for squares in np.argwhere(solve(piece).white == moves).tolist():
        board = chess.Board(None)
        for square, symbol in zip(squares, ("K", piece, "k"), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        kinds.setdefault(canonical(board), []).append(board)
    shuffled = list(kinds.values())
    rng.shuffle(shuffled)
    for boards in shuffled:
        rng.shuffle(boards)
    return shuffled
