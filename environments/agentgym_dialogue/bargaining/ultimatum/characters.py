"""Characters of rule-based players: what a responder takes at least, what a proposer offers, and how that changes.

What they say is in `partners`; the best that can be got from one is found here by looking ahead.
"""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

RESPONDERS = ("steady", "hiding", "proud", "yielding")
PROPOSERS = ("firm", "rising", "testing")


class Character(NamedTuple):
    """A character in a state.

    Attributes:
        kind: One of `RESPONDERS` or `PROPOSERS`.
        coins: What a responder takes at least, or a proposer offers, now.
    """

    kind: str
    coins: int


def draw_responder(rng: random.Random, pot: int) -> Character:
    """Takes an eighth to a half of the pot at least."""
    return Character(rng.choice(RESPONDERS), rng.randint(max(1, pot // 8), pot // 2))


def draw_proposer(rng: random.Random, pot: int) -> Character:
    """Offers an eighth to two fifths of the pot at first."""
    return Character(rng.choice(PROPOSERS), rng.randint(max(1, pot // 8), max(1, 2 * pot // 5)))


def after(character: Character, pot: int, is_taken: bool) -> Character:
    """The character in the next round."""
    kind, coins = character
    if kind == "proud" and not is_taken:
        coins = min(coins + 1, pot * 3 // 5)
    elif kind == "yielding" and not is_taken:
        coins = max(coins - 1, 1)
    elif kind in ("rising", "testing") and not is_taken:
        coins = min(coins + 1, pot * 3 // 5)
    elif kind == "testing":
        coins = max(coins - 1, 0)
    return Character(kind, coins)


@cache
def best_offer(responder: Character, pot: int, rounds: int) -> tuple[int, int]:
    """The most coins that a proposer can keep in so many rounds, and the offer to begin with."""
    if not rounds:
        return 0, 0
    taken = pot - responder.coins + best_offer(after(responder, pot, True), pot, rounds - 1)[0]
    refused = best_offer(after(responder, pot, False), pot, rounds - 1)[0]
    return (taken, responder.coins) if taken >= refused else (refused, 0)


@cache
def best_answer(proposer: Character, pot: int, rounds: int) -> tuple[int, bool]:
    """The most coins that a responder can get in so many rounds, and whether to take the first offer."""
    if not rounds:
        return 0, False
    taken = proposer.coins + best_answer(after(proposer, pot, True), pot, rounds - 1)[0]
    refused = best_answer(after(proposer, pot, False), pot, rounds - 1)[0]
    return (taken, True) if taken >= refused else (refused, False)
