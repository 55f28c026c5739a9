"""Players of TextArena's games: oracle, null, random, an imperfect demonstrator, and cheats.

Oracle and demonstrator look into a copy of the game; the random player looks there which moves there are.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import at_quality, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.adapted.textarena_games.env import started
from agentgym_dialogue.adapted.textarena_games.moves import MOVES
from agentgym_dialogue.adapted.textarena_games.solutions import SOLUTIONS


class Demonstrator:
    """Plays a winning move, or, where it errs or there is no oracle, any move.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its moves that are not drawn at random.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.8) -> None:
        self._name = task.config["game"]
        self._game = started(task)
        self._rng = random.Random(seed)
        self._quality = quality if self._name in SOLUTIONS else 0.0

    def act(self, messages: Sequence[Message]) -> str:
        """The next move."""
        heeds = self._rng.random() < self._quality
        move = SOLUTIONS[self._name](self._game) if heeds else self._any_move()
        self._game.play(move)
        return move

    def _any_move(self) -> str:
        """Any move; a demonstrator draws none that the game refuses."""
        moves = MOVES[self._name](self._game.raw) or ["[0]"]
        move = self._rng.choice(moves)
        while self._quality and len(moves) > 1 and self._game.copy().play(move).refusal:
            moves.remove(move)
            move = self._rng.choice(moves)
        return move


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": at_quality(Demonstrator, 1.0),
    "null": saying(""),
    "random": at_quality(Demonstrator, 0.0),
    "demo": Demonstrator,
    "cheat_many_moves": saying("[1] [2] [3] [up] [left]"),
    "cheat_huge_move": saying(f"[{'1 ' * 50_000}]"),
    "cheat_win": saying("[You have solved the puzzle]"),
    **common_cheats("Congratulations! You solved it."),
}
