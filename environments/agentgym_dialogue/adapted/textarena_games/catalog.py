"""Which games of TextArena there are, at which difficulty, and what of a task is drawn from its seed.

Which moves there are and how games are solved is in `moves` and `solutions`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

EQUATIONS = (
    ("SEND + MORE = MONEY", "9567 1085 10652"),
    ("TO + GO = OUT", "21 81 102"),
    ("BASE + BALL = GAMES", "7483 7455 14938"),
    ("EAT + THAT = APPLE", "819 9219 10038"),
    ("CROSS + ROADS = DANGER", "96233 62513 158746"),
    ("YOUR + YOU = HEART", "9426 942 10368"),
)
"""Equations in letters with their numbers."""


class Game(NamedTuple):
    """A game of TextArena.

    Attributes:
        id: Its id there, without a suffix for wrappers.
        example: A move.
        turns: Turns after which we truncate; TextArena's own limits come before.
        options: Keyword arguments over those of its id.
        draw: Further ones of a new task.
        full: The reward that counts as a success.
        is_fixed: Whether tasks with the same options are the same problem whatever their seed.
        is_sifted: Whether some seeds cannot be won by the oracle and are left out.
        is_regret: Whether what it calls reward is what was missed, which is mended.
    """

    id: str
    example: str
    turns: int
    options: Mapping[str, Any] = {}
    draw: Callable[[random.Random], Mapping[str, Any]] | None = None
    full: float = 1.0
    is_fixed: bool = False
    is_sifted: bool = False
    is_regret: bool = False

    def score(self, reward: float) -> float:
        """The share of the full reward, in [0, 1]."""
        return min(1.0, max(0.0, (1.0 - reward if self.is_regret else reward) / self.full))


def _countdown(rng: random.Random) -> Mapping[str, Any]:
    """Four numbers and what three operations make of them."""
    numbers = [rng.choice((25, 50, 75, 100)), *rng.sample(range(1, 11), 3)]
    values = list(numbers)
    while len(values) > 1:
        one, other = (values.pop(rng.randrange(len(values))) for _ in range(2))
        values.append(rng.choice((one + other, abs(one - other), one * other)))
    return {"numbers": numbers, "target": values[0]}


def _cryptarithm(rng: random.Random) -> Mapping[str, Any]:
    return {"equation": rng.choice(EQUATIONS)[0]}


def _pegs(rng: random.Random) -> Mapping[str, Any]:
    return {"initial_empty": rng.randint(1, 15)}


def _hanoi(rng: random.Random) -> Mapping[str, Any]:
    disks = rng.randint(2, 4)
    return {"num_disks": disks, "max_turns": 2 ** (disks + 1)}


GAMES: Mapping[str, Game] = {
    "2048": Game("2048-v0-very-easy", "[left]", 190, is_sifted=True),
    "Bandit": Game("Bandit-v0", "[red]", 30, is_regret=True),
    "Blackjack": Game("Blackjack-v0", "[hit]", 60, full=0.6, is_sifted=True),
    "Countdown": Game("Countdown-v0", "[0 1 +]", 12, draw=_countdown, is_fixed=True),
    "Crosswords": Game("Crosswords-v0", "[0 1 a]", 60, {"max_turns": 50}, is_sifted=True),
    "Cryptarithm": Game("Cryptarithm-v0", "[S 9]", 30, draw=_cryptarithm, is_fixed=True),
    "FifteenPuzzle": Game("FifteenPuzzle-v0", "[up]", 190),
    "FrozenLake": Game("FrozenLake-v0-random", "[up]", 40),
    "GuessTheNumber": Game("GuessTheNumber-v0", "[7]", 20),
    "LightsOut": Game("LightsOut-v0", "[0 1]", 40, {"max_turns": 30}),
    "LogicPuzzle": Game("LogicPuzzle-v0", "[ann park X]", 150, {"max_turns": 140}, is_sifted=True),
    "Mastermind": Game("Mastermind-v0", "[1 2 3 4]", 30),
    "Minesweeper": Game("Minesweeper-v0-small", "[0 1]", 40),
    "PegJump": Game("PegJump-v0", "[4 1]", 20, draw=_pegs, is_fixed=True),
    "RushHour": Game("RushHour-v0", "[A+]", 100, is_sifted=True),
    "Secretary": Game("Secretary-v0", "[continue]", 10),
    "Set": Game("Set-v0", "[1, 4, 11]", 30, full=10.0),
    "Slitherlink": Game("Slitherlink-v0", "[h 0 1]", 80),
    "Sokoban": Game("Sokoban-v0", "[up]", 110, {"max_turns": 100, "num_boxes": 2}, is_sifted=True),
    "Sudoku": Game("Sudoku-v0", "[1 2 3]", 100),
    "ThreeCardMonte": Game("ThreeCardMonte-v0", "[1]", 5),
    "TowerOfHanoi": Game("TowerOfHanoi-v0", "[A C]", 40, draw=_hanoi, is_fixed=True),
}
"""The single-player games that start without a network, by the name in our id."""

UNSEEN_GAMES = ("Countdown", "LightsOut", "RushHour", "TowerOfHanoi")
"""Games that no task of the train split is of."""
KNOWN_GAMES = tuple(name for name in GAMES if name not in (*UNSEEN_GAMES, "FifteenPuzzle"))
"""Games that are trained on; FifteenPuzzle has no oracle to show that a task can be won."""
