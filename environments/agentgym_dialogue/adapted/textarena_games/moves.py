"""Moves that a game of TextArena might take now, for players that know no better.

Which of them win is in `solutions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, permutations
from typing import Any

_WAYS = ("[up]", "[down]", "[left]", "[right]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _countdown(raw: Any) -> list[str]:
    places = range(len(raw.numbers))
    return [f"[{i} {j} {sign}]" for i in places for j in places if i != j for sign in "+-*"]


def _crosswords(raw: Any) -> list[str]:
    board = raw.state.game_state["board"]
    cells = [(r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell == "_"]
    return [f"[{r} {c} {letter}]" for r, c in cells for letter in _LETTERS]


def _cryptarithm(raw: Any) -> list[str]:
    letters = sorted(raw.letters - set(raw.mapping))
    return [f"[{letter} {digit}]" for letter in letters for digit in range(1, 10) if digit not in raw.digit_used]


def _guess_number(raw: Any) -> list[str]:
    return [f"[{n}]" for n in range(raw.min_number, raw.max_number + 1) if n not in raw.guessed_numbers]


def _logic_puzzle(raw: Any) -> list[str]:
    boards = raw.game_board.values()
    return [
        f"[{name} {item} {mark}]"
        for board in boards
        for name, items in board.items()
        for item, marked in items.items()
        for mark in "XO"
        if marked is None
    ]


def _minesweeper(raw: Any) -> list[str]:
    return [f"[{r} {c}]" for r in range(raw.rows) for c in range(raw.cols) if not raw.revealed[r][c]]


def _pegs(raw: Any) -> list[str]:
    board = raw.state.game_state["board"]
    return [f"[{f} {t}]" for f, over, t in raw.ALLOWED_MOVES if board[f] and board[over] and not board[t]]


def _rush_hour(raw: Any) -> list[str]:
    return [f"[{car}{sign}]" for car in raw.state.game_state["vehicles"] for sign in "+-"]


def _set(raw: Any) -> list[str]:
    return [f"[{i}, {j}, {k}]" for i, j, k in combinations(range(1, len(raw.state.game_state["board"]) + 1), 3)]


def _slitherlink(raw: Any) -> list[str]:
    across = [f"[h {r} {c}]" for r in range(raw.R + 1) for c in range(raw.C)]
    return across + [f"[v {r} {c}]" for r in range(raw.R) for c in range(raw.C + 1)]


def _sudoku(raw: Any) -> list[str]:
    board = raw.state.game_state["board"]
    return [f"[{r + 1} {c + 1} {n}]" for r in range(9) for c in range(9) for n in range(1, 10) if not board[r][c]]


MOVES: Mapping[str, Callable[[Any], list[str]]] = {
    "2048": lambda raw: list(_WAYS),
    "Bandit": lambda raw: [f"[{button}]" for button in raw.buttons],
    "Blackjack": lambda raw: ["[hit]", "[stand]"],
    "Countdown": _countdown,
    "Crosswords": _crosswords,
    "Cryptarithm": _cryptarithm,
    "FifteenPuzzle": lambda raw: list(_WAYS),
    "FrozenLake": lambda raw: list(_WAYS),
    "GuessTheNumber": _guess_number,
    "LightsOut": lambda raw: [f"[{r} {c}]" for r in range(raw.size) for c in range(raw.size)],
    "LogicPuzzle": _logic_puzzle,
    "Mastermind": lambda raw: [f"[{a} {b} {c} {d}]" for a, b, c, d in permutations(range(1, raw.num_numbers + 1), 4)],
    "Minesweeper": _minesweeper,
    "PegJump": _pegs,
    "RushHour": _rush_hour,
    "Secretary": lambda raw: ["[accept]", "[continue]"],
    "Set": _set,
    "Slitherlink": _slitherlink,
    "Sokoban": lambda raw: list(_WAYS),
    "Sudoku": _sudoku,
    "ThreeCardMonte": lambda raw: [f"[{cup}]" for cup in range(raw.num_cups)],
    "TowerOfHanoi": lambda raw: [f"[{a} {b}]" for a in "ABC" for b in "ABC" if a != b],
}
"""By the name of the game what may be said now, given TextArena's environment; refused moves may be among it."""
