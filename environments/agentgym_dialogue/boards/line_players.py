"""Players of games of marks in a row: good ones that err at times, one that foresees them, one that moves at random.

What a good move is, each game says by itself.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym.wrappers.role_view import partner_seed
from agentgym_dialogue.boards.line_board import Board, Marks, board_of
from agentgym_dialogue.boards.line_game import ROLES, position_of

MAX_NODES = 1_500
"""Most positions that the player which foresees its opponent looks at for one move."""

_SIGN = re.compile(r"^[XO.\d][XO.\d ]*$")

ChooseMoves = Callable[[Board, Marks], Sequence[int]]
"""From a position the moves that are equally good, or equally bad, at least one."""


@dataclass(frozen=True)
class Skill:
    """What a game's players know.

    Attributes:
        good: The best moves of a position.
        bad: The moves among which one errs.
        length: Marks in a row that win.
        falls: Whether marks fall.
    """

    good: ChooseMoves
    bad: ChooseMoves
    length: int
    falls: bool

    def board(self, task: Task) -> Board:
        """The board of a task."""
        return board_of(task.config["columns"], task.config["rows"], self.length, self.falls)


class SlippingPlayer:
    """Makes good moves, and bad ones at the moves at which it errs.

    Args:
        skill: What it knows.
        role: Its role.
        slips: At which of its moves it errs, counted from the opening, as "0100".
        task: The task.
        seed: By which it chooses among equal moves.
    """

    def __init__(self, skill: Skill, role: str, slips: str, task: Task, seed: int) -> None:
        self.skill, self.board, self.is_first, self.slips = skill, skill.board(task), role == "first", slips
        self._num_opening = len(task.config["opening"]) // 2
        rng = random.Random(seed)
        self._draws = [rng.random() for _ in range(self.board.columns * self.board.rows)]

    def act(self, messages: Sequence[Message]) -> str:
        """The next move."""
        return str(self.choose(shown_marks(self.board, messages, self.is_first)) + 1)

    def choose(self, marks: Marks) -> int:
        """Its move in a position."""
        number = marks.own.bit_count() - self._num_opening
        errs = self.slips[number : number + 1] == "1"
        moves = (self.skill.bad if errs else self.skill.good)(self.board, marks)
        return moves[int(self._draws[number] * len(moves))]

    def anchor(self) -> str:
        """Nothing: its move follows from the position."""
        return ""


def shown_marks(board: Board, messages: Sequence[Message], is_first: bool) -> Marks:
    """The position that a role was shown last."""
    text = next(m["content"] for m in reversed(messages) if m["role"] == "user" and _shows(m["content"]))
    first, second = board.read(text.split("\n")[-board.rows :])
    return Marks(first, second) if is_first else Marks(second, first)


def _shows(text: str) -> bool:
    return _SIGN.match(text.rpartition("\n")[2]) is not None


def rule_based(skill: Skill, role: str) -> ScriptFactory:
    """The game's scripted player of a role, which errs where the task's private part says."""

    def factory(task: Task, seed: int) -> SlippingPlayer:
        return SlippingPlayer(skill, role, task.private[f"{role}_slips"], task, seed)

    return factory


class Foreseeing:
    """Knows every answer of its scripted opponent, and looks for moves that win against them."""

    def __init__(self, skill: Skill, role: str, task: Task, seed: int) -> None:
        other = "second" if role == "first" else "first"
        self._role = role
        self._player = SlippingPlayer(skill, role, "", task, seed)
        self._opponent = SlippingPlayer(
            skill, other, task.private[f"{other}_slips"], task, partner_seed(task.seed, other)
        )
        self._board, self._opening = self._player.board, task.config["opening"]
        self._lost: set[Marks] = set()
        self._plan: dict[Marks, int] = {}

    def act(self, messages: Sequence[Message]) -> str:
        """The next move."""
        marks = shown_marks(self._board, messages, self._role == "first")
        return str(self._move(marks) + 1)

    def can_win(self) -> bool:
        """Whether it finds moves that win the task."""
        first, second = position_of(self._board, self._opening)
        if self._role == "first":
            start: Marks | None = Marks(first, second)
        else:
            start = self._answered(Marks(second, first))
        return start is not None and self._search(start, [MAX_NODES])

    def _move(self, marks: Marks) -> int:
        if marks in self._plan or self._search(marks, [MAX_NODES]):
            return self._plan[marks]
        return self._player.choose(marks)

    def _search(self, marks: Marks, nodes_left: list[int]) -> bool:
        """Whether a win was found; moves of the win are kept in the plan."""
        if marks in self._lost or nodes_left[0] <= 0:
            return False
        nodes_left[0] -= 1
        board, taken = self._board, marks.own | marks.other
        good = list(self._player.skill.good(board, marks))
        moves = [*good, *(move for move, _ in board.moves(taken) if move not in good)]
        for move in moves:
            own = marks.own | board.bit(taken, move)
            if board.has_row(own):
                self._plan[marks] = move
                return True
            answered = self._answered(Marks(own, marks.other))
            if answered is not None and self._search(answered, nodes_left):
                self._plan[marks] = move
                return True
        if nodes_left[0] > 0:
            self._lost.add(marks)
        return False

    def _answered(self, marks: Marks) -> Marks | None:
        """The position after the opponent's answer; None where the game is over."""
        taken = marks.own | marks.other
        if taken == self._board.full:
            return None
        other = marks.other | self._board.bit(taken, self._opponent.choose(Marks(marks.other, marks.own)))
        is_over = self._board.has_row(other) or other | marks.own == self._board.full
        return None if is_over else Marks(marks.own, other)


class RandomPlayer:
    """Makes any move that can be made."""

    def __init__(self, skill: Skill, role: str, task: Task, seed: int) -> None:
        self._board, self._is_first, self._rng = skill.board(task), role == "first", random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A move."""
        own, other = shown_marks(self._board, messages, self._is_first)
        return str(self._rng.choice(self._board.moves(own | other))[0] + 1)


def demo(skill: Skill, usual: float, role: str, task: Task, seed: int, quality: float | None = None) -> SlippingPlayer:
    """The good player, as many of whose moves are not bad ones as the quality says."""
    rng = random.Random(seed)
    slips = "".join(
        "01"[rng.random() >= (usual if quality is None else quality)]
        for _ in range(task.config["columns"] * task.config["rows"])
    )
    return SlippingPlayer(skill, role, slips, task, seed)


def line_scripts(skill: Skill, qualities: Mapping[str, float]) -> dict[str, dict[str, ScriptFactory]]:
    """The scripts of both roles, given the usual quality of the demonstrator of each."""
    return {role: dict(_scripts_of(skill, qualities[role], role)) for role in ROLES}


def _scripts_of(skill: Skill, quality: float, role: str) -> Mapping[str, ScriptFactory]:
    return {
        "oracle": partial(Foreseeing, skill, role),
        "null": saying(""),
        "random": partial(RandomPlayer, skill, role),
        "demo": partial(demo, skill, quality, role),
        "cheat_all_moves": saying("1 2 3 4 5 6 7 8 9"),
        "cheat_outside": saying("0"),
        "cheat_far_outside": saying("99999999999999999999"),
        "cheat_negative": saying("-1"),
        "cheat_draw_the_board": saying("X X X\nX X X\nX X X"),
        **common_cheats("You win."),
    }
