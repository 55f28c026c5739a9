"""Tic-tac-toe in language: two roles mark nine squares in turns.

Turns and ends are in `agentgym_dialogue.boards.line_game`, players in `partners` and `scripts`.
"""

from __future__ import annotations

import random
import re

from agentgym.errors import ConfigError
from agentgym.task import Task
from agentgym_dialogue.boards.line_board import board_of
from agentgym_dialogue.boards.line_game import LineGame, line_task

BOARD = board_of(3, 3, 3, False)
ERROR_RATE = 0.25
NUM_SQUARES = 9

_NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w-])")
_WORD = re.compile(r"[a-z]+")
_ROWS = {"top": 0, "upper": 0, "middle": 1, "centre": 1, "center": 1, "bottom": 2, "lower": 2}
_COLUMNS = {"left": 0, "right": 2}


def draw_slips(rng: random.Random, error_rate: float) -> tuple[str, str]:
    """At which of its moves a scripted player of each role errs: each with the rate, and at one that matters at least.

    An error matters where the other can make a threat before it, so that it can win however the opponent chooses among
    equal moves: in the third or fourth move of the first role, in the first three of the second.
    """
    patterns = []
    for that_matter in ((2, 3), (0, 1, 2)):
        errs = [rng.random() < error_rate for _ in range(5)]
        if not any(errs[number] for number in that_matter):
            errs[rng.choice(that_matter)] = True
        patterns.append("".join("01"[err] for err in errs))
    return patterns[0], patterns[1]


class TicTacToeGame(LineGame):
    """Get three marks in a row on nine squares.

    Observation:
        Text. The first message gives the rules and, for the first role, the board: X, O and the numbers of free
        squares. Later messages give the other's move and the board (`They play 5.`). The last one is `You win.`, `You
        lose.` or `Draw.`
    Action:
        A text with one number of a free square, 1 to 9 from the top left, or with its place in words (`top left`,
        `the centre`). Anything else, and more than 1,000 characters, is invalid and costs no move.
    Reward:
        `outcome`: 1 for a win, 0 for a draw, -1 for a loss or a game that was not played to its end. `format`: 0 for
        an invalid message.
    Termination:
        Three in a row, all squares marked, or a role sent more invalid messages than the task's limit (2), which loses.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. Success is a win. The score is 1 for a win and 0.5 for a draw.
    Sandbox:
        None.
    Source and licence:
        The common game, written for this project, Apache-2.0; the tasks of dialogue/tic-tac-toe are CC0-1.0. Games may
        begin from an opening of two moves. The scripted player is perfect except for mistakes that the seed draws. At
        least one mistake is at a move that matters, so every task can be won.

    Example:
        `You are X. Three in a row win. Say a free square. …` / `I take 5` / `They play 2. …` / `1` / `They play 9. …` /
        `7` / `They play 3. …` / `4` / `You win.`

    Args:
        error_rate: How often the scripted player also errs at its other moves, as a share in [0, 1], in a task made
            from a seed. It errs at least once in any case.

    Raises:
        ConfigError: The rate is out of its range.
    """

    def __init__(self, error_rate: float = ERROR_RATE) -> None:
        super().__init__()
        if not 0 <= error_rate <= 1:
            raise ConfigError(f"tic-tac-toe got error_rate={error_rate}; expected a share in [0, 1]")
        self.error_rate = error_rate

    def make_task(self, seed: int) -> Task:
        """A game from the empty board."""
        slips = draw_slips(random.Random(seed), self.error_rate)
        return line_task(f"tic-tac-toe:{seed}", seed, BOARD, (), slips)

    def rules(self, sign: str) -> str:
        """The rules."""
        return f"You are {sign}. Three in a row win. Say a free square."

    def read_move(self, text: str) -> int | None:
        """A square by its number, else by the words for its row and column."""
        numbers = set(_NUMBER.findall(text))
        if numbers:
            number = numbers.pop()
            return int(number) - 1 if not numbers and len(number) < 3 else None
        return _square_in_words(_WORD.findall(text)) if text.isascii() else None

    def refusal(self) -> str:
        """What can be said."""
        taken = self.marks["first"] | self.marks["second"]
        return f"Say one free square: {' '.join(str(move + 1) for move, _ in self.board.moves(taken))}."


def _square_in_words(words: list[str]) -> int | None:
    rows = [_ROWS[word] for word in words if word in _ROWS]
    columns = [_COLUMNS[word] for word in words if word in _COLUMNS]
    if len(columns) > 1 or len(rows) > 2 or not rows:
        return None
    column = columns[0] if columns else 1
    if len(rows) == 2:  # "top middle", "middle of the bottom row"
        rows = sorted(rows, key=lambda row: row == 1)
        if columns or rows[1] != 1:
            return None
    elif not columns and rows != [1]:
        return None
    return rows[0] * 3 + column
