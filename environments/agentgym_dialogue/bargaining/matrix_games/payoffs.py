"""The five games: names of their moves, and payoffs drawn within what makes each game what it is.

Rounds and talk are the business of `game`, who plays how that of `habits`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

Payoffs = tuple[tuple[tuple[int, int], tuple[int, int]], tuple[tuple[int, int], tuple[int, int]]]
"""By the first role's move, then the second's: what the first and the second get."""

MOVES: dict[str, tuple[str, str]] = {
    "prisoners_dilemma": ("cooperate", "defect"),
    "stag_hunt": ("stag", "hare"),
    "battle_of_the_sexes": ("opera", "football"),
    "chicken": ("swerve", "straight"),
    "matching_pennies": ("heads", "tails"),
}
"""The moves of each game; the first one is the friendlier, where one is."""


def draw_payoffs(rng: random.Random, game: str) -> Payoffs:
    """Payoffs of a game that keep its order of preferences."""
    if game == "battle_of_the_sexes":
        low, high = sorted(rng.sample(range(2, 9), 2))
        apart = rng.randint(0, 1)
        return ((high, low), (apart, apart)), ((apart, apart), (low, high))
    if game == "matching_pennies":
        heads, tails, other = (rng.randint(1, 5) for _ in range(3))
        return ((heads, 0), (0, other)), ((0, other), (tails, 0))
    least, low, high, most = _increasing(rng)
    if game == "prisoners_dilemma":
        sucker, punished, rewarded, tempted = least, low, high, min(most, 2 * high - least - 1)
        return _symmetric(rewarded, sucker, max(tempted, rewarded + 1), punished)
    if game == "stag_hunt":
        return _symmetric(most, least, high, low)
    return _symmetric(high, low, most, least)  # chicken


def _increasing(rng: random.Random) -> tuple[int, int, int, int]:
    """Four payoffs, the third at least two above the first, so that tempting can be worth less than twice it."""
    least = rng.randint(0, 2)
    low = least + rng.randint(1, 2)
    high = low + rng.randint(1, 3)
    return least, low, high, high + rng.randint(1, 4)


def _symmetric(both: int, alone: int, other: int, neither: int) -> Payoffs:
    """Payoffs for both making the first move, making it alone, the other making it alone, and nobody making it."""
    return ((both, both), (alone, other)), ((other, alone), (neither, neither))


def as_payoffs(rows: Sequence[Sequence[Sequence[int]]]) -> Payoffs:
    """Payoffs from lists as JSON has them."""
    (a, b), (c, d) = rows
    return ((a[0], a[1]), (b[0], b[1])), ((c[0], c[1]), (d[0], d[1]))


def gains(payoffs: Payoffs, role: str, own: int, other: int) -> tuple[int, int]:
    """What a role and the other get for their moves."""
    if role == "first":
        return payoffs[own][other]
    theirs, mine = payoffs[other][own]
    return mine, theirs


def best_reply(payoffs: Payoffs, role: str, other: int) -> int:
    """The move that gains a role most against a move."""
    return max((0, 1), key=lambda own: gains(payoffs, role, own, other)[0])
