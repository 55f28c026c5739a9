"""Writes the task files of tools/lookup: `python -m agentgym_tools.lookup.generate [FOLDER]`.

The same files come out each time. How a question is drawn is in `questions`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentgym.data_folder import data_folder
from agentgym.task import Task
from agentgym_tools.lookup.questions import Difficulty, draw_task

SUITE = "tools/lookup"
TRAIN, VALIDATION = "train", "validation"
BASES, COMBINATIONS, SHAPES, CHAINS = "unseen_bases", "new_combinations", "unseen_shape", "longer_chains"
SIZES = {
    "train": ((TRAIN, 3000),),
    "validation": ((VALIDATION, 200),),
    "test": ((BASES, 300), (COMBINATIONS, 150), (SHAPES, 150), (CHAINS, 150)),
}
"""Strata of each split with their numbers of tasks."""

_FIRST_SEEDS = {
    TRAIN: 1_000_000,
    VALIDATION: 2_000_000,
    BASES: 6_000_000,
    COMBINATIONS: 7_000_000,
    SHAPES: 8_000_000,
    CHAINS: 9_000_000,
}
_SHARE_OF_ONE_HOP = 0.15


def make_tasks(split: str) -> Iterator[Task]:
    """The tasks of a split, in the order of its file."""
    number = 0
    for stratum, count in SIZES[split]:
        for seed in range(_FIRST_SEEDS[stratum], _FIRST_SEEDS[stratum] + count):
            difficulty = _draw_difficulty(seed, stratum)
            yield draw_task(seed, difficulty, task_id=f"{SUITE}:{split}-{number:05d}", stratum=stratum)
            number += 1


def to_line(task: Task) -> str:
    """One line of a task file; suite and split follow from where it lies."""
    fields: dict[str, Any] = task.to_json()
    del fields["suite"], fields["split"]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_files(folder: Path) -> None:
    """Write train.jsonl, validation.jsonl and test.jsonl."""
    folder.mkdir(parents=True, exist_ok=True)
    for split in SIZES:
        text = "".join(map(to_line, make_tasks(split)))
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8", newline="\n")


def _draw_difficulty(seed: int, stratum: str) -> Difficulty:
    rng = random.Random(f"difficulty {seed}")
    usual = 1 if stratum != SHAPES and rng.random() < _SHARE_OF_ONE_HOP else 2
    return Difficulty(
        hops=3 if stratum == CHAINS else usual,
        distractors=rng.randint(2, 4),
        names="new" if stratum == COMBINATIONS else "known",
        shapes="held_out" if stratum == SHAPES else "known",
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write the task files of tools/lookup.")
    parser.add_argument("folder", type=Path, nargs="?", default=data_folder("tasks") / SUITE)
    write_files(parser.parse_args().folder)


if __name__ == "__main__":
    main()
