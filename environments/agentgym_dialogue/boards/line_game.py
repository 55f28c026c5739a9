"""Games of two roles who mark cells in turns until one has enough in a row; the cards are those of the games.

Boards are in `line_board`, players in `line_players`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.boards.line_board import Board, board_of

ROLES = ("first", "second")
MAX_CHARS = 1_000
"""Longest message, in characters, that is read."""
MAX_INVALID = 2


def line_task(
    task_id: str, seed: int, board: Board, opening: Sequence[int], slips: Sequence[str], **fields: Any
) -> Task:
    """The task of playing on from an opening.

    Args:
        task_id: Its id.
        seed: Its seed, by which scripted players choose among equal moves.
        board: The board.
        opening: The moves that are made already, an even number.
        slips: For the first and the second role at which of its moves, counted from the opening, a scripted player
            errs: "0100" at the second.
        fields: Further fields of the task.
    """
    return Task(
        task_id,
        seed,
        f"Get {board.length} in a row before the other.",
        config={"columns": board.columns, "rows": board.rows, "opening": list(opening)},
        private={f"{role}_slips": pattern for role, pattern in zip(ROLES, slips, strict=True)},
        limits=_limits(board.columns * board.rows),
        **fields,
    )


@cache
def _limits(num_cells: int) -> Limits:
    return Limits(max_turns=num_cells // 2 + 1 + MAX_INVALID, max_invalid=MAX_INVALID)


def position_of(board: Board, moves: Sequence[int]) -> tuple[int, int]:
    """The marks of both roles after moves in turns.

    Raises:
        ValueError: A move cannot be made, or one wins.
    """
    marks = [0, 0]
    for index, move in enumerate(moves):
        bit = board.bit(marks[0] | marks[1], move) if 0 <= move < board.num_moves else 0
        marks[index % 2] |= bit
        if not bit or board.has_row(marks[index % 2]):
            raise ValueError(f"move {move} cannot be made, or wins")
    return marks[0], marks[1]


class LineGame(GameEnv):
    """Mark cells in turns; who has enough in a row wins."""

    roles = ROLES
    reward_weights = {"outcome": 1.0, "format": 1.0}
    length = 3
    falls = False

    def __init__(self) -> None:
        super().__init__()
        self.board = board_of(3, 3, self.length, self.falls)
        self.marks = {"first": 0, "second": 0}

    @abstractmethod
    def rules(self, sign: str) -> str:
        """What a role is told first, given its sign."""

    @abstractmethod
    def read_move(self, text: str) -> int | None:
        """The one move that a text in lower case names, on the board or not; None where it names none or several."""

    @abstractmethod
    def refusal(self) -> str:
        """What a message is answered that names no move which can be made."""

    def begin(self, task: Task) -> Inbox:
        """Set up the opening."""
        try:
            columns, rows, opening = task.config["columns"], task.config["rows"], task.config["opening"]
        except KeyError as error:
            raise TaskError(f"task {task.id!r} lacks {error}; expected columns, rows and opening in config") from None
        self.board = board_of(columns, rows, self.length, self.falls)
        try:
            first, second = position_of(self.board, opening)
        except ValueError as error:
            raise TaskError(f"task {task.id!r}: its opening {opening} cannot be played: {error}") from None
        self.marks = {"first": first, "second": second}
        self.acting_role = "first"
        return {"first": [user(f"{self.rules('X')}\n{self._picture()}")], "second": [user(self.rules("O"))]}

    def respond(self, role: str, action: Action) -> GameReply:
        """Make a move, and show it to the other or end the game."""
        content = action.content
        move = self.read_move(content.lower()) if len(content) <= MAX_CHARS else None
        taken = self.marks["first"] | self.marks["second"]
        bit = self.board.bit(taken, move) if move is not None and 0 <= move < self.board.num_moves else 0
        if not bit:
            raise ActionSyntaxError(self.refusal())
        assert move is not None
        other = "second" if role == "first" else "first"
        self.marks = {**self.marks, role: self.marks[role] | bit}
        said = f"They play {move + 1}."
        if self.board.has_row(self.marks[role]):
            return self._end({role: 1.0, other: -1.0}, {role: "You win.", other: f"{said} You lose."})
        if taken | bit == self.board.full:
            return self._end(dict.fromkeys(ROLES, 0.0), {role: "Draw.", other: f"{said} Draw."})
        self.acting_role = other
        return GameReply({other: [user(f"{said}\n{self._picture()}")]})

    def grade(self) -> GameReply:
        """A game that is not played to its end is lost: by who broke the rules too often, else by both."""
        assert self.task is not None
        breakers = [role for role in ROLES if self.num_invalid[role] > self.task.limits.max_invalid]
        reply = self._end({role: -1.0 if role in (breakers or ROLES) else 0.0 for role in ROLES}, {})
        reply.scores = dict.fromkeys(ROLES, 0.0)
        return reply

    def anchor(self) -> str:
        """The marks and invalid messages so far; equal within one task only."""
        return f"{self.marks['first']:x} {self.marks['second']:x} {sorted(self.num_invalid.items())}"

    def legal_actions(self, role: str) -> Sequence[str]:
        """The numbers of the moves that can be made."""
        taken = self.marks["first"] | self.marks["second"]
        return [str(move + 1) for move, _ in self.board.moves(taken)]

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _picture(self) -> str:
        return self.board.picture(self.marks["first"], self.marks["second"])

    def _end(self, values: dict[str, float], texts: dict[str, str]) -> GameReply:
        return GameReply(
            {role: [user(text)] for role, text in texts.items()},
            [self.event(role, "outcome", value) for role, value in values.items()],
            is_over=True,
            successes={role: value > 0 for role, value in values.items()},
            scores={role: (value + 1) / 2 for role, value in values.items()},
        )
