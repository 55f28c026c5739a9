"""Chess: a game against Stockfish, from an opening of a few random moves, with or without odds.

The course of a game is in `board_env`, players in `scripts`, the suite's tasks in `generate`.
"""

from __future__ import annotations

import random
from collections.abc import Container
from typing import Any

import chess

from agentgym.errors import ConfigError
from agentgym.task import Task
from agentgym_dialogue.boards.chess.board_env import BoardEnv, side_name

ODDS = {"none": None, "rook": chess.ROOK, "queen": chess.QUEEN}
"""What the opponent begins without."""
WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
OPENING_PLIES = range(2, 6)


def opening(rng: random.Random, odds: str, first_moves: Container[str] | None = None) -> chess.Board:
    """A position after two to five random moves, in which the opponent lacks what the odds say.

    Args:
        rng: Where the moves come from.
        odds: One of `ODDS`.
        first_moves: First moves of White, in UCI notation, that are wanted; None: any.
    """
    while True:
        board = chess.Board()
        for _ in range(rng.choice(OPENING_PLIES)):
            moves = [move for move in board.legal_moves if not board.is_capture(move)]
            if first_moves is not None and not board.move_stack:
                moves = [move for move in moves if move.uci() in first_moves]
            board.push(rng.choice(moves))
        kind = ODDS[odds]
        if kind is not None:
            board.remove_piece_at(rng.choice(list(board.pieces(kind, not board.turn))))
            board.castling_rights = board.clean_castling_rights()
        board.clear_stack()
        board.halfmove_clock = 0
        if board.is_valid() and not board.is_check() and any(board.legal_moves):
            return board


def _worth(board: chess.Board, colour: chess.Color) -> int:
    """What the pieces of a side are worth in pawns."""
    return sum(worth * len(board.pieces(kind, colour)) for kind, worth in WORTH.items())


class ChessEnv(BoardEnv):
    """Play a game of chess against Stockfish.

    Observation:
        Text. The first message names the agent's colour and gives the position in Forsyth-Edwards notation (FEN). After
        each move the agent reads the opponent's answer and the new position: `Black plays Nf6.` The last message is
        `Checkmate. You win.`, `Checkmate. You lose.` or the kind of draw, such as `Draw by repetition.` With
        `observation="pieces"` the squares of the pieces replace FEN: `White Ke1 Qd1. Black Ke8.`
    Action:
        A message that names one move in standard algebraic notation (`Nf3`, `exd5`, `O-O`, `e8=Q`; marks of check may
        be missing) or as UCI (`g1f3`, `e7e8q`), with any words around it. A message with no move or several moves, or
        with an illegal or ambiguous move, is invalid.
    Reward:
        `result`: 1 for mating, -1 for being mated, 0 for a draw. `format`: -1 for an invalid message, after which the
        agent moves again. As in LMRL-Gym (Abdulhai et al. 2023, arXiv 2311.18232).
        Differs: the agent plays either colour from an opening of random moves. More than four invalid messages end the
        episode, which is never better than playing on. Draws by threefold repetition and fifty moves need no claim.
    Termination:
        Mate or draw, or more invalid messages than the task's limit (4).
    Truncation:
        After 100 messages of the agent (LMRL-Gym: 400).
    Info:
        The keys of `AgentEnv`. Success is a win. The score is 1 for a win and 0.5 for a draw. `progress()` is the share
        of the opponent's material that the agent has taken.
    Sandbox:
        None. Stockfish runs as processes of this machine, at most four for all episodes of a process. Its strength is
        limited: it searches few nodes, and the episode's seed chooses one of its best lines that is nearly as good as
        the best. (LMRL-Gym sets its Elo, which draws at random.) It is told before each move that a new game begins, so
        its answer depends only on position and seed. Another version of Stockfish plays differently.
    Source and licence:
        Written for this project, Apache-2.0; needs the library `chess` (GPL-3.0-or-later, the extra `chess`) and
        Stockfish (GPL-3.0, Debian's package `stockfish`); the tasks of dialogue/chess are generated, CC0-1.0.

    Example:
        `Win as White. Each turn say your move, such as Nf3.` `rnb1kbnr/… w KQkq - 0 2` / `e4` / `Black plays e6.`
        `rnb1kbnr/…`

    Args:
        odds: What the opponent begins without in a task made from a seed: "none", "rook" or "queen".
        options: As of `BoardEnv`: the opponent's nodes, num_lines and margin, the observation, and render_mode.

    Raises:
        ConfigError: No such odds, strength or observation, or Stockfish is not installed.
    """

    draw_score = 0.5

    def __init__(self, odds: str = "queen", **options: Any) -> None:
        super().__init__(**options)
        if odds not in ODDS:
            raise ConfigError(f"chess got odds={odds!r}; expected one of {', '.join(ODDS)}")
        self.odds = odds

    def make_task(self, seed: int) -> Task:
        """A game from a random opening."""
        return self.game_task(f"chess:{seed}", seed, opening(random.Random(seed), self.odds))

    def progress(self) -> float:
        """Share of what the opponent's pieces were worth that is taken; 1 after mating."""
        assert self.task is not None
        first_board, board = chess.Board(self.task.config["fen"]), self._board
        opponent = not first_board.turn
        if board.is_checkmate() and board.turn == opponent:
            return 1.0
        first, now = _worth(first_board, opponent), _worth(board, opponent)
        return max(0.0, 1.0 - now / first) if first else 0.0

    def game_task(self, task_id: str, seed: int, board: chess.Board, **fields: Any) -> Task:
        """The task of winning from a position; `fields` are further ones of the task."""
        instruction = f"Win as {side_name(board)}. Each turn say your move, such as Nf3."
        return self.board_task(task_id, seed, board, instruction, **fields)
