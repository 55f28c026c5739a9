"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.navigation.maze.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from operator import attrgetter
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.navigation.maze.env import GENERATED, Puzzle, maze_task
from agentgym_dialogue.navigation.maze.layouts import FIXED, Cell, Rows, distances, generated, open_cells

SEED = 20_264
MIN_MOVES = 4
"""Fewest moves from start to goal."""
KNOWN: Mapping[Split, int] = {"train": 1500, "validation": 80, "test": 150}
"""Tasks in the fixed mazes: a pair of start and goal belongs to one split."""
NEW: Mapping[Split, Mapping[int, int]] = {
    "train": {7: 300, 9: 300},
    "validation": {7: 60, 9: 60},
    "test": {7: 50, 9: 50, 11: 50},
}
"""Tasks in generated mazes, by rows: each has a maze of its own, which occurs once."""


def generate(folder: Path, suite: str, observation: str) -> None:
    """Write the three splits into a folder, all tasks with the observation "full" or "partial"."""
    rng = random.Random(SEED)
    known = _known_pairs(rng)
    seen: set[Rows] = set()
    for split, count in KNOWN.items():
        puzzles = [("known-maze", Puzzle(name, FIXED[name], start, goal)) for name, start, goal in known[:count]]
        del known[:count]
        for size, number in NEW[split].items():
            draw = partial(_new_puzzle, size, rng)
            puzzles += [(f"new-{size}", draw_unseen(draw, seen, attrgetter("rows"))) for _ in range(number)]
        tasks = [
            _task(numbered_id(suite, split, index), index, puzzle._replace(observation=observation), split, stratum)
            for index, (stratum, puzzle) in enumerate(puzzles)
        ]
        write_split(folder, split, tasks)


def _task(task_id: str, seed: int, puzzle: Puzzle, split: Split, stratum: str) -> Task:
    return maze_task(task_id, seed, puzzle, split=split, stratum=stratum)


def _known_pairs(rng: random.Random) -> list[tuple[str, Cell, Cell]]:
    """Every fixed maze with every start and goal that are far enough apart, in random order."""
    pairs = [
        (name, start, goal)
        for name, rows in FIXED.items()
        for goal in open_cells(rows)
        for start, away in distances(rows, goal).items()
        if away >= MIN_MOVES
    ]
    rng.shuffle(pairs)
    return pairs


def _new_puzzle(size: int, rng: random.Random) -> Puzzle:
    """A generated maze with a start and a goal that are far enough apart."""
    while True:
        rows = generated(size, rng)
        start, goal = rng.sample(open_cells(rows), 2)
        if distances(rows, goal)[start] >= MIN_MOVES:
            return Puzzle(GENERATED, rows, start, goal)


SUITES: Suites = {
    "dialogue/maze": partial(generate, observation="full"),
    "dialogue/maze-partial": partial(generate, observation="partial"),
}

if __name__ == "__main__":
    write_suites(SUITES)
