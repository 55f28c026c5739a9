"""Writes the tasks of `SUITES`: `python -m agentgym_swe.terminal.generate [SUITE [FOLDER]]`.

The kinds of task are in `kinds`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split
from agentgym_swe.terminal.kinds import TRAINED, draw_task

UNSEEN = "unseen_kinds"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": dict.fromkeys(TRAINED, 20),
    "validation": dict.fromkeys(TRAINED, 4),
    "test": {**dict.fromkeys(TRAINED, 8), UNSEEN: 20},
}
"""Tasks of each split and family."""


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; the kinds of a family take turns."""
    for split, counts in SIZES.items():
        drawn = [(family, index) for family, count in counts.items() for index in range(count)]
        tasks = [
            draw_task(
                family,
                random.Random(f"{split} {family} {index}"),
                number,
                task_id=numbered_id(suite, split, number),
                stratum=family,
                number=index,
            )
            for number, (family, index) in enumerate(drawn)
        ]
        write_split(folder, split, tasks, with_empty=True)


SUITES: Suites = {"swe/terminal": generate}

if __name__ == "__main__":
    write_suites(SUITES)
