"""Grid drawing: an instructor, who sees the target grid, and a drawer, who sees none and answers with whole grids.

Players are in `partners` and `scripts`, instructions in words in `strokes`, the suites' tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.describing.grid_drawing.strokes import LETTERS, Stroke, drawn, seen_strokes
from agentgym_dialogue.describing.letter_grid import EMPTY, lines_of
from agentgym_dialogue.plain_line import plain_line

MAX_INVALID = 2
MAX_WORDS = 30
"""Most words of one instruction."""
MAX_CHARS = 300
"""Longest message, in characters, that is read."""
SPARE_TURNS = 2
"""Instructions that a task has beyond one for each stroke."""

_DONE = re.compile(r"\W*done\W*", re.IGNORECASE)


def drawing_task(task_id: str, seed: int, size: int, strokes: Sequence[Stroke], **fields: Any) -> Task:
    """The task of drawing what some strokes make; `fields` are further ones of the task."""
    turns = len(strokes) + SPARE_TURNS
    return Task(
        task_id,
        seed,
        "Draw a grid by instructions.",
        config={"size": size, "turns": turns},
        private={"strokes": [list(stroke) for stroke in strokes]},
        limits=_limits(turns),
        **fields,
    )


@cache
def _limits(turns: int) -> Limits:
    return Limits(max_turns=turns + MAX_INVALID + 1, max_invalid=MAX_INVALID)


def strokes_of(task: Task) -> list[Stroke]:
    """The strokes that make the target."""
    return [Stroke(*stroke) for stroke in task.private["strokes"]]


def draw_strokes(rng: random.Random, size: int, count: int) -> list[Stroke]:
    """Random strokes, at most as many as rows, none of which is hidden under later ones: lines, then cells."""
    while True:
        places = [_random_place(rng, size) for _ in range(count)]
        places.sort(key=lambda place: None not in place)
        strokes = [Stroke(*place, rng.choice(LETTERS)) for place in places]
        if len(seen_strokes(strokes, size)) == count:
            return strokes


def _random_place(rng: random.Random, size: int) -> tuple[int | None, int | None]:
    row, column, kind = rng.randrange(size), rng.randrange(size), rng.randrange(4)
    return {0: (row, None), 1: (None, column)}.get(kind, (row, column))


def f1(grid: str, target: str) -> float:
    """F1 of the cells that were filled against those to be filled, with their letters; 0 where none is right."""
    right = sum(cell == wanted != EMPTY for cell, wanted in zip(grid, target, strict=True))
    filled, wanted = (sum(cell != EMPTY for cell in cells) for cells in (grid, target))
    return 2 * right / (filled + wanted) if right else 0.0


class GridDrawingGame(GameEnv):
    """Draw a grid by instructions, or give the instructions.

    Observation:
        Text. The instructor sees the target, a line for each row with `-` for an empty cell, and gives one instruction
        after another without seeing the drawing. The drawer reads the rules and each instruction. Both read the result:
        `Done. 7 cells right, 1 wrong, 0 missing.`
    Action:
        Instructor: an instruction in English letters, at most 30 words and 300 characters, or `done`. Drawer: the whole
        grid as it is now, one letter or `-` for each cell, and nothing else. Anything else is invalid.
    Reward:
        `f1`, to both at the end: F1 of the cells changed from empty to their letter against those of the target.
        `format`: 0 for an invalid message.
    Termination:
        The instructor is done, the instructions are used up, or a role sent more invalid messages than the task's limit
        (2). In each case, the drawing at that time counts.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. The score is F1; success means that it is 1.
    Sandbox:
        None.
    Source and licence:
        After the drawing game of clembench (Chalamalasetti et al. 2023, arXiv 2305.13455), written for this project,
        Apache-2.0; the tasks of dialogue/grid-drawing are generated, CC0-1.0. Differs from clembench: a grid has
        several letters, cells may be separated by spaces, and messages need no prefix.

    Example:
        instructor: `Target: … - - - A A A - - - … Say one instruction …` / `Fill row 2 with A` / `Next?` / `done`
        drawer: `Draw … Fill row 2 with A` / `- - - A A A - - -` / `Done. 3 cells right, 0 wrong, 0 missing.`

    Args:
        size: Rows, and columns, of the grids of tasks made from a seed, 2 to 9.
        num_strokes: How many strokes make their targets, 1 to the size.

    Raises:
        ConfigError: A number is out of its range.
    """

    roles = ("drawer", "instructor")
    reward_weights = {"f1": 1.0, "format": 1.0}
    disclosed = {"instructor": ("strokes",)}

    def __init__(self, size: int = 5, num_strokes: int = 3) -> None:
        super().__init__()
        if not 2 <= size <= 9 or not 1 <= num_strokes <= size:
            raise ConfigError(
                f"grid drawing got size={size} and num_strokes={num_strokes}; expected a size of 2 to 9, and at "
                "least 1 and at most as many strokes"
            )
        self.size, self.num_strokes = size, num_strokes
        self._side = 0
        self._target = ""
        self._grid = ""
        self._instruction = ""
        self._turns_left = 0

    def make_task(self, seed: int) -> Task:
        """Random strokes."""
        strokes = draw_strokes(random.Random(seed), self.size, self.num_strokes)
        return drawing_task(f"grid-drawing:{seed}", seed, self.size, strokes)

    def begin(self, task: Task) -> Inbox:
        """Show the instructor the target, and tell the drawer the rules."""
        try:
            self._side, self._turns_left = task.config["size"], task.config["turns"]
            self._target = drawn(strokes_of(task), self._side)
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; grid drawing needs size and turns in config, strokes in private"
            ) from None
        if not self._target.strip(EMPTY):
            raise TaskError(f"task {task.id!r}: the target is an empty grid")
        self._grid = EMPTY * len(self._target)
        self._instruction = ""
        self.acting_role = "instructor"
        shown = f"Target:\n{lines_of(self._target, self._side)}\n"
        asked = f"Say one instruction a message, {self._turns_left} at most, or done."
        rules = f"Draw by instructions: answer with the whole grid, {self._side} rows, - for an empty cell."
        return {"instructor": [user(shown + asked)], "drawer": [user(f"{rules}\n{lines_of(self._grid, self._side)}")]}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand an instruction to the drawer, or keep what was drawn."""
        content = action.content
        if role == "drawer":
            return self._keep(content)
        if len(content) <= MAX_CHARS and _DONE.fullmatch(content):
            return self.grade()
        self._instruction = plain_line(content, "an instruction", MAX_WORDS, MAX_CHARS)
        self._turns_left -= 1
        self.acting_role = "drawer"
        return GameReply({"drawer": [user(self._instruction)]})

    def grade(self) -> GameReply:
        """What is drawn so far."""
        score = f1(self._grid, self._target)
        pairs = list(zip(self._grid, self._target, strict=True))
        right = sum(cell == wanted != EMPTY for cell, wanted in pairs)
        wrong = sum(EMPTY != cell != wanted for cell, wanted in pairs)
        missing = sum(cell == EMPTY != wanted for cell, wanted in pairs)
        text = f"Done. {right} cells right, {wrong} wrong, {missing} missing."
        return GameReply(
            {role: [user(text)] for role in self.roles},
            [self.event(role, "f1", score) for role in self.roles],
            is_over=True,
            successes=dict.fromkeys(self.roles, self._grid == self._target),
            scores=dict.fromkeys(self.roles, score),
        )

    def progress(self, role: str) -> float:
        """F1 of what is drawn so far."""
        return f1(self._grid, self._target)

    def anchor(self) -> str:
        """The drawing, the instruction, those left and invalid messages so far; equal within one task only."""
        return f"{self.acting_role} {self._grid} {self._instruction} {self._turns_left} {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _keep(self, content: str) -> GameReply:
        cells = "".join(content.split()) if len(content) <= MAX_CHARS else ""
        if len(cells) != len(self._grid) or not all(cell == EMPTY or "A" <= cell <= "Z" for cell in cells):
            raise ActionSyntaxError(f"Answer with {self._side} rows of {self._side} cells, a letter or - each.")
        self._grid = cells
        if not self._turns_left:
            return self.grade()
        self.acting_role = "instructor"
        return GameReply({"instructor": [user("Next?")]})
