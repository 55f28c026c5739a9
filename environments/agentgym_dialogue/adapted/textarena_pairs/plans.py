"""Ways to win a game of two, found by playing copies of it against the other side that the seed makes.

For oracles, demonstrators and choosing tasks, not for players: a copy knows the dice and the other side's errors.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from agentgym_dialogue.adapted.textarena_pairs.match import Match

TRIES = 60
"""Whole games that are tried out, ever more of whose moves are drawn at random."""


def won_from(match: Match, tries: int, seed: int = 0) -> list[str] | None:
    """Moves that win from here; None where no try did."""
    for attempt in range(tries):
        rng = random.Random(f"{seed} {attempt}")
        twin, share, line = match.copy(), 0.6 * attempt / tries, list[str]()
        while True:
            move = rng.choice(twin.moves if rng.random() < share else twin.sensible(rng.random()))
            answer = twin.play(move)
            line.append(move)
            if answer.is_over:
                break
        if answer.reward > 0:
            return line
    return None


def winning_line(name: str, seed: int, options: Mapping[str, Any], player: int) -> Sequence[str] | None:
    """Moves that win the game of a task from its start; None where none were found."""
    return _winning_line(name, seed, json.dumps(options, sort_keys=True), player)


@lru_cache(maxsize=10_000)
def _winning_line(name: str, seed: int, options: str, player: int) -> Sequence[str] | None:
    return won_from(Match(name, seed, json.loads(options), player), TRIES)
