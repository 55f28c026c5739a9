"""Writes the tasks of dialogue/frozen-lake, taxi and blackjack: `python -m agentgym_dialogue.toy_text.generate`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from agentgym.data_folder import data_folder
from agentgym.task import SPLITS, Split, Task
from agentgym_dialogue.task_files import draw_unseen, write_split
from agentgym_dialogue.toy_text.env import ToyTextEnv
from agentgym_dialogue.toy_text.search import started, winning_actions

SUITES: Mapping[str, str] = {"FrozenLake": "frozen-lake", "Taxi": "taxi", "Blackjack": "blackjack"}
SIZES: Mapping[str, Mapping[Split, int]] = {
    "FrozenLake": {"train": 1000, "validation": 100, "test": 200},
    "Taxi": {"train": 160, "validation": 40, "test": 80},
    "Blackjack": {"train": 400, "validation": 100, "test": 200},
}
"""Tasks of each split; Taxi has 300 different starts in all."""
FIRST_SEED = 20_266


def generate(folder: Path, game: str) -> None:
    """Write the three splits of a game into a folder; a start that looks like another one's occurs once."""
    env = ToyTextEnv(game)
    seen: set[str] = set()
    drawn = map(env.make_task, itertools.count(FIRST_SEED))
    suite = f"dialogue/{SUITES[game]}"
    for split in SPLITS:
        tasks = [draw_unseen(partial(next, drawn), seen, partial(_start, env)) for _ in range(SIZES[game][split])]
        named = [replace(task, id=f"{suite}:{split}-{i:05}", stratum="new") for i, task in enumerate(tasks)]
        write_split(folder, split, named)


def _start(env: ToyTextEnv, task: Task) -> str:
    """What tells a task from another: what is seen at first, and in Blackjack what wins."""
    observation, _ = env.reset(options={"task": task})
    return f"{observation['text']} {winning_actions(started(task)) if env.game == 'Blackjack' else ''}"


if __name__ == "__main__":
    for name, suite_name in SUITES.items():
        generate(data_folder("tasks") / "dialogue" / suite_name, name)
