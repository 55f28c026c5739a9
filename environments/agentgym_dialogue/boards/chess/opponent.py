"""How the opponent chooses: a seeded draw among the engine's best lines that are nearly as good as the best.

The engine's own options for weaker play draw at random by themselves, so they are not used.
"""

from __future__ import annotations

import random
from collections.abc import Container
from functools import lru_cache

import chess

from agentgym_dialogue.boards.chess.engine import ENGINES, Line

WINNING = 100
"""Score in centipawns from which on a player avoids what was on the board before."""


def position_key(board: chess.Board) -> str:
    """A position without its clocks, as the rule of repetition compares it."""
    return board.epd()


def choose_move(
    board: chess.Board, seen: Container[str], nodes: int, num_lines: int, margin: int, rng: random.Random
) -> chess.Move:
    """A move for who is to move.

    Args:
        board: The position; the game is not over.
        seen: Keys of positions that were on the board; a player who wins does not go back to one.
        nodes: Nodes that the engine searches.
        num_lines: Most lines to choose from.
        margin: How much worse than the best, in centipawns, a line may be to be chosen.
        rng: Where the draw comes from.
    """
    lines = _lines(board.fen(), nodes, num_lines)
    if lines[0].score > WINNING and len(lines) > 1:
        new = [line for line in lines if line.score > WINNING and _key_after(board, line) not in seen]
        lines = new or lines
    best = max(line.score for line in lines)
    drawn = rng.choice([line for line in lines if line.score >= best - margin])
    return chess.Move.from_uci(drawn.move)


@lru_cache(maxsize=8192)
def _lines(fen: str, nodes: int, num_lines: int) -> list[Line]:
    """The engine's lines, not to be changed; kept, as it answers a question alike each time."""
    return ENGINES.lines(fen, nodes, num_lines)


def _key_after(board: chess.Board, line: Line) -> str:
    board.push(chess.Move.from_uci(line.move))
    key = position_key(board)
    board.pop()
    return key
