"""Retrograde analysis of endings with king and one more piece against a king: who wins, and in how many moves.

Computed with numpy within a second a piece and kept; squares are numbered as in the chess library (a1 is 0, h8 is 63).
The fifty-move rule plays no part: every win takes fewer moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

NOT_WON = -1
PIECES = "QRP"
"""Pieces that are solved, as letters."""
_NUM = 64
_ROOK_WAYS = ((0, 1), (1, 0), (0, -1), (-1, 0))
_KING_WAYS = (*_ROOK_WAYS, (1, 1), (1, -1), (-1, 1), (-1, -1))
_WAYS = {"Q": _KING_WAYS, "R": _ROOK_WAYS, "P": ((-1, 1), (1, 1))}
"""Directions of attack as steps of file and rank."""

Mask = NDArray[np.bool_]
Moves = NDArray[np.int8]


@dataclass(frozen=True)
class Solution:
    """Every position of one ending, by squares of White's king, White's piece, and Black's king.

    Attributes:
        piece: Letter of the piece.
        white: int8[64, 64, 64], White to move: mate in so many moves; `NOT_WON` where that is not so, or no position.
        black: int8[64, 64, 64], Black to move: White mates with so many moves more, 0 on the board; else `NOT_WON`.
    """

    piece: str
    white: Moves
    black: Moves


@cache
def solve(piece: str) -> Solution:
    """Solve the ending of king and a queen ("Q"), rook ("R") or pawn ("P") against king."""
    near, attacks = _king_moves(), _attacks(piece)
    squares = np.arange(_NUM)
    king, other, lone = np.meshgrid(squares, squares, squares, indexing="ij", sparse=True)
    legal = (king != other) & (other != lone) & (king != lone) & ~near[:, None, :]
    if piece == "P":
        legal &= (other >= 8) & (other < 56)
    in_check = attacks.transpose(1, 0, 2)  # by king, piece, lone king
    safe = ~in_check & ~near[:, None, :] & (king != lone) & ~((other == lone) & near[:, :, None])
    can_move = safe @ near
    white = np.full(legal.shape, NOT_WON, np.int8)
    black = np.where(legal & in_check & ~can_move, 0, NOT_WON).astype(np.int8)
    promoted = _promotions() if piece == "P" else None
    to_move = legal & ~in_check
    steps = _pawn_steps() if piece == "P" else attacks[:, :, None, :] & attacks[:, None, :, :]
    number = 0
    while True:
        number += 1
        lost = black != NOT_WON
        won = _before(lost, near, steps)
        if promoted is not None:
            won |= (promoted != NOT_WON) & (promoted < number)
        won &= to_move & (white == NOT_WON)
        white[won] = number
        all_lose = can_move & ~((safe & (white == NOT_WON)) @ near)
        now_lost = legal & all_lose & ~lost
        black[now_lost] = number
        waits = promoted is not None and number <= int(promoted.max())
        if not won.any() and not now_lost.any() and not waits:
            return Solution(piece, white, black)


def _before(lost: Mask, near: Mask, steps: Mask) -> Mask:
    """Positions with White to move from which a move of king or piece leads to one that Black has lost."""
    by_king = (near @ lost.reshape(_NUM, -1)).reshape(lost.shape)
    by_piece = np.empty_like(lost)
    for king in range(_NUM):
        free = np.ones((_NUM, _NUM), np.bool_)  # by lone king and target: neither king stands there
        np.fill_diagonal(free, False)
        free[:, king] = False
        targets = lost[king].T & free
        by_piece[king] = (steps[:, king] & targets[None]).any(-1)
    return by_king | by_piece


def _promotions() -> Moves:
    """For each position of a pawn on the seventh rank: how many moves more mate takes after promoting; else -1."""
    after = np.full((_NUM, _NUM, _NUM), NOT_WON, np.int8)
    for pawn in range(48, 56):
        target = pawn + 8
        for piece in "QR":
            found = solve(piece).black[:, target, :]
            before = after[:, pawn, :]
            better = (found != NOT_WON) & ((before == NOT_WON) | (found < before))
            after[:, pawn, :] = np.where(better, found, before)
        after[target, pawn, :] = NOT_WON
        after[:, pawn, target] = NOT_WON
    return after


def _king_moves() -> Mask:
    """bool[64, 64]: whether the squares touch."""
    file, rank = np.arange(_NUM) % 8, np.arange(_NUM) // 8
    near: Mask = np.maximum(abs(file[:, None] - file), abs(rank[:, None] - rank)) == 1
    return near


def _attacks(piece: str) -> Mask:
    """bool[64, 64, 64] by square, a blocker's square and target: what a piece attacks beside one blocker."""
    attacks = np.zeros((_NUM, _NUM, _NUM), np.bool_)
    reach = 1 if piece == "P" else 7
    for square in range(_NUM):
        for across, up in _WAYS[piece]:
            blocked = np.zeros(_NUM, np.bool_)
            file, rank = square % 8 + across, square // 8 + up
            for _ in range(reach):
                if not (0 <= file < 8 and 0 <= rank < 8):
                    break
                target = rank * 8 + file
                attacks[square, ~blocked, target] = True
                blocked[target] = True
                file, rank = file + across, rank + up
    return attacks


def _pawn_steps() -> Mask:
    """bool[64, 64, 64, 64] by square, kings and target: where a pawn may go, promotions left out."""
    steps = np.zeros((_NUM, _NUM, _NUM, _NUM), np.bool_)
    for square in range(8, 48):
        steps[square, :, :, square + 8] = True
        if square < 16:
            free = np.ones(_NUM, np.bool_)
            free[square + 8] = False
            steps[square, :, :, square + 16] = free[:, None] & free[None, :]
    return steps
