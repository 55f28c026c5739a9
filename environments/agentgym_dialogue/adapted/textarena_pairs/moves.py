"""Moves that the player whose turn it is may make in a game of two of TextArena, all of them legal.

Which of them are sensible is in `habits`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

TALK = ("I will cooperate.", "Let us both cooperate.", "I may defect.")


def _free(raw: Any) -> Iterator[int]:
    board = raw.state.game_state["board"]
    return (r * len(board) + c for r, row in enumerate(board) for c, cell in enumerate(row) if not cell)


def _breakthrough(raw: Any) -> list[str]:
    player, board, size = raw.state.current_player_id, raw.state.game_state["board"], raw.board_size
    own, ahead = ("W", 1) if player == 0 else ("B", -1)
    return [
        f"[{chr(97 + c)}{r + 1}{chr(97 + to)}{r + ahead + 1}]"
        for r in range(size)
        for c in range(size)
        for to in (c - 1, c, c + 1)
        if board[r][c] == own
        and 0 <= to < size
        and 0 <= r + ahead < size
        and raw._is_valid_move(player, r, c, r + ahead, to)
    ]


def _chopsticks(raw: Any) -> list[str]:
    player, hands = raw.state.current_player_id, raw.state.game_state["hands"]
    own, other = hands[player], hands[1 - player]
    attacks = [f"[attack {i} {j}]" for i in (0, 1) for j in (0, 1) if own[i] and other[j]]
    total = sum(own)
    return attacks + [f"[split {n} {total - n}]" for n in range(total + 1) if n not in own and n < 5 and total - n < 5]


def _connect_four(raw: Any) -> list[str]:
    return [f"[col {c}]" for c, cell in enumerate(raw.state.game_state["board"][0]) if cell == "."]


def _dilemma(raw: Any) -> list[str]:
    return list(TALK) if raw.state.game_state["phase"] == "conversation" else ["[Cooperate]", "[Defect]"]


def _liars_dice(raw: Any) -> list[str]:
    state = raw.state.game_state
    number, face = state["current_bid"]["quantity"], state["current_bid"]["face_value"]
    most = sum(state["remaining_dice"].values())
    bids = [(n, f) for n in range(max(1, number), most + 1) for f in range(max(1, face), 7) if (n, f) != (number, face)]
    return [f"[Bid: {n}, {f}]" for n, f in bids] + (["[Call]"] if number else [])


def _nim(raw: Any) -> list[str]:
    return [f"[{i} {n}]" for i, pile in enumerate(raw.state.game_state["piles"]) for n in range(1, pile + 1)]


def _othello(raw: Any) -> list[str]:
    return [f"[{r}, {c}]" for r, c in raw._valid_moves("B" if raw.state.current_player_id == 0 else "W")]


def _pure_strategy(raw: Any) -> list[str]:
    hand = raw.state.game_state["player_hands"][raw.state.current_player_id]
    return [f"[{raw._val_to_face(card)}]" for card in hand]


MOVES: Mapping[str, Callable[[Any], list[str]]] = {
    "Breakthrough": _breakthrough,
    "Chopsticks": _chopsticks,
    "ConnectFour": _connect_four,
    "GameOfPureStrategy": _pure_strategy,
    "IteratedPrisonersDilemma": _dilemma,
    "IteratedRockPaperScissors": lambda raw: ["[rock]", "[paper]", "[scissors]"],
    "LiarsDice": _liars_dice,
    "Nim": _nim,
    "Othello": _othello,
    "PigDice": lambda raw: ["[roll]", "[hold]"],
    "SimpleTak": lambda raw: [f"[{cell}]" for cell in _free(raw)],
    "TicTacToe": lambda raw: [f"[{cell}]" for cell in _free(raw)],
    "WildTicTacToe": lambda raw: [f"[{mark} {cell}]" for cell in _free(raw) for mark in "XO"],
}
"""By the name of the game the legal moves of whose turn it is, given TextArena's environment; there may be none."""
