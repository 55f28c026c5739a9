"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.bargaining.matrix_games.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.bargaining.matrix_games.game import ROLES, draw_habit, matrix_task
from agentgym_dialogue.bargaining.matrix_games.payoffs import MOVES, Payoffs, draw_payoffs

SEED = 20_275
UNSEEN = "chicken"
ROUNDS = (4, 5, 6)
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"known_game": 2000},
    "validation": {"known_game": 200},
    "test": {"known_game": 200, "chicken": 100},
}

Drawn = tuple[str, Payoffs, int, dict[str, tuple[str, float, bool]]]


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no payoffs of a game are in two splits, no task occurs twice."""
    rng, seen = random.Random(SEED), set[str]()
    split_of: dict[str, Split] = {}
    known = [game for game in MOVES if game != UNSEEN]

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        game = UNSEEN if stratum == UNSEEN else known[index % len(known)]
        drawn = draw_unseen(partial(_draw, rng, game, split, split_of), seen, str)
        return matrix_task(task_id, index, *drawn, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


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


SUITES: Suites = {"dialogue/matrix-games": generate}

if __name__ == "__main__":
    write_suites(SUITES)
