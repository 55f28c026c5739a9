"""Which games of two of TextArena there are, at which size, and how often the other side errs.

Which moves there are is in `moves`, which of them are sensible in `habits`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class PairGame(NamedTuple):
    """A game of two of TextArena.

    Attributes:
        id: Its id there, without a suffix for wrappers.
        example: A move.
        turns: Most moves of the agent; more than a game takes by TextArena's rules, but for liar's dice and pig.
        errors: Share of the other side's moves that are any move, not a sensible one.
        options: Keyword arguments over those of its id.
        draw: Further ones of a new task.
        is_strict: Whether TextArena takes any text for some move, so that we refuse what names none.
        has_talk: Whether the players talk before they move.
    """

    id: str
    example: str
    turns: int
    errors: float = 0.3
    options: Mapping[str, Any] = {}
    draw: Callable[[random.Random], Mapping[str, Any]] | None = None
    is_strict: bool = False
    has_talk: bool = False


def _piles(rng: random.Random) -> Mapping[str, Any]:
    return {"piles": [rng.randint(2, 7) for _ in range(rng.randint(3, 4))]}


PAIRS: Mapping[str, PairGame] = {
    "Breakthrough": PairGame("Breakthrough-v0-small", "[a2a3]", 60),
    "Chopsticks": PairGame("Chopsticks-v0", "[attack 0 1]", 20),
    "ConnectFour": PairGame("ConnectFour-v0", "[col 3]", 21),
    "GameOfPureStrategy": PairGame("GameOfPureStrategy-v0", "[7]", 13),
    "IteratedPrisonersDilemma": PairGame(
        "IteratedPrisonersDilemma-v0", "[Cooperate]", 20, 0.1, is_strict=True, has_talk=True
    ),
    "IteratedRockPaperScissors": PairGame("IteratedRockPaperScissors-v0", "[rock]", 9, 0.1),
    "LiarsDice": PairGame("LiarsDice-v0-small", "[Bid: 2, 5]", 60, 0.15),
    "Nim": PairGame("Nim-v0", "[0 2]", 28, 0.2, draw=_piles),
    "Othello": PairGame("Othello-v0-small", "[2, 3]", 32),
    "PigDice": PairGame("PigDice-v0-50", "[roll]", 60, 0.1),
    "SimpleTak": PairGame("SimpleTak-v0", "[5]", 8),
    "TicTacToe": PairGame("TicTacToe-v0", "[4]", 5),
    "WildTicTacToe": PairGame("WildTicTacToe-v0", "[X 4]", 5),
}
"""Games of two that start without a network, by the name in our id."""
