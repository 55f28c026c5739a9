"""The next move on a way to win each game of TextArena, from where it stands.

It reads what is hidden: for oracles, demonstrators and choosing tasks, not for players. Searches are in `search`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import combinations

from agentgym_dialogue.adapted.textarena_games import search
from agentgym_dialogue.adapted.textarena_games.catalog import EQUATIONS, GAMES
from agentgym_dialogue.adapted.textarena_games.episode import Episode

MAX_HITS = 6


def _blackjack(game: Episode) -> str:
    """Stands as soon as that wins the hand with the cards to come; busts early where nothing does."""
    twin = game.copy()
    for hits in range(MAX_HITS):
        trial = twin.copy()
        before = trial.raw.state.game_state["results_summary"]["win"]
        trial.play("[stand]")
        if trial.raw.state.game_state["results_summary"]["win"] > before:
            return "[hit]" if hits else "[stand]"
        hand = game.raw.state.game_state["hand_number"]
        if twin.play("[hit]").is_over or twin.raw.state.game_state["hand_number"] != hand:
            break
    return "[stand]"


def _crosswords(game: Episode) -> str:
    state = game.raw.state.game_state
    for r, row in enumerate(state["board"]):
        for c, cell in enumerate(row):
            if cell == "_":
                return f"[{r} {c} {state['solution'][r][c]}]"
    return "[0 0 a]"


def _cryptarithm(game: Episode) -> str:
    raw = game.raw
    equation, numbers = next(pair for pair in EQUATIONS if pair[0].replace(" ", "") == raw.equation_raw)
    words = equation.replace("+", " ").replace("=", " ").split()
    digits = {
        letter: int(d)
        for word, n in zip(words, numbers.split(), strict=True)
        for letter, d in zip(word, n, strict=True)
    }
    wrong = [letter for letter, digit in raw.mapping.items() if digits[letter] != digit]
    for letter, digit in digits.items():
        if raw.mapping.get(letter) != digit and raw.digit_used.get(digit, letter) == letter:
            return f"[{letter} {digit}]"
    free = next(digit for digit in range(1, 10) if digit not in raw.digit_used)
    return f"[{wrong[0]} {free}]"  # every digit stands in another's way: one letter steps aside


def _logic_puzzle(game: Episode) -> str:
    raw = game.raw
    for name, board in raw.game_board.items():
        for row, items in board.items():
            for item, mark in items.items():
                if mark != (right := raw.game_board_solution[name][row][item]):
                    return f"[{row} {item} {right}]"
    return "[a a X]"


def _minesweeper(game: Episode) -> str:
    raw = game.raw
    safe = [(r, c) for r in range(raw.rows) for c in range(raw.cols) if not raw.revealed[r][c] and raw.grid[r][c] != -1]
    return "[{} {}]".format(*safe[0]) if safe else "[0 0]"


def _secretary(game: Episode) -> str:
    state = game.raw.state.game_state
    return "[accept]" if state["draws"][state["current_idx"] - 1] == max(state["draws"]) else "[continue]"


def _set(game: Episode) -> str:
    board = game.raw.state.game_state["board"]
    for chosen in combinations(range(len(board)), 3):
        if all(len(set(feature)) in (1, 3) for feature in zip(*(board[i] for i in chosen), strict=True)):
            return f"[{', '.join(str(i + 1) for i in chosen)}]"
    return "[1, 2, 3]"


def _sudoku(game: Episode) -> str:
    board = game.raw.state.game_state["board"]
    row, column = next((r, c) for r in range(9) for c in range(9) if not board[r][c])
    return f"[{row + 1} {column + 1} {game.raw.full_grid[row][column]}]"


def _hidden(path: str) -> Callable[[Episode], str]:
    """Says a hidden value: an attribute of the environment, or an entry of its state."""

    def say(game: Episode) -> str:
        value = getattr(game.raw, path) if hasattr(game.raw, path) else game.raw.state.game_state[path]
        return f"[{' '.join(map(str, value)) if isinstance(value, list) else value}]"

    return say


def _bandit(game: Episode) -> str:
    means = game.raw.state.game_state["ground_truth"]
    return f"[{max(means, key=means.get)}]"


SOLUTIONS: Mapping[str, Callable[[Episode], str]] = {
    "2048": lambda game: search.merge(game.raw),
    "Bandit": _bandit,
    "Blackjack": _blackjack,
    "Countdown": lambda game: search.count_down(tuple(game.raw.numbers), game.raw.target),
    "Crosswords": _crosswords,
    "Cryptarithm": _cryptarithm,
    "FrozenLake": lambda game: search.cross_lake(game.raw),
    "GuessTheNumber": _hidden("game_number"),
    "LightsOut": lambda game: search.turn_off(game.raw.state.game_state["grid"]),
    "LogicPuzzle": _logic_puzzle,
    "Mastermind": _hidden("secret_code"),
    "Minesweeper": _minesweeper,
    "PegJump": lambda game: search.jump(game.raw),
    "RushHour": lambda game: search.drive_out(game.raw),
    "Secretary": _secretary,
    "Set": _set,
    "Slitherlink": lambda game: search.draw_loop(game.raw),
    "Sokoban": lambda game: search.push(game.raw),
    "Sudoku": _sudoku,
    "ThreeCardMonte": _hidden("ball_pos"),
    "TowerOfHanoi": lambda game: search.move_tower(game.raw.state.game_state["towers"]),
}
"""By the name of the game its next winning move; games without one have no oracle."""


@lru_cache(maxsize=10_000)
def is_won(name: str, seed: int) -> bool:
    """Whether the oracle wins the game that a seed gives."""
    known = GAMES[name]
    game = Episode(known.id, seed, known.options)
    for _ in range(known.turns):
        answer = game.play(SOLUTIONS[name](game))
        if answer.refusal or answer.is_over:
            return answer.is_over and answer.reward >= known.full
    return False
