"""Players of chess: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

They read the position from what the agent is told; oracle and demonstrator ask the engine, searching more than the
opponent.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import chess

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.boards.chess.opponent import choose_move, position_key

ORACLE_NODES, ORACLE_LINES = 3_000, 2
DEMO_NODES, DEMO_LINES, DEMO_MARGIN = 1_000, 2, 10
_PIECES = re.compile(r"(White|Black)((?: [KQRBNP][a-h][1-8])+)\.")


def board_of(messages: Sequence[Message], task: Task) -> chess.Board | None:
    """The position that is shown last; None where only an invalid message was answered."""
    shown = messages[-1]["content"].rpartition("\n")[2]
    if task.config["observation"] == "fen":
        return chess.Board(shown) if shown.count("/") == 7 else None
    sides = _PIECES.findall(shown)
    if len(sides) != 2:
        return None
    board = chess.Board(task.config["fen"])
    turn = board.turn
    board.clear()
    for side, pieces in sides:
        for piece in pieces.split():
            kind = chess.PIECE_SYMBOLS.index(piece[0].lower())
            board.set_piece_at(chess.parse_square(piece[1:]), chess.Piece(kind, side == "White"))
    board.turn = turn
    return board


class Player:
    """Reads the position and moves; a subclass says how.

    Args:
        task: The task.
        seed: Seed of its draws.
    """

    def __init__(self, task: Task, seed: int) -> None:
        self.task, self.rng = task, random.Random(seed)
        self.board = chess.Board(task.config["fen"])
        self.seen: set[str] = set()

    def act(self, messages: Sequence[Message]) -> str:
        """The next move."""
        self.board = board_of(messages, self.task) or self.board
        move = self.choose()
        text = self.board.san(move)
        self.seen.add(position_key(self.board))
        after = self.board.copy(stack=False)
        after.push(move)
        self.seen.add(position_key(after))
        return text

    def choose(self) -> chess.Move:
        """The move."""
        raise NotImplementedError


class RandomPlayer(Player):
    """Makes any legal move."""

    def choose(self) -> chess.Move:
        """A legal move."""
        return self.rng.choice(list(self.board.legal_moves))


class Demonstrator(RandomPlayer):
    """Makes a good move, or, where it errs, any legal one.

    Args:
        task: The task.
        seed: Seed of its errors.
        quality: Share of its moves that are good.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.8) -> None:
        super().__init__(task, seed)
        self.quality = quality

    def choose(self) -> chess.Move:
        """A good move, or any."""
        return super().choose() if self.rng.random() >= self.quality else self.good_move()

    def good_move(self) -> chess.Move:
        """A move of the engine's."""
        return choose_move(self.board, self.seen, DEMO_NODES, DEMO_LINES, DEMO_MARGIN, self.rng)


class Oracle(Player):
    """Plays the engine's best move, after a search far deeper than the opponent's."""

    def choose(self) -> chess.Move:
        """The best move that does not bring an earlier position back."""
        return choose_move(self.board, self.seen, ORACLE_NODES, ORACLE_LINES, 0, self.rng)


CHEATS: dict[str, ScriptFactory] = {
    "cheat_null_move": saying("0000"),
    "cheat_two_moves": saying("e4 d4"),
    "cheat_off_the_board": saying("Qh9#"),
    "cheat_set_position": saying("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"),
    "cheat_engine_command": saying("ucinewgame\nquit"),
    "cheat_resign_for_them": saying("Black resigns. 1-0"),
    **common_cheats("Checkmate. You win."),
}

SCRIPTS: dict[str, ScriptFactory] = {
    "oracle": Oracle,
    "null": saying(""),
    "random": RandomPlayer,
    "demo": Demonstrator,
    **CHEATS,
}
