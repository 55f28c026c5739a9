"""Rule-based players of Connect Four: they look two moves ahead, and err where the task says.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

from agentgym.policy import ScriptFactory
from agentgym_dialogue.boards.line_board import Board, Marks
from agentgym_dialogue.boards.line_game import ROLES
from agentgym_dialogue.boards.line_players import Skill, rule_based

LOST = -1_000
"""What a position is worth in which the other wins at once."""


def good_moves(board: Board, marks: Marks) -> list[int]:
    """The move that wins, else the one that must be made, else the best of those that lose nothing at once."""
    own, other = marks
    moves = board.moves(own | other)
    wins, threats = board.completing(own), board.completing(other)
    for cells in (wins, threats):
        urgent = [move for move, bit in moves if bit & cells]
        if urgent:
            return urgent[:1]
    values = {move: _value(board, own | bit, other, move) for move, bit in moves}
    for best in sorted(set(values.values()), reverse=True):
        chosen = [move for move, bit in moves if values[move] == best and not _lets_make_two(board, own | bit, other)]
        if chosen or best <= LOST:
            break
    return chosen or [move for move, value in values.items() if value == max(values.values())]


def bad_moves(board: Board, marks: Marks) -> list[int]:
    """Any move: who errs has not looked."""
    return [move for move, _ in board.moves(marks.own | marks.other)]


def _value(board: Board, own: int, other: int, move: int) -> int:
    """How good a position is for one who just moved: no win left to the other, ways to win, and the centre."""
    moves = board.moves(own | other)
    wins, threats = board.completing(own), board.completing(other)
    if any(bit & threats for _, bit in moves):
        return LOST
    if _num_ways(board, own | other, wins) > 1:
        return -LOST
    free = board.full & ~(own | other)
    return 10 * ((wins & free).bit_count() - (threats & free).bit_count()) - abs(2 * move - board.columns + 1)


def _lets_make_two(board: Board, own: int, other: int) -> bool:
    """Whether the other can answer so that it threatens to win in two ways at once."""
    taken = own | other
    if _num_ways(board, taken, board.completing(own)):
        return False  # it must answer that
    return any(_num_ways(board, taken | bit, board.completing(other | bit)) > 1 for _, bit in board.moves(taken))


def _num_ways(board: Board, taken: int, cells: int) -> int:
    """In how many ways some cells can be marked now."""
    return sum(bool(bit & cells) for _, bit in board.moves(taken)) if cells & ~taken else 0


SKILL = Skill(good_moves, bad_moves, length=4, falls=True)
PARTNERS: dict[str, ScriptFactory] = {role: rule_based(SKILL, role) for role in ROLES}
