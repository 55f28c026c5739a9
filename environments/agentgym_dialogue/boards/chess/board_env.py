"""What all environments of chess share: an agent's move, the opponent's, and how a game ends.

Which positions a game begins from is in the environments themselves, the opponent's choice in `opponent`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import chess

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message, user
from agentgym.task import Limits, Task
from agentgym_dialogue.boards.chess.engine import find_engine
from agentgym_dialogue.boards.chess.moves import read_move
from agentgym_dialogue.boards.chess.opponent import choose_move, position_key

MAX_INVALID = 4
OBSERVATIONS = ("fen", "pieces")
_SIDES = {chess.WHITE: "White", chess.BLACK: "Black"}


@dataclass(frozen=True)
class Strength:
    """How well the opponent plays.

    Attributes:
        nodes: Nodes that the engine searches for a move, 1 to 100,000.
        num_lines: Most lines that it draws from, 1 to 20.
        margin: How much worse than the best, in centipawns, a line may be to be drawn.
    """

    nodes: int = 100
    num_lines: int = 4
    margin: int = 60

    def __post_init__(self) -> None:
        if not (1 <= self.nodes <= 100_000 and 1 <= self.num_lines <= 20 and self.margin >= 0):
            raise ConfigError(
                f"chess got nodes={self.nodes}, num_lines={self.num_lines} and margin={self.margin}; expected 1 to "
                "100000 nodes, 1 to 20 lines and a margin of at least 0"
            )


def side_name(board: chess.Board) -> str:
    """Who is to move, in words."""
    return _SIDES[board.turn]


def picture(board: chess.Board, observation: str) -> str:
    """A position in words: FEN, or the squares of the pieces of both sides."""
    if observation == "fen":
        return board.fen()
    sides = []
    for colour, name in _SIDES.items():
        pieces = [
            f"{chess.piece_symbol(kind).upper()}{chess.square_name(square)}"
            for kind in reversed(chess.PIECE_TYPES)
            for square in board.pieces(kind, colour)
        ]
        sides.append(f"{name} {' '.join(pieces)}.")
    return " ".join(sides)


class BoardEnv(AgentEnv):
    """A game of chess from a position in which the agent is to move; subclasses say from which.

    The strength and the observation are those of tasks made from a seed.

    Args:
        nodes: Nodes that the opponent searches for a move.
        num_lines: Most lines that it draws from.
        margin: How much worse than the best, in centipawns, a line may be to be drawn.
        observation: "fen" or "pieces".
        render_mode: None or "ansi".

    Raises:
        ConfigError: No such observation or strength, or Stockfish is not installed.
    """

    reward_weights = {"result": 1.0, "format": 1.0}
    invalid_value = -1.0
    max_turns = 100

    def __init__(
        self,
        *,
        nodes: int = Strength.nodes,
        num_lines: int = Strength.num_lines,
        margin: int = Strength.margin,
        observation: str = "fen",
        render_mode: str | None = None,
    ) -> None:
        strength = Strength(nodes, num_lines, margin)
        super().__init__(render_mode)
        if observation not in OBSERVATIONS:
            raise ConfigError(f"chess got observation={observation!r}; expected one of {', '.join(OBSERVATIONS)}")
        find_engine()  # a missing one is an error of whoever makes the environment, not of an episode
        self.strength, self.observation = strength, observation
        self._opponent = strength
        self._board = chess.Board()
        self._shown = observation
        self._seen: Counter[str] = Counter()

    def board_task(self, task_id: str, seed: int, board: chess.Board, instruction: str, **fields: Any) -> Task:
        """The task of playing on from a position, against an opponent of this environment's strength."""
        opponent = self.strength
        config = {
            "fen": board.fen(),
            "observation": self.observation,
            "opponent": [opponent.nodes, opponent.num_lines, opponent.margin],
        }
        limits = Limits(max_turns=self.max_turns, max_invalid=MAX_INVALID)
        return Task(task_id, seed, instruction, config=config, limits=limits, **fields)

    def begin(self, task: Task) -> Sequence[Message]:
        """Show the position."""
        try:
            config = task.config
            self._board = chess.Board(config["fen"])
            self._opponent = Strength(*config["opponent"])
            self._shown = config["observation"]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; chess needs fen, observation and opponent in config"
            ) from None
        except (TypeError, ValueError) as error:
            raise TaskError(f"task {task.id!r} cannot be played: {error}") from None
        if not self._board.is_valid() or self._board.is_game_over() or self._shown not in OBSERVATIONS:
            raise TaskError(f"task {task.id!r}: nobody can move in {config['fen']!r}, or it is shown as no one can")
        self._seen = Counter([position_key(self._board)])
        return [user(f"{task.instruction}\n{self._view()}")]

    def respond(self, action: Action) -> EnvReply:
        """Make the agent's move and the opponent's."""
        self._push(read_move(action.content, self._board))
        if (end := self._end(1.0)) is not None:
            return end
        board = self._board
        rng = random.Random(self.episode_seed * 1009 + board.fullmove_number)
        chosen = self._opponent
        move = choose_move(board, self._seen, chosen.nodes, chosen.num_lines, chosen.margin, rng)
        told = f"{side_name(board)} plays {board.san(move)}.\n"
        self._push(move)
        return self._end(-1.0, told) or EnvReply([user(told + self._view())])

    def anchor(self) -> str:
        """Position, what was on the board since the last move that cannot be undone, and invalid messages."""
        return f"{self._board.fen()} {sorted(self._seen.items())} {self.num_invalid}"

    def legal_actions(self) -> Sequence[str]:
        """The agent's legal moves in standard notation."""
        return [self._board.san(move) for move in self._board.legal_moves]

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; a seed draws the opponent's further moves afresh."""
        twin = self.fork_by_copy(seed, self._board)
        twin._board = self._board.copy()
        return twin

    def _push(self, move: chess.Move) -> None:
        self._board.push(move)
        if not self._board.halfmove_clock:
            self._seen.clear()
        self._seen[position_key(self._board)] += 1

    def _end(self, value: float, told: str = "") -> EnvReply | None:
        """The last reply, where the move just made ended the game; a mate is worth the value to the agent."""
        board = self._board
        if board.is_checkmate():
            words = "You win." if value > 0 else "You lose."
            last = [user(f"{told}Checkmate. {words}")]
            return EnvReply(last, [self.event("result", value)], True, value > 0, 1.0 if value > 0 else 0.0)
        why = (
            "stalemate"
            if board.is_stalemate()
            else "lack of material"
            if board.is_insufficient_material()
            else "repetition"
            if self._seen[position_key(board)] >= 3
            else "fifty moves"
            if board.halfmove_clock >= 100
            else ""
        )
        if not why:
            return None
        return EnvReply([user(f"{told}Draw by {why}.")], [self.event("result", 0.0)], True, False, self.draw_score)

    draw_score = 0.0
    """Score of a draw."""

    def _view(self) -> str:
        return picture(self._board, self._shown)
