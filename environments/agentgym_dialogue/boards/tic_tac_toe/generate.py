"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.boards.tic_tac_toe.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.boards.line_game import ROLES, line_task
from agentgym_dialogue.boards.line_players import Foreseeing
from agentgym_dialogue.boards.tic_tac_toe.game import BOARD, ERROR_RATE, NUM_SQUARES, draw_slips
from agentgym_dialogue.boards.tic_tac_toe.partners import SKILL

SEED = 20_271
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"known_opening": 2000},
    "validation": {"unseen_opening": 140, "known_opening": 60},
    "test": {"unseen_opening": 200, "known_opening": 100},
}
NUM_UNSEEN: Mapping[Split, int] = {"validation": 2, "test": 3}
"""How many openings of two moves, their mirror images counted as one, a split has to itself; there are 12."""

Opening = tuple[int, ...]


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; every task can be won in either role, and none occurs twice in all."""
    rng, seen = random.Random(SEED), set[str]()
    openings = _openings(rng)

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        chosen = openings["train" if stratum == "known_opening" else split]
        opening, slips = draw_unseen(partial(_draw, rng, chosen, index), seen, str)
        return line_task(task_id, index, BOARD, opening, slips, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


def _draw(rng: random.Random, openings: Sequence[Opening], seed: int) -> tuple[Opening, tuple[str, str]]:
    """An opening and errors with which a task of the seed can be won in either role."""
    while True:
        opening, slips = rng.choice(openings), draw_slips(rng, ERROR_RATE)
        task = line_task("drawn", seed, BOARD, opening, slips)
        if all(Foreseeing(SKILL, role, task, 0).can_win() for role in ROLES):
            return opening, slips


def _openings(rng: random.Random) -> dict[Split, Sequence[Opening]]:
    """The openings of each split; the train split also begins with the empty board."""
    classes: dict[Opening, list[Opening]] = {}
    for opening in itertools.permutations(range(NUM_SQUARES), 2):
        classes.setdefault(min(_images(opening)), []).append(opening)
    drawn = sorted(classes)
    rng.shuffle(drawn)
    openings: dict[Split, Sequence[Opening]] = {}
    for split, count in NUM_UNSEEN.items():
        openings[split] = [opening for _ in range(count) for opening in classes[drawn.pop()]]
    openings["train"] = [*(opening for each in drawn for opening in classes[each]), *[()] * 8]
    return openings


def _images(opening: Opening) -> list[Opening]:
    """The eight images of an opening under turning and mirroring the board."""
    images = []
    for turns, mirrored in itertools.product(range(4), (False, True)):
        image = []
        for square in opening:
            row, column = divmod(square, 3)
            for _ in range(turns):
                row, column = column, 2 - row
            image.append(row * 3 + (2 - column if mirrored else column))
        images.append(tuple(image))
    return images


SUITES: Suites = {"dialogue/tic-tac-toe": generate, "dialogue/tic-tac-toe-second": generate}
"""The suites hold the same tasks, for the first player and for the second one."""

if __name__ == "__main__":
    write_suites(SUITES)
