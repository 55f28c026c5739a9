"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.adapted.babyai.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.adapted.babyai.env import KNOWN_LEVELS, UNSEEN_LEVELS, BabyAIEnv
from agentgym_dialogue.adapted.babyai.scripts import SCRIPTS

KNOWN: Mapping[Split, int] = {"test": 12, "validation": 8, "train": 80}
"""Tasks of each level that is trained on, by split in the order in which they are drawn."""
UNSEEN_PER_LEVEL = 20
"""Tasks in the test split of each level that is not."""
FIRST_SEED = 1_000
MAX_FEWEST = 60
"""Most turns that the oracle may need."""


def generate(folder: Path, suite: str, splits: Sequence[Split] = tuple(KNOWN)) -> None:
    """Write the splits of the suite, or the first of `KNOWN`, into a folder; a grid with its mission occurs once."""
    env = BabyAIEnv()
    seen: set[tuple[Any, ...]] = set()
    next_seeds = dict.fromkeys((*KNOWN_LEVELS, *UNSEEN_LEVELS), FIRST_SEED)
    for split in splits:
        chosen = [(task, "known-levels") for task in _draw(env, KNOWN_LEVELS, KNOWN[split], next_seeds, seen)]
        if split == "test":
            chosen += [(task, "new-levels") for task in _draw(env, UNSEEN_LEVELS, UNSEEN_PER_LEVEL, next_seeds, seen)]
        tasks = [
            replace(task, id=numbered_id(suite, split, index), stratum=stratum)
            for index, (task, stratum) in enumerate(chosen)
        ]
        write_split(folder, split, tasks)


def _draw(
    env: BabyAIEnv, levels: Sequence[str], count: int, next_seeds: dict[str, int], seen: set[tuple[Any, ...]]
) -> list[Task]:
    """So many new tasks of each level that the oracle solves in time."""
    tasks: list[Task] = []
    for level in levels:
        found = 0
        while found < count:
            task = env.level_task(level, next_seeds[level])
            next_seeds[level] += 1
            start = _start(env, task)
            if start not in seen and _is_solved(env, task):
                seen.add(start)
                tasks.append(task)
                found += 1
    return tasks


def _start(env: BabyAIEnv, task: Task) -> tuple[Any, ...]:
    env.reset(options={"task": task})
    raw: Any = env.env.unwrapped
    return raw.mission, raw.grid.encode().tobytes(), tuple(map(int, raw.agent_pos)), int(raw.agent_dir)


def _is_solved(env: BabyAIEnv, task: Task) -> bool:
    env.reset(options={"task": task})
    script = SCRIPTS["oracle"](task, 0)
    for _ in range(MAX_FEWEST):
        _, _, terminated, truncated, info = env.step(script.act([]))
        if terminated or truncated:
            return bool(info["success"])
    return False


SUITES: Suites = {"dialogue/babyai": generate}

if __name__ == "__main__":
    write_suites(SUITES)
