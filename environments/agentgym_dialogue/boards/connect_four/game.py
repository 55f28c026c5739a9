"""Connect Four in language: two roles drop marks into columns in turns.

Turns and ends are in `agentgym_dialogue.boards.line_game`, players in `partners` and `scripts`.
"""

from __future__ import annotations

import itertools
import random
import re

from agentgym.errors import ConfigError
from agentgym.task import Task
from agentgym_dialogue.boards.line_board import Board, board_of
from agentgym_dialogue.boards.line_game import ROLES, LineGame, line_task, position_of

COLUMNS, ROWS = 7, 6
LENGTH = 4
ERROR_RATE = 0.25
MIN_SIDE, MAX_SIDE = 4, 9
OPENING_MOVES = 4

_NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w-])")
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_IN_WORDS = re.compile(rf"\b(?:column|in|take|play) ({'|'.join(_WORDS)})\b")


def board_of_size(columns: int, rows: int) -> Board:
    """The board of so many columns and rows."""
    return board_of(columns, rows, LENGTH, True)


def draw_opening(rng: random.Random, board: Board, num_moves: int = OPENING_MOVES) -> tuple[int, ...]:
    """Random moves after which nobody has won; the first role's are no neighbours, which would win soon."""
    while True:
        opening = tuple(rng.randrange(board.columns) for _ in range(num_moves))
        if any(0 < abs(one - other) < LENGTH - 1 for one, other in itertools.combinations(opening[::2], 2)):
            continue
        try:
            position_of(board, opening)
        except ValueError:
            continue
        return opening


def draw_slips(rng: random.Random, board: Board, error_rate: float) -> tuple[str, str]:
    """At which of its moves a scripted player of each role errs: each with the rate, and one of three at least."""
    patterns = []
    for _ in ROLES:
        errs = [rng.random() < error_rate for _ in range(board.columns * board.rows // 2)]
        for begin in range(0, len(errs), 3):
            if not any(errs[begin : begin + 3]):
                errs[min(begin + rng.randrange(3), len(errs) - 1)] = True
        patterns.append("".join("01"[err] for err in errs))
    return patterns[0], patterns[1]


class ConnectFourGame(LineGame):
    """Get four marks in a row; a mark falls to the lowest free cell of its column.

    Observation:
        Text. The first message gives the rules and, for the first role, the board: a line for each row, with X, O and
        points. Later messages give the other's move and the board (`They play 4.`). The last one is `You win.`, `You
        lose.` or `Draw.`
    Action:
        A text with one number of a column that is not full, from 1 at the left, or with its number in words (`column
        four`). Anything else, and more than 1,000 characters, is invalid and costs no move.
    Reward:
        `outcome`: 1 for a win, 0 for a draw, -1 for a loss or a game that was not played to its end. `format`: 0 for
        an invalid message.
    Termination:
        Four in a row, a full board, or a role sent more invalid messages than the task's limit (2), which loses.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. Success is a win. The score is 1 for a win and 0.5 for a draw.
    Sandbox:
        None.
    Source and licence:
        After Connect Four (Wexler and Strongin 1974), written for this project, Apache-2.0; the tasks of
        dialogue/connect-four are CC0-1.0. Differs: a game begins from an opening of random moves, and a task may have
        another size of board. The scripted player looks two moves ahead. It plays at random at one of three moves, or
        at more; the seed draws them.

    Example:
        `You are X. Four in a row win. Say a column, 1 to 7. …` / `I take 4` / `They play 4. …` / `3` / …

    Args:
        columns: Columns of a task made from a seed, 4 to 9.
        rows: Its rows, 4 to 9.
        error_rate: How often the scripted player also errs at its other moves, as a share in [0, 1]. It errs at one of
            three moves in any case.

    Raises:
        ConfigError: A number is out of its range.
    """

    length = LENGTH
    falls = True

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS, error_rate: float = ERROR_RATE) -> None:
        super().__init__()
        if not (MIN_SIDE <= columns <= MAX_SIDE and MIN_SIDE <= rows <= MAX_SIDE and 0 <= error_rate <= 1):
            raise ConfigError(
                f"connect-four got columns={columns}, rows={rows}, error_rate={error_rate}; expected {MIN_SIDE} to "
                f"{MAX_SIDE} columns and rows, and a share in [0, 1]"
            )
        self.columns, self.rows, self.error_rate = columns, rows, error_rate

    def make_task(self, seed: int) -> Task:
        """A game from a random opening."""
        rng, board = random.Random(seed), board_of_size(self.columns, self.rows)
        opening = draw_opening(rng, board)
        return line_task(f"connect-four:{seed}", seed, board, opening, draw_slips(rng, board, self.error_rate))

    def rules(self, sign: str) -> str:
        """The rules."""
        return f"You are {sign}. Four in a row win. Say a column, 1 to {self.board.columns}."

    def read_move(self, text: str) -> int | None:
        """A column by its number, else by the word for it."""
        numbers = set(_NUMBER.findall(text)) or {str(_WORDS[word]) for word in _IN_WORDS.findall(text)}
        number = numbers.pop() if len(numbers) == 1 else ""
        return int(number) - 1 if 0 < len(number) < 3 else None

    def refusal(self) -> str:
        """What can be said."""
        taken = self.marks["first"] | self.marks["second"]
        return f"Say one column: {' '.join(str(move + 1) for move, _ in self.board.moves(taken))}."
