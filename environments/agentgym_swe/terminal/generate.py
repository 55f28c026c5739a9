"""Writes the task files of swe/terminal: `python -m agentgym_swe.terminal.generate [FOLDER]`.

The same files come out each time. The kinds of task are in `kinds`; suite.toml and README are written by hand.
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
from agentgym_swe.terminal.kinds import TRAINED, draw_task

SUITE = "swe/terminal"
UNSEEN = "unseen_kinds"
SIZES: dict[str, tuple[tuple[str, int], ...]] = {
    "train": tuple((family, 20) for family in TRAINED),
    "validation": tuple((family, 4) for family in TRAINED),
    "test": (*((family, 8) for family in TRAINED), (UNSEEN, 20)),
}
"""Strata of each split with their numbers of tasks."""


def make_tasks() -> Iterator[tuple[str, Task]]:
    """The tasks with their splits; the kinds of a family take turns."""
    for split, strata in SIZES.items():
        number = 0
        for family, count in strata:
            for index in range(count):
                rng = random.Random(f"{split} {family} {index}")
                task_id = f"{SUITE}:{split}-{number:05d}"
                yield split, draw_task(family, rng, number, task_id=task_id, stratum=family, number=index)
                number += 1


def write_files(folder: Path) -> None:
    """Write train.jsonl, validation.jsonl and test.jsonl."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[str]] = {split: [] for split in SIZES}
    for split, task in make_tasks():
        fields: dict[str, Any] = task.to_json()
        del fields["suite"], fields["split"]
        lines[split].append(json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n")
    for split, texts in lines.items():
        (folder / f"{split}.jsonl").write_text("".join(texts), encoding="utf-8", newline="\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write the task files of swe/terminal.")
    parser.add_argument("folder", type=Path, nargs="?", default=data_folder("tasks") / SUITE)
    write_files(parser.parse_args().folder)


if __name__ == "__main__":
    main()
