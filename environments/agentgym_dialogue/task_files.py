"""Writing the task files of a suite byte for byte the same on every run.

Reading them is the work of `agentgym.suite`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentgym.data_folder import data_folder
from agentgym.task import Task

_IMPLIED = ("suite", "split")
"""Keys that the reader fills in from where the file lies."""


def suite_folder(arguments: Sequence[str], name: str) -> Path:
    """Where a generator writes: the folder named on its command line, else the suite's own."""
    return Path(arguments[0]) if arguments else data_folder("tasks") / "dialogue" / name


def write_split(folder: Path, split: str, tasks: Sequence[Task]) -> None:
    """Write one task a line into `<split>.jsonl`, leaving out what the reader fills in and what is empty."""
    lines = [json.dumps(_fields(task), ensure_ascii=False, separators=(",", ":")) for task in tasks]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{split}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _fields(task: Task) -> dict[str, Any]:
    fields = task.to_json()
    return {key: value for key, value in fields.items() if key not in _IMPLIED and (value or key == "seed")}
