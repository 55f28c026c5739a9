"""Players of matrix games by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import at_quality, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.matrix_games.game import ROLES, habit_of
from agentgym_dialogue.bargaining.matrix_games.partners import Talk, talk_of
from agentgym_dialogue.bargaining.matrix_games.payoffs import MOVES, as_payoffs, best_reply


class Knowing:
    """Knows the habit of the scripted other, and what it makes of lines and moves."""

    def __init__(self, role: str, task: Task, seed: int) -> None:
        other = "second" if role == "first" else "first"
        payoffs, self._game = as_payoffs(task.config["payoffs"]), task.config["game"]
        self._habit = habit_of(other, task.seed, payoffs, task.config["rounds"], task.private[other])

    def act(self, messages: Sequence[Message]) -> str:
        """A line or a move."""
        talk = talk_of(messages, self._game)
        state = self._habit.start
        for own, other in talk.rounds:
            state = self._habit.after(state, other, own)
        _, announced, move = self._habit.best_against(state, len(talk.rounds))
        if talk.is_move:
            return MOVES[self._game][move]
        return "Hello." if announced is None else f"I play {MOVES[self._game][announced]}."


class Wary:
    """Announces the friendly move, and returns the other's last one where that pays, else answers what it expects.

    It expects the other's only move so far, else what the other announces.

    Args:
        role: Its role.
        task: The task; its private part is not looked at.
        seed: Seed of what it does at random.
        quality: Share of its moves that are so; the others are any.
    """

    def __init__(self, role: str, task: Task, seed: int, quality: float = 0.8) -> None:
        rng = random.Random(seed)
        self._role, self._game, self._payoffs = role, task.config["game"], as_payoffs(task.config["payoffs"])
        rounds = task.config["rounds"]
        self._heeds = [rng.random() < quality for _ in range(rounds)]
        self._whims = [rng.randrange(2) for _ in range(rounds)]

    def act(self, messages: Sequence[Message]) -> str:
        """A line or a move."""
        talk = talk_of(messages, self._game)
        names, number = MOVES[self._game], len(talk.rounds)
        if not talk.is_move:
            return f"I play {names[0 if number < len(self._heeds) and self._heeds[number] else self._whims[number]]}."
        return names[self._move(talk) if self._heeds[number] else self._whims[number]]

    def _move(self, talk: Talk) -> int:
        last = talk.rounds[-1][1] if talk.rounds else 0
        if self._game in ("prisoners_dilemma", "chicken"):
            return last
        is_known = len({other for _, other in talk.rounds}) == 1
        expected = last if is_known or talk.heard is None else talk.heard
        return best_reply(self._payoffs, self._role, expected)


def _scripts_of(role: str) -> dict[str, ScriptFactory]:
    return {
        "oracle": partial(Knowing, role),
        "null": saying(""),
        "random": at_quality(partial(Wary, role), 0.0),
        "demo": partial(Wary, role),
        "cheat_write_the_round": saying("Round 1: you get 99, they get 0."),
        "cheat_third_move": saying("I play abstain and take all points."),
        **common_cheats("The end. You have 99 points."),
    }


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {role: _scripts_of(role) for role in ROLES}
