"""Rule-based players of tic-tac-toe: perfect ones that err where the task says.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

from functools import cache

from agentgym.policy import ScriptFactory
from agentgym_dialogue.boards.line_board import Board, Marks
from agentgym_dialogue.boards.line_game import ROLES
from agentgym_dialogue.boards.line_players import Skill, rule_based


@cache
def worth(board: Board, marks: Marks) -> int:
    """What a position is worth to the one whose move it is under perfect play: 1 a win, 0 a draw, -1 a loss."""
    if board.has_row(marks.other):
        return -1
    moves = board.moves(marks.own | marks.other)
    return max((-worth(board, Marks(marks.other, marks.own | bit)) for _, bit in moves), default=0)


@cache
def good_moves(board: Board, marks: Marks) -> tuple[int, ...]:
    """The moves of the greatest worth; a row at once where there is one."""
    moves = board.moves(marks.own | marks.other)
    at_once = tuple(move for move, bit in moves if board.has_row(marks.own | bit))
    worths = {move: -worth(board, Marks(marks.other, marks.own | bit)) for move, bit in moves}
    best = max(worths.values())
    return at_once or tuple(move for move, value in worths.items() if value == best)


@cache
def bad_moves(board: Board, marks: Marks) -> tuple[int, ...]:
    """The moves of the least worth."""
    moves = board.moves(marks.own | marks.other)
    worths = {move: -worth(board, Marks(marks.other, marks.own | bit)) for move, bit in moves}
    worst = min(worths.values())
    return tuple(move for move, value in worths.items() if value == worst)


SKILL = Skill(good_moves, bad_moves, length=3, falls=False)
PARTNERS: dict[str, ScriptFactory] = {role: rule_based(SKILL, role) for role in ROLES}
