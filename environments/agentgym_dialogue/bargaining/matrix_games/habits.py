"""Habits of rule-based players: how they move after what was played, and what can be got from one at most.

What they say, and how they read the conversation, is in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from agentgym_dialogue.bargaining.matrix_games.payoffs import Payoffs, best_reply, gains

HABITS = ("tit_for_tat", "grim", "win_stay", "mixture", "trusting")
MIXTURES = (0.15, 0.3, 0.7, 0.85)
"""Shares of first moves that a mixture may have."""

State = int
"""What a habit keeps of the past: the move to make next, where it is not drawn."""


@dataclass(frozen=True)
class Habit:
    """How a scripted player of a role moves.

    Attributes:
        kind: One of `HABITS`.
        role: Its role.
        payoffs: The game.
        share: Share of first moves of a mixture.
        is_honest: Whether it makes the move that it announces.
        seed: By which a mixture draws.
        rounds: Number of rounds.
    """

    kind: str
    role: str
    payoffs: Payoffs
    share: float
    is_honest: bool
    seed: int
    rounds: int

    @cached_property
    def _draws(self) -> Sequence[int]:
        rng = random.Random(self.seed)
        return [int(rng.random() >= self.share) for _ in range(self.rounds)]

    @property
    def start(self) -> State:
        """What it keeps at first: it means to make the first move."""
        return 0

    def move(self, state: State, number: int, heard: int | None) -> int:
        """Its move in a round, counted from 0, given what the other announced."""
        if self.kind == "mixture":
            return self._draws[number]
        if self.kind == "trusting":
            return best_reply(self.payoffs, self.role, state if heard is None else heard)
        return state

    def announced(self, state: State, number: int, heard: int | None) -> int:
        """The move that it says it will make, given what it has heard by then."""
        move = self.move(state, number, heard)
        return move if self.is_honest else 1 - move

    def after(self, state: State, own: int, other: int) -> State:
        """What it keeps after a round."""
        if self.kind == "win_stay":
            fair = sum(gains(self.payoffs, self.role, a, b)[0] for a in (0, 1) for b in (0, 1)) / 4
            return own if gains(self.payoffs, self.role, own, other)[0] >= fair else 1 - own
        return max(state, other) if self.kind == "grim" else other

    def best_against(self, state: State, number: int) -> tuple[int, int | None, int]:
        """The most that the other can get from here on, and what to announce, or None, and to play for it first."""
        known: dict[tuple[State, int], tuple[int, int | None, int]] = {}

        def best(state: State, number: int) -> tuple[int, int | None, int]:
            if number == self.rounds:
                return 0, None, 0
            if (state, number) not in known:
                options = []
                for announced in (None, 0, 1) if self.kind == "trusting" else (None,):
                    move = self.move(state, number, announced)
                    for own in (0, 1):
                        gained = gains(self.payoffs, self.role, move, own)[1]
                        future = best(self.after(state, move, own), number + 1)[0]
                        options.append((gained + future, announced, own))
                known[state, number] = max(options, key=lambda option: option[0])
            return known[state, number]

        return best(state, number)
