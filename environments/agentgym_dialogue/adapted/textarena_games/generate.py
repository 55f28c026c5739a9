"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.adapted.textarena_games.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.adapted.textarena_games.catalog import KNOWN_GAMES, UNSEEN_GAMES
from agentgym_dialogue.adapted.textarena_games.env import game_task

COUNTS: Mapping[Split, int] = {"test": 10, "validation": 6, "train": 60}
"""Most tasks of each game, by split in the order in which they are drawn; Cryptarithm and PegJump have fewer."""
FIRST_SEED = 5_000
TRIES = 4
"""Seeds that are looked at for each task."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits of the suite into a folder; the same content occurs once."""
    chosen: dict[Split, list[Task]] = {split: [] for split in COUNTS}
    for name in KNOWN_GAMES:
        tasks = _different(name, sum(COUNTS.values()))
        if len(tasks) < sum(COUNTS.values()):
            parts = {"test": tasks[::3], "validation": tasks[1::6], "train": [*tasks[2::3], *tasks[4::6]]}
        else:
            ends = (COUNTS["test"], COUNTS["test"] + COUNTS["validation"])
            parts = {"test": tasks[: ends[0]], "validation": tasks[ends[0] : ends[1]], "train": tasks[ends[1] :]}
        for split in chosen:
            chosen[split] += [replace(task, stratum="known-games") for task in parts[split]]
    for name in UNSEEN_GAMES:
        chosen["test"] += [replace(task, stratum="new-games") for task in _different(name, COUNTS["test"])]
    for split, tasks in chosen.items():
        named = [replace(task, id=numbered_id(suite, split, i)) for i, task in enumerate(tasks)]
        write_split(folder, split, named)


def _different(name: str, count: int) -> list[Task]:
    """At most so many tasks of a game that differ."""
    tasks: dict[str, Task] = {}
    for task in _drawn(name, TRIES * count):
        tasks.setdefault(task.content_hash, task)
        if len(tasks) == count:
            break
    return list(tasks.values())


def _drawn(name: str, count: int) -> Iterator[Task]:
    return (game_task(name, seed) for seed in range(FIRST_SEED, FIRST_SEED + count))


SUITES: Suites = {"dialogue/textarena": generate}

if __name__ == "__main__":
    write_suites(SUITES)
