"""Players of chess endgames: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

In solved endings oracle and demonstrator mate as soon as can be; in the others they ask the engine.
"""

from __future__ import annotations

import chess

from agentgym.authoring.players import at_quality, saying
from agentgym.policy import ScriptFactory
from agentgym_dialogue.boards.chess.opponent import choose_move
from agentgym_dialogue.boards.chess.scripts import CHEATS, Demonstrator, RandomPlayer
from agentgym_dialogue.boards.chess_endgames.endings import best_move, mate_in

NODES, HARD_NODES, NUM_LINES = 2_000, 20_000, 4
"""What the engine searches with rooks, what with bishops, and lines to avoid repetition with."""


class EndgameDemonstrator(Demonstrator):
    """Makes the best move, or, where it errs, any legal one."""

    def good_move(self) -> chess.Move:
        """A move that mates as soon as can be, or the engine's best one."""
        label = mate_in(self.board)
        if label is not None and label > 0:
            return best_move(self.board)
        return choose_move(self.board, self.seen, HARD_NODES if self.board.bishops else NODES, NUM_LINES, 0, self.rng)


SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": at_quality(EndgameDemonstrator, 1.0),
    "null": saying(""),
    "random": RandomPlayer,
    "demo": EndgameDemonstrator,
    **CHEATS,
}
