"""Drawing the tasks of a suite and writing its files, byte for byte the same on every run.

Reading them is the work of `agentgym.suite`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from agentgym.data_folder import data_folder
from agentgym.errors import ConfigError
from agentgym.task import Split, Task

_IMPLIED = ("suite", "split")
"""Keys that the reader fills in from where the file lies."""
MAX_DRAWS = 10_000
"""Draws without anything new after which there is nothing left to draw."""
MakeTask = Callable[[str, int, Split, str], Task]
"""Makes a task of its id, number, split and stratum."""
Drawn = TypeVar("Drawn")
Key = TypeVar("Key", bound=Hashable)


def suite_folder(arguments: Sequence[str], name: str) -> Path:
    """Where a generator writes: the folder named on its command line, else the suite's own."""
    return Path(arguments[0]) if arguments else data_folder("tasks") / "dialogue" / name


def draw_unseen(draw: Callable[[], Drawn], seen: set[Key], key: Callable[[Drawn], Key]) -> Drawn:
    """Draw until something comes that was not there before.

    Args:
        draw: Draws something.
        seen: Keys of all that was there; that of the result is added.
        key: What makes two draws the same.

    Raises:
        ConfigError: Nothing new came in `MAX_DRAWS` draws.
    """
    for _ in range(MAX_DRAWS):
        drawn = draw()
        found = key(drawn)
        if found not in seen:
            seen.add(found)
            return drawn
    raise ConfigError(
        f"a generator drew nothing new in {MAX_DRAWS} draws, with {len(seen)} drawn before; expected more to choose "
        "from: ask for fewer tasks"
    )


def write_suite(folder: Path, suite: str, counts: Mapping[Split, Mapping[str, int]], make: MakeTask) -> None:
    """Write all splits of a suite into a folder, its tasks made in the order of the splits and strata.

    Args:
        folder: The folder.
        suite: The suite's name, with which the ids of its tasks begin.
        counts: By split how many tasks each stratum has; they are numbered from 0 in each split.
        make: Makes a task.
    """
    for split, wanted in counts.items():
        strata = [stratum for stratum, count in wanted.items() for _ in range(count)]
        tasks = [make(f"{suite}:{split}-{index:05}", index, split, stratum) for index, stratum in enumerate(strata)]
        write_split(folder, split, tasks)


def write_split(folder: Path, split: str, tasks: Sequence[Task]) -> None:
    """Write one task a line into `<split>.jsonl`, leaving out what the reader fills in and what is empty."""
    lines = [json.dumps(_fields(task), ensure_ascii=False, separators=(",", ":")) for task in tasks]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{split}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _fields(task: Task) -> dict[str, Any]:
    fields = task.to_json()
    return {key: value for key, value in fields.items() if key not in _IMPLIED and (value or key == "seed")}
