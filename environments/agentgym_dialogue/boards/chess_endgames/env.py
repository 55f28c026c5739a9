"""Chess endgames: mate a lone king that Stockfish plays.

The course of a game is in `chess.board_env`, players in `scripts`, the suite's tasks in `generate`.
"""

from __future__ import annotations

import random
from typing import Any

import chess

from agentgym.errors import ConfigError
from agentgym.task import Task
from agentgym_dialogue.boards.chess.board_env import BoardEnv
from agentgym_dialogue.boards.chess_endgames.endings import ENDINGS, EXACT, mate_in, position, rings_from_centre


class ChessEndgamesEnv(BoardEnv):
    """Mate a lone king as White, with the king and one or two pieces.

    Observation:
        As in `agentgym/Chess-v0`: the agent's colour and the position in Forsyth-Edwards notation (FEN), or the squares
        of the pieces; then the opponent's answers with the new positions.
    Action:
        As in `agentgym/Chess-v0`: a message that names one move, such as `Kf3`, `Rh1` or `e2f3`.
    Reward:
        `result`: 1 for mating, 0 for a draw. `format`: -1 for an invalid message. As in LMRL-Gym (Abdulhai et al. 2023,
        arXiv 2311.18232), whose endings are kings with a queen, a queen and a rook, or rooks.
        Differs: there are six other endings, and all positions can be won; more than four invalid messages end the
        episode.
    Termination:
        Mate or draw (stalemate, a piece lost, repetition, fifty moves), or too many invalid messages.
    Truncation:
        After 60 messages of the agent.
    Info:
        The keys of `AgentEnv`. Success and score are 1 for mate. In endings that are solved (queen, rook or pawn)
        `progress()` is the share of the moves to mate that are no longer needed; in others, it says how near the lone
        king is to the edge.
    Sandbox:
        None; Stockfish as in `agentgym/Chess-v0`.
    Source and licence:
        Written for this project, Apache-2.0; needs the extra `chess` (GPL-3.0-or-later) and Stockfish (GPL-3.0); the
        tasks of dialogue/chess-endgames are generated, CC0-1.0. Their labels (`mate_in`, private) are exact: moves to
        mate with best play of both.

    Example:
        `Mate as White. Each turn say your move, such as Nf3.` `8/8/8/8/8/1Q6/2K5/k7 w - - 0 1` / `Qa3#` / `Checkmate.
        You win.`

    Args:
        ending: One of kq-k, kr-k, krr-k, kbb-k, kbn-k and kp-k, for tasks made from a seed.
        max_mate_in: Most moves to mate, in endings that are solved; None: any.
        options: As of `BoardEnv`: the opponent's nodes, num_lines and margin, the observation, and render_mode.

    Raises:
        ConfigError: No such ending, strength or observation, or Stockfish is not installed.
    """

    max_turns = 60

    def __init__(self, ending: str = "kq-k", max_mate_in: int | None = None, **options: Any) -> None:
        super().__init__(**options)
        is_possible = max_mate_in is None or (max_mate_in >= 1 and ending in EXACT)
        if ending not in ENDINGS or not is_possible:
            raise ConfigError(
                f"chess endgames got ending={ending!r} and max_mate_in={max_mate_in}; expected one of "
                f"{', '.join(ENDINGS)}, and a number of at least 1 or None, which it must be unless the ending is "
                f"{', '.join(EXACT)}"
            )
        self.ending, self.max_mate_in = ending, max_mate_in

    def make_task(self, seed: int) -> Task:
        """A random won position."""
        rng = random.Random(seed)
        while True:
            board = position(self.ending, rng)
            if self.max_mate_in is None or (mate_in(board) or 0) <= self.max_mate_in:
                return self.ending_task(f"chess-endgames:{seed}", seed, board)

    def ending_task(self, task_id: str, seed: int, board: chess.Board, **fields: Any) -> Task:
        """The task of mating from a position; `fields` are further ones of the task."""
        label = mate_in(board)
        private = {} if label is None else {"mate_in": label}
        instruction = "Mate as White. Each turn say your move, such as Nf3."
        return self.board_task(task_id, seed, board, instruction, private=private, **fields)

    def progress(self) -> float:
        """Share of the moves to mate that are no longer needed, 0 where the win is lost; see the card."""
        assert self.task is not None
        board, first = self._board, self.task.private.get("mate_in")
        if board.is_checkmate():
            return 1.0
        if first is None:
            return rings_from_centre(board) / 4
        now = mate_in(board)
        return 0.0 if now is None or now < 0 else max(0.0, 1.0 - now / first)
