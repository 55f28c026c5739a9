"""Writes the tasks of dialogue/matrix-games: `python -m agentgym_dialogue.matrix_games.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.matrix_games.game import ROLES, draw_habit, matrix_task
from agentgym_dialogue.matrix_games.payoffs import MOVES, Payoffs, draw_payoffs
from agentgym_dialogue.task_files import draw_unseen, suite_folder, write_suite

SEED = 20_275
UNSEEN = "chicken"
ROUNDS = (4, 5, 6)
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"known_game": 2000},
    "validation": {"known_game": 200},
    "test": {"known_game": 200, "chicken": 100},
}

Drawn = tuple[str, Payoffs, int, dict[str, tuple[str, float, bool]]]


def generate(folder: Path) -> None:
    """Write the three splits into a folder; no payoffs of a game are in two splits, no task occurs twice."""
    rng, seen = random.Random(SEED), set[str]()
    split_of: dict[str, Split] = {}
    known = [game for game in MOVES if game != UNSEEN]

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        game = UNSEEN if stratum == UNSEEN else known[index % len(known)]
        drawn = draw_unseen(partial(_draw, rng, game, split, split_of), seen, str)
        return matrix_task(task_id, index, *drawn, split=split, stratum=stratum)

    write_suite(folder, "dialogue/matrix-games", NUM_TASKS, make)


def _draw(rng: random.Random, game: str, split: Split, split_of: dict[str, Split]) -> Drawn:
    """A game with payoffs of the split, the rounds, and the habits of both roles; payoffs get a split when drawn."""
    while True:
        payoffs = draw_payoffs(rng, game)
        habits, rounds = {role: draw_habit(rng) for role in ROLES}, rng.choice(ROUNDS)
        owner = split_of.setdefault(f"{game} {payoffs}", _drawn_split(rng))
        if owner == split or game == UNSEEN:
            return game, payoffs, rounds, habits


def _drawn_split(rng: random.Random) -> Split:
    """The split that payoffs belong to from the first draw on."""
    draw = rng.random()
    return "train" if draw < 0.6 else "validation" if draw < 0.8 else "test"


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "matrix-games"))
