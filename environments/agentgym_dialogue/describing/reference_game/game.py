"""The reference game: a describer, who is shown which of three grids is meant, and a guesser, who is not.

Players are in `partners` and `scripts`, what can be said of grids in `facts`, the suites' tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import Message, user
from agentgym.picture import with_picture
from agentgym.task import Limits, Task
from agentgym_dialogue.describing.letter_grid import EMPTY, lines_of, picture_of
from agentgym_dialogue.describing.reference_game.facts import X
from agentgym_dialogue.plain_line import plain_line

ANSWERS = ("first", "second", "third")
UNCLEAR = "unclear"
SHOWS = ("text", "image", "both")
MAX_INVALID = 2
MAX_CHARS = 300
"""Longest message, in characters, that is read."""
MAX_WORDS = 80
"""Most words of a description."""
NUM_FLIPPED = (2, 4)
"""Fewest and most cells in which a grid differs from the one it is made from, where grids are alike."""

_ANSWER = re.compile(rf"\b({'|'.join(ANSWERS)}|{UNCLEAR})\b")


def reference_task(task_id: str, seed: int, size: int, grids: Sequence[str], target: int, **fields: Any) -> Task:
    """The task of telling one of three grids from the others; `fields` are further ones of the task.

    Args:
        task_id: The task's id.
        seed: Its seed.
        size: Rows, and columns, of a grid.
        grids: The grids in the guesser's order, each its cells row by row.
        target: Which of them is meant, from 0.
        fields: Further fields of the task.
    """
    return Task(
        task_id,
        seed,
        "Reference game with three grids.",
        config={"size": size, "grids": list(grids)},
        private={"target": target},
        limits=_limits(),
        **fields,
    )


@cache
def _limits() -> Limits:
    return Limits(max_turns=1 + MAX_INVALID, max_invalid=MAX_INVALID)


def draw(rng: random.Random, size: int, is_alike: bool) -> tuple[list[str], int]:
    """Three different grids, and which of them is meant; alike ones differ in few cells."""
    grids = [_random_grid(rng, size)]
    while len(grids) < 3:
        grid = _flipped(rng, grids[0]) if is_alike else _random_grid(rng, size)
        if grid not in grids:
            grids.append(grid)
    meant = grids[0]
    rng.shuffle(grids)
    return grids, grids.index(meant)


def _random_grid(rng: random.Random, size: int) -> str:
    density = rng.uniform(0.25, 0.75)
    return "".join(X if rng.random() < density else EMPTY for _ in range(size * size))


def _flipped(rng: random.Random, grid: str) -> str:
    flipped = set(rng.sample(range(len(grid)), rng.randint(*NUM_FLIPPED)))
    return "".join((EMPTY if cell == X else X) if index in flipped else cell for index, cell in enumerate(grid))


class ReferenceGame(GameEnv):
    """Describe one of three grids, or find it by its description.

    Observation:
        Text. The describer sees the target grid first, then the two others. The guesser sees the three in another
        order, and then the description. A grid has a line for each row, with `X` for a filled cell and `-` for an empty
        one. Both read the end: `correct` or `wrong`. With `show="image"` a picture (uint8[H, W, 3], in the messages as
        a PNG file) shows the grids side by side in the same order, with filled cells in black, and the text leaves them
        out. With `"both"`, both show them.
    Action:
        Describer: a description in English letters, at most 80 words and 300 characters. Guesser: `first`, `second` or
        `third`, with any words around it, or `unclear`, which is wrong. Anything else is invalid.
    Reward:
        `success`: 1 for both when the guesser names the target. `format`: 0 for an invalid message.
    Termination:
        The guesser answered, or a role sent more invalid messages than the task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. The score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        After the game of clembench (Chalamalasetti et al. 2023, arXiv 2305.13455), written for this project,
        Apache-2.0; the tasks of dialogue/reference-game are generated, CC0-1.0. Differs from clembench: answers need no
        prefix, the guesser may say that it is unclear, and grids are drawn at random.

    Example:
        describer: `Target grid: X X … Second grid: … Third grid: …` / `row 2 is empty` / `correct`
        guesser: `First grid: X - … Second grid: … Third grid: … Description: row 2 is empty` / `second` / `correct`

    Args:
        size: Rows, and columns, of the grids of tasks made from a seed, 3 to 9.
        alike: Whether these grids differ in few cells only.
        show: How all grids are shown: "text", "image" or "both".

    Raises:
        ConfigError: The size is out of its range, or there is no such way to show them.
    """

    roles = ("guesser", "describer")
    disclosed = {"describer": ("target",)}

    def __init__(self, size: int = 5, alike: bool = True, show: str = "text") -> None:
        super().__init__()
        if not 3 <= size <= 9 or show not in SHOWS:
            raise ConfigError(
                f"the reference game got size={size!r} and show={show!r}; expected a size of 3 to 9, and one of "
                f"{', '.join(SHOWS)}"
            )
        self.size, self.alike, self.show = size, alike, show
        self.has_picture = show != "text"
        self._orders: dict[str, list[str]] = {}
        self._target = 0
        self._said = ""

    def make_task(self, seed: int) -> Task:
        """Random grids."""
        grids, target = draw(random.Random(seed), self.size, self.alike)
        return reference_task(f"reference-game:{seed}", seed, self.size, grids, target)

    def begin(self, task: Task) -> Inbox:
        """Show both roles the grids, and the describer which is meant."""
        try:
            size, grids, self._target = task.config["size"], list(task.config["grids"]), task.private["target"]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; the reference game needs size and grids in config, target in private"
            ) from None
        if {len(grid) for grid in grids} != {size * size} or len(set(grids)) != 3 or self._target not in range(3):
            raise TaskError(f"task {task.id!r}: expected three different grids of {size} rows, and a target of them")
        others = [grid for index, grid in enumerate(grids) if index != self._target]
        self._orders = {"guesser": grids, "describer": [grids[self._target], *others]}
        self._said = ""
        self.acting_role = "describer"
        return {role: [self._rules(role, size)] for role in self.roles}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand the description to the guesser, or judge the answer."""
        if role == "describer":
            self._said = plain_line(action.content, "a description", MAX_WORDS, MAX_CHARS)
            self.acting_role = "guesser"
            return GameReply({"guesser": [user(f"Description: {self._said}")]})
        named = set(_ANSWER.findall(action.content.lower())) if len(action.content) <= MAX_CHARS else set()
        if len(named) != 1:
            raise ActionSyntaxError("Answer first, second, third or unclear.")
        answer = named.pop()
        return self._end(answer != UNCLEAR and ANSWERS.index(answer) == self._target)

    def grade(self) -> GameReply:
        """Nobody named the target."""
        return self._end(False)

    def picture(self, role: str) -> NDArray[np.uint8]:
        """The grids in the role's order."""
        grids = self._orders[role]
        return picture_of(grids, round(len(grids[0]) ** 0.5))

    def anchor(self) -> str:
        """The description and invalid messages so far; equal within one task only."""
        return f"{self.acting_role}: {self._said}, {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _rules(self, role: str, size: int) -> Message:
        names = ("Target", "Second", "Third") if role == "describer" else ("First", "Second", "Third")
        if self.show == "image":
            text = f"Picture: {', '.join(names)} grid, from left to right."
        else:
            shown = (
                f"{name} grid:\n{lines_of(grid, size)}" for name, grid in zip(names, self._orders[role], strict=True)
            )
            text = "\n".join(shown)
        asked = {
            "describer": "Describe the target grid, so that it is told from the others.",
            "guesser": "Which grid is described? Answer first, second or third.",
        }
        text = f"{text}\n{asked[role]}"
        return user(text) if self.show == "text" else with_picture(user(text), self.picture(role))

    def _end(self, is_found: bool) -> GameReply:
        return GameReply(
            {role: [user("correct" if is_found else "wrong")] for role in self.roles},
            [self.event(role, "success", float(is_found)) for role in self.roles],
            is_over=True,
            successes=dict.fromkeys(self.roles, is_found),
        )
