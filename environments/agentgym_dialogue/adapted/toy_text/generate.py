"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.adapted.toy_text.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, numbered_id, write_split, write_suites
from agentgym.task import SPLITS, Split, Task
from agentgym_dialogue.adapted.catalogue import TOY_TEXT
from agentgym_dialogue.adapted.toy_text.env import ToyTextEnv
from agentgym_dialogue.adapted.toy_text.search import started, winning_actions

SIZES: Mapping[str, Mapping[Split, int]] = {
    "FrozenLake": {"train": 1000, "validation": 100, "test": 200},
    "Taxi": {"train": 160, "validation": 40, "test": 80},
    "Blackjack": {"train": 400, "validation": 100, "test": 200},
}
"""Tasks of each split; Taxi has 300 different starts in all."""
FIRST_SEED = 20_266


def generate(folder: Path, suite: str, game: str) -> None:
    """Write the three splits of a game into a folder; a start that looks like another one's occurs once."""
    env = ToyTextEnv(game)
    seen: set[str] = set()
    drawn = map(env.make_task, itertools.count(FIRST_SEED))
    for split in SPLITS:
        tasks = [draw_unseen(partial(next, drawn), seen, partial(_start, env)) for _ in range(SIZES[game][split])]
        named = [replace(task, id=numbered_id(suite, split, i), stratum="new") for i, task in enumerate(tasks)]
        write_split(folder, split, named)


def _start(env: ToyTextEnv, task: Task) -> str:
    """What tells a task from another: what is seen at first, and in Blackjack what wins."""
    observation, _ = env.reset(options={"task": task})
    return f"{observation['text']} {winning_actions(started(task)) if env.game == 'Blackjack' else ''}"


SUITES: Suites = {f"dialogue/{suite}": partial(generate, game=game) for game, suite in TOY_TEXT.items()}

if __name__ == "__main__":
    write_suites(SUITES)
