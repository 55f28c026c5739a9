"""The endings: which pieces White has against a lone king, random positions, and exact labels where there are any.

The labels come from `retrograde`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import chess

from agentgym_dialogue.boards.chess_endgames.retrograde import NOT_WON, PIECES, solve

ENDINGS: Mapping[str, str] = {"kq-k": "Q", "kr-k": "R", "krr-k": "RR", "kbb-k": "BB", "kbn-k": "BN", "kp-k": "P"}
"""White's pieces beside the king, by name of the ending."""
EXACT = tuple(name for name, pieces in ENDINGS.items() if pieces in PIECES)
"""Endings that are solved."""


def mate_in(board: chess.Board) -> int | None:
    """Moves that White needs to mate; `NOT_WON` where the position is a draw, None where it is not solved."""
    pieces = board.occupied & ~board.kings
    if pieces & board.occupied_co[chess.BLACK]:
        return None
    if not pieces:
        return NOT_WON
    square = pieces.bit_length() - 1
    symbol = chess.piece_symbol(board.piece_type_at(square) or 0).upper()
    if pieces.bit_count() > 1 or symbol not in PIECES:
        return None
    king, lone = board.king(chess.WHITE), board.king(chess.BLACK)
    solution = solve(symbol)
    return int((solution.white if board.turn else solution.black)[king, square, lone])


def best_move(board: chess.Board) -> chess.Move:
    """White's move that mates soonest, in a solved position that is won."""

    def moves_after(move: chess.Move) -> int:
        board.push(move)
        left = mate_in(board)
        board.pop()
        return 100 if left is None or left == NOT_WON else left

    return min(board.legal_moves, key=moves_after)


def position(ending: str, rng: random.Random) -> chess.Board:
    """A random position of an ending with White to move, won where that is known, with no piece in danger elsewhere."""
    while True:
        squares = rng.sample(range(64), 2 + len(ENDINGS[ending]))
        board = chess.Board(None)
        kinds = ["K", *ENDINGS[ending], "k"]
        for square, kind in zip(squares, kinds, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(kind))
        if board.is_valid() and not board.is_game_over() and _is_won(ending, board):
            return board


def rings_from_centre(board: chess.Board) -> int:
    """How far the lone king stands from the four squares in the middle: 3 at the rim."""
    lone = board.king(chess.BLACK)
    assert lone is not None
    return max(abs(2 * chess.square_file(lone) - 7), abs(2 * chess.square_rank(lone) - 7)) // 2


def canonical(board: chess.Board) -> str:
    """The same text for positions that are mirror images or turns of each other."""
    maps = board.piece_map()
    without_pawns = not board.pawns
    texts = []
    for number in range(8 if without_pawns else 2):
        placed = sorted((piece.symbol(), _moved(square, number)) for square, piece in maps.items())
        texts.append(" ".join(f"{symbol}{square}" for symbol, square in placed))
    return min(texts)


def _moved(square: int, number: int) -> int:
    file, rank = square % 8, square // 8
    file = 7 - file if number & 1 else file
    rank = 7 - rank if number & 2 else rank
    return file * 8 + rank if number & 4 else rank * 8 + file


def _is_won(ending: str, board: chess.Board) -> bool:
    if ending in EXACT:
        return mate_in(board) != NOT_WON
    lone = board.king(chess.BLACK)
    assert lone is not None
    if chess.BB_KING_ATTACKS[lone] & board.occupied:
        return False
    return ending != "kbb-k" or (board.bishops & chess.BB_LIGHT_SQUARES).bit_count() == 1
