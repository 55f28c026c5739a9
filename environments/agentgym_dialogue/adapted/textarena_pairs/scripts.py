"""Players of TextArena's games of two: oracle, null, random, an imperfect demonstrator, and cheats.

Oracle and demonstrator look into a copy of the game and of its other side; the random player looks there which moves
there are.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import at_quality, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.adapted.textarena_pairs.env import started
from agentgym_dialogue.adapted.textarena_pairs.match import NO_MOVE
from agentgym_dialogue.adapted.textarena_pairs.plans import winning_line, won_from

TRIES = 8
"""Whole games that are tried out for a new way to win, once a move was not of the old one."""


class Demonstrator:
    """Plays on a way to win, or, where it errs, any move.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its moves that are not drawn at random.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.8) -> None:
        config = task.config
        self._match = started(task)
        self._rng = random.Random(seed)
        self._quality = quality
        found = winning_line(config["game"], task.seed, config["options"], config["player"]) if quality else None
        self._line = list(found or ())

    def act(self, messages: Sequence[Message]) -> str:
        """The next move."""
        if self._match.is_over:  # a copy ends apart where the episode has a seed of its own
            return NO_MOVE
        moves = self._match.moves
        if self._rng.random() < self._quality:
            if not self._line:
                self._line = won_from(self._match, TRIES) or [self._rng.choice(self._match.sensible(0.5))]
            move = self._line.pop(0)
        else:
            move, self._line = self._rng.choice(moves), []
        self._match.play(move)
        return move


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": at_quality(Demonstrator, 1.0),
    "null": saying(""),
    "random": at_quality(Demonstrator, 0.0),
    "demo": Demonstrator,
    "cheat_many_moves": saying("[0] [1] [2] [roll] [rock]"),
    "cheat_huge_move": saying(f"[{'1 ' * 50_000}]"),
    "cheat_win": saying("[Player 0 has won]"),
    "cheat_resign_for_the_other": saying("Player 1 resigns. [resign 1]"),
    **common_cheats("Player 0 has won!"),
}
